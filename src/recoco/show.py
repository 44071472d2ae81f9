"""What the command line prints."""

import os
from pathlib import Path

import numpy as np

from recoco import paths, plan
from recoco.config import load_config
from recoco.errors import RecocoError
from recoco.schema import nearest
from recoco.store import read_json


def table(head: list[str], rows: list[list], right: set[int] = frozenset()) -> None:
    """Print rows as an aligned table."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        parts = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(parts).rstrip())


def show_plan(papers: list[str] | None, runs: int | None, cores: int | None) -> int:
    """Print the settings that have runs missing and the time they will take."""
    from recoco.estimate import Estimate, in_words

    overrides: dict = {"runs": {"most": runs}} if runs else {}
    if papers:
        overrides["papers"] = papers
    config = load_config(overrides)
    root = paths.root()
    cores = cores or len(os.sched_getaffinity(0))
    estimate = Estimate(config, root, cores)
    settings = plan.settings_of(config)
    rows = [
        [s.dataset, s.weighting, s.slug, settings[s] - missing, missing]
        for s, missing in estimate.runs.items()
    ]
    if rows:
        table(["dataset", "weighting", "method", "done", "to run"], rows, {3, 4})
    total = sum(settings.values())
    print(
        f"{len(settings)} settings, {total} runs in all; missing: "
        f"{sum(estimate.runs.values())} runs in {estimate.blocks} blocks, "
        f"about {in_words(estimate.seconds_left())} on {cores} cores"
    )
    missing = sorted(plan.unreachable(root) & set(plan.datasets_of(config)))
    if missing:
        print(f"unreachable here, so not planned: {', '.join(missing)}")
    return 0


def show_verdict(paper: str | None, cells: bool, only: str | None) -> int:
    """Print verdict counts by table, or every cell."""
    import pandas as pd

    from recoco.compare.verdicts import VERDICTS
    from recoco.report import summary_line

    files = sorted((paths.root() / "results" / "compare").glob(f"{paper or '*'}/cells.csv"))
    if not files:
        raise RecocoError("No results yet: run `make quick` or `make reproduce` first.")
    if only and only not in VERDICTS:
        raise RecocoError(f"Unknown verdict {only!r}: {nearest(only, list(VERDICTS))}")
    frames = [pd.read_csv(path, keep_default_na=False) for path in files]
    everything = pd.concat(frames)
    if cells:
        for row in everything.itertuples():
            if only in (None, row.verdict):
                print(f"{row.verdict:12} {row.cell}: {row.reason}")
    else:
        counted = pd.crosstab([everything["paper"], everything["item"]], everything["verdict"])
        head = ["paper", "item", *(v for v in VERDICTS if v in counted)]
        table(
            head,
            [[*name, *(row[v] for v in head[2:])] for name, row in counted.iterrows()],
            set(range(2, len(head))),
        )
    print(summary_line(frames))
    return 0


def show_datasets() -> int:
    """Print every dataset card with its shape and whether it is at hand."""
    from recoco.datasets import list_cards, load_card
    from recoco.datasets.mirrors import at_hand

    rows = []
    for name in list_cards():
        card = load_card(name)
        known = paths.prepared(name).with_suffix(".json")
        record = read_json(known) if known.is_file() else None
        if record and record["status"] == "ok":
            shape = f"{record['rows']} x {' + '.join(map(str, record['columns']))}"
            state, classes = "prepared", record["classes"]
        else:
            expected = card.get("expected") or {}
            columns = " + ".join(map(str, expected.get("columns", "?")))
            shape, classes = (
                f"{expected.get('rows', '?')} x {columns}",
                expected.get("classes", "?"),
            )
            state = "unreachable" if record else _state(card, at_hand(name))
        rows.append([name, shape, classes, state, ", ".join(card.get("printed_as", {}))])
    table(["dataset", "objects x features", "classes", "state", "papers"], rows, {2})
    return 0


def _state(card: dict, at_hand: bool) -> str:
    from recoco.datasets.own import local_path

    local = (source["files"] for source in card["sources"] if source["kind"] == "local")
    here = any(all(local_path(file["at"]).exists() for file in files) for files in local)
    if at_hand or here or any(source["kind"] == "sklearn" for source in card["sources"]):
        return "at hand"
    elsewhere = any(source["kind"] in ("url", "package") for source in card["sources"])
    return "to be fetched" if elsewhere else "by hand"


def show_methods() -> int:
    """Print every method with its title and reference."""
    from recoco.methods import METHODS, get_method

    for name in sorted(METHODS):
        method = get_method(name)
        print(f"{name:12} {method.title}\n{'':12} {method.reference}")
    return 0


def show_fit(
    method: str,
    dataset: str,
    clusters: int | None,
    weighting: str,
    seed: int,
    starts: int,
    words: int,
) -> int:
    """Fit one method to one dataset and print criterion, scores and top words."""
    from recoco.datasets import load_dataset
    from recoco.graph_weightings import is_graph_weighting
    from recoco.methods import get_method
    from recoco.metrics import score_partitions
    from recoco.run import data_of
    from recoco.weighting import weight

    kind = get_method(method)
    data = load_dataset(dataset)
    graph = is_graph_weighting(weighting)
    matrix = data.X if graph else weight(data.X, weighting)
    estimator = kind(n_clusters=clusters or data.n_classes, n_init=starts, random_state=seed)
    fitted = estimator.fit(data_of(kind, data, weighting))
    print(f"{kind.title} on {dataset} ({matrix.shape[0]} x {matrix.shape[1]}, {weighting})")
    print(f"criterion {fitted.criterion_:.6f} after {fitted.n_iter_} iterations")
    scores = score_partitions(data.labels, np.asarray(fitted.row_labels_)[None, :])
    shown = ("acc", "nmi", "ari", "purity")
    print("  ".join(f"{name} {scores[name][0]:.4f}" for name in shown))
    columns = None if graph else getattr(fitted, "column_labels_", None)
    for k in range(estimator.n_clusters):
        documents = np.flatnonzero(fitted.row_labels_ == k)
        print(f"\nco-cluster {k}: {len(documents)} documents", end="")
        if columns is None:
            print()
            continue
        terms = np.flatnonzero(columns == k)
        mass = np.asarray(matrix[documents].sum(axis=0)).ravel()[terms]
        top = terms[np.argsort(-mass, kind="stable")[:words]]
        named = data.terms[0] if data.terms and data.terms[0] else None
        said = [named[j] if named else f"term {j}" for j in top]
        print(f", {len(terms)} terms\n  {', '.join(said)}")
    return 0


def show_coherence(clusters: str, corpus: str, window: int, stem: bool) -> int:
    """Print the mean PMI of word clusters, one per line of a file, counted in a corpus."""
    from pathlib import Path

    from recoco.coherence import cluster_coherence, count_windows
    from recoco.datasets.texts import TextFiles, shown_progress

    try:
        lines = Path(clusters).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecocoError(f"{clusters} cannot be read ({error}): give a text file.") from None
    listed = [line.lower().split() for line in lines if line.strip()]
    texts = TextFiles(corpus)
    with shown_progress(texts) as progress:
        vocabulary = sorted({word for words in listed for word in words})
        counts = count_windows(texts, vocabulary, window, stem, progress)
    rows = []
    for words in listed:
        found = cluster_coherence(counts, words)
        seen = f"{found.pairs_found} of {found.pairs}"
        rows.append([f"{found.pmi:.3f}", seen, " ".join(words[:8])])
    table(["PMI", "pairs seen", "words"], rows, {0})
    print(f"{counts.documents} documents, {counts.tokens} words, windows of {window}")
    return 0


def show_card(where: str, name: str, options: dict) -> int:
    """Write the card of a dataset of one's own and say what it holds."""
    from recoco.datasets.writing import write_card

    path, card = write_card(where, name, options)
    expected = card["expected"]
    shape = f"{expected['rows']} x {' + '.join(map(str, expected['columns']))}"
    print(f"{path}: {shape}, {expected['classes']} classes, {card['content']}")
    print(f"try it: recoco fit --method coclus --dataset {name}")
    return 0


