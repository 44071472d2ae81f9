"""Print plans, verdicts, datasets, methods and the reference run."""

from pathlib import Path

from recoco import plan
from recoco.config import Config, load_config
from recoco.config.papers import use_folder
from recoco.config.schema import nearest
from recoco.core import paths
from recoco.core.errors import NoResults, RecocoError
from recoco.core.files import read_json
from recoco.core.processes import cores_here


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


def show_plan(
    papers: list[str] | None, runs: int | None, cores: int | None, resources: bool
) -> int:
    """Print the settings with missing runs and how long these will take."""
    if resources:
        from recoco.cli.show_needs import show_resources

        return show_resources(papers, runs)
    from recoco.plan.estimate import Estimate, in_words

    config = planned_config(papers, runs)
    root = paths.root()
    cores = cores or cores_here()
    estimate = Estimate(config, root, cores)
    settings = plan.settings_of(config)
    rows = [
        [s.dataset, s.weighting, s.slug, settings[s] - missing, missing]
        for s, missing in estimate.runs.items()
    ]
    if rows:
        table(["dataset", "weighting", "method", "done", "to run"], rows, {3, 4})
    first = Estimate(planned_config(papers, runs, first_only=True), root, cores)
    early = f" (first pass: {in_words(first.seconds_left())})" if first.blocks else ""
    print(
        f"{len(settings)} settings, {sum(settings.values())} runs in total; to do: "
        f"{sum(estimate.runs.values())} runs in {estimate.blocks} blocks, "
        f"about {in_words(estimate.seconds_left())} on {cores} cores{early}"
    )
    absent = [name for name in {s.dataset for s in estimate.runs} if _to_be_fetched(name, root)]
    if absent:
        share = estimate.computing_on(absent) / estimate.computing
        print(
            f"{share:.0%} of that is for datasets that must still be fetched and may turn out to "
            f"be unreachable: {', '.join(sorted(absent))}"
        )
    missing = sorted(plan.missing(config, root) & set(plan.datasets_of(config)))
    if missing:
        print(f"unreachable, so not planned: {', '.join(missing)}")
    return 0


def planned_config(papers: list[str] | None, runs: int | None, **more) -> Config:
    """Return the configuration with the papers and the number of runs that the user asked for."""
    overrides: dict = {"runs": {"most": runs, **more} if runs else more}
    if papers:
        overrides["papers"] = papers
    return load_config(overrides)


def _to_be_fetched(dataset: str, root: Path) -> bool:
    from recoco.datasets.mirrors import at_hand

    record = root / "resources" / "prepared" / f"{dataset}.json"
    return not record.is_file() and not at_hand(dataset)


def show_verdict(paper: str | None, cells: bool, only: str | None) -> int:
    """Print the number of cells per verdict and table, or every cell."""
    import pandas as pd

    from recoco.archive import reference
    from recoco.compare.verdicts import COMPARED
    from recoco.report import overlay
    from recoco.report.verdicts import summary_line

    root = paths.root()
    paper = use_folder(paper) if paper else "*"
    files = sorted((root / "results" / "compare").glob(f"{paper}/cells.csv"))
    if not files:
        raise NoResults
    if only and only not in COMPARED:
        raise RecocoError(f"Unknown verdict {only!r}: {nearest(only, COMPARED)}")
    frames = {p.parent.name: pd.read_csv(p, dtype=str, keep_default_na=False) for p in files}
    rows = {key: frame.to_dict("records") for key, frame in frames.items()}
    known = overlay.known_cells(root, rows)
    everything = pd.concat(frames.values())
    if cells:
        for row in everything.itertuples():
            if only in (None, row.verdict):
                cause = f"{row.cause}; " if row.cause else ""
                print(f"{row.verdict:12} {row.cell}: {cause}{row.reason}")
                if row.cell in known:
                    print(f"{'':12} {overlay.line(known[row.cell])}")
    else:
        counted = pd.crosstab([everything["paper"], everything["item"]], everything["verdict"])
        head = ["paper", "item", *(v for v in COMPARED if v in counted)]
        table(
            head,
            [[*name, *(row[v] for v in head[2:])] for name, row in counted.iterrows()],
            set(range(2, len(head))),
        )
    print(summary_line(frames.values()))
    if reference.is_there(root):
        print(overlay.sentence(rows, known))
    return 0


def show_datasets() -> int:
    """Print every dataset with its shape and whether it is available."""
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
            state = record["status"] if record else _state(card, at_hand(name))
        rows.append([name, shape, classes, state, ", ".join(card["printed_as"])])
    table(["dataset", "objects x features", "classes", "state", "papers"], rows, {2})
    return 0


def _state(card: dict, at_hand: bool) -> str:
    from recoco.datasets.local import is_at_hand

    here = any(is_at_hand(source) for source in card["sources"] if source["kind"] == "local")
    if at_hand or here or any(source["kind"] == "sklearn" for source in card["sources"]):
        return "available"
    elsewhere = any(source["kind"] in ("url", "package") for source in card["sources"])
    return "to download" if elsewhere else "get by hand"


def show_methods() -> int:
    """Print every method with its title and reference."""
    from recoco.methods import METHODS, get_method

    for name in sorted(METHODS):
        method = get_method(name)
        print(f"{name:12} {method.title}\n{'':12} {method.reference}")
    return 0


def show_card(where: str, name: str, **options) -> int:
    """Write the card of a user's dataset and print what it contains."""
    from recoco.datasets.writing import write_card

    path, card = write_card(where, name, {k: v for k, v in options.items() if v})
    expected = card["expected"]
    shape = f"{expected['rows']} x {' + '.join(map(str, expected['columns']))}"
    print(f"{path}: {shape}, {expected['classes']} classes, {card['content']}")
    if "notes" in card:
        print(card["notes"])
    print(f"try it: recoco fit --method coclus --dataset {name}")
    return 0


def show_reference(
    save: bool = False, check: bool = False, render: bool = False, site: str | None = None
) -> int:
    """Save the reference run, check it, render it, or compare the results here with it."""
    from recoco.archive.reference import again, agreement, saving

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