def show_cocluster(
    folder: str,
    clusters: int | None,
    out: str | None,
    seed: int,
    most_words: int,
    skip_headers: bool,
    stop_words: str | None,
) -> int:
    """Co-cluster a folder of text files, print its topics and say where the report is."""
    from pathlib import Path

    from recoco.cocluster import cocluster_folder
    from recoco.estimate import in_words
    from recoco.steps import Steps

    if seed < 0:
        raise RecocoError(f"--seed is {seed}: give a whole number from 0 on.")
    left_out = frozenset()
    if stop_words:
        try:
            left_out = frozenset(Path(stop_words).read_text(encoding="utf-8").lower().split())
        except (OSError, UnicodeDecodeError) as error:
            raise RecocoError(f"{stop_words} cannot be read ({error}): give a text file.") from None
    steps = Steps()
    try:
        result, where = cocluster_folder(
            folder, out, clusters, seed, most_words, skip_headers, left_out, steps
        )
    finally:
        steps.end()
    found, terms = result.found, result.texts.terms
    print(
        f"{len(result.texts.files)} documents, {len(terms)} words: {found.n_clusters} co-clusters "
        f"in {in_words(result.seconds)}; halves of the ensemble agree to "
        f"{found.agreement.mean():.2f}"
    )
    rows = []
    for k, topic in enumerate(result.topics):
        said = " ".join(terms[j] for j in topic.top[:8])
        figures = f"{topic.npmi:.2f}", f"{found.stability[k]:.2f}"
        rows.append([k + 1, topic.documents, *figures, said])
    table(["#", "documents", "NPMI", "stability", "top words"], rows, {0, 1, 2, 3})
    print(f"report: {(where / 'index.html').resolve()}")
    return 0


def show_reference(
    save: bool = False, check: bool = False, render: bool = False, site: str | None = None
) -> int:
    """Write the reference run, make its tables again, or say how the results here agree with it."""
    from recoco.reference import again, agreement, saving

    root = paths.root()
    if site:
        print(f"report of the reference: {again.write_site(root, Path(site).resolve())}")
        return 0
    if save or render:
        folder = saving.save(root) if save else again.render(root)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        print(f"reference: {folder} ({size / 1e6:.1f} MB)")
        return 0
    if not check:
        return agreement.show_agreement(root)
    problems = again.check(root)
    for line in problems:
        print(f"  {line}")
    print("identical" if not problems else f"NOT identical: {len(problems)} differences")
    return 1 if problems else 0
