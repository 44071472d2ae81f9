"""Fit methods to data from the command line and print the result."""

import contextlib
import sys
import warnings
from pathlib import Path

import numpy as np

from recoco.cli.show import table
from recoco.core.errors import RecocoError


def show_fit(
    method: str,
    dataset: str | None,
    matrix: str | None,
    clusters: int | None,
    weighting: str,
    seed: int,
    starts: int,
    words: int,
    transpose: bool,
    out: str | None,
) -> int:
    """Fit one method to a dataset and print its criterion, scores and top words.

    A matrix file instead of a dataset is read from disk and may be larger than memory.
    """
    if matrix:
        from recoco.apps.fit_file import show_big_fit

        with _plain_warnings():
            return show_big_fit(method, matrix, clusters, weighting, seed, starts, transpose, out)
    from recoco.datasets import load_dataset
    from recoco.datasets.graph_weightings import is_graph_weighting
    from recoco.datasets.weighting import weight
    from recoco.methods import get_method
    from recoco.metrics import score_partitions
    from recoco.runs.block import data_of

    kind = get_method(method)
    data = load_dataset(dataset)
    graph = is_graph_weighting(weighting)
    weighted = data.X if graph else weight(data.X, weighting)
    estimator = kind(n_clusters=clusters or data.n_classes, n_init=starts, random_state=seed)
    with _plain_warnings():
        fitted = estimator.fit(data_of(kind, data, weighting))
    print(f"{kind.title} on {dataset} ({' x '.join(map(str, weighted.shape))}, {weighting})")
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
        mass = np.asarray(weighted[documents].sum(axis=0)).ravel()[terms]
        top = terms[np.argsort(-mass, kind="stable")[:words]]
        named = data.terms[0] if data.terms and data.terms[0] else None
        words_shown = [named[j] if named else f"term {j}" for j in top]
        print(f", {len(terms)} terms\n  {', '.join(words_shown)}")
    return 0


@contextlib.contextmanager
def _plain_warnings():
    """Print warnings as sentences, without the line of code that caused them."""

    def show(message, *_, **__):
        print(f"recoco: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def show_cocluster(
    folder: str,
    clusters: int | None,
    out: str | None,
    seed: int,
    most_words: int,
    skip_headers: bool,
    stop_words: str | None,
) -> int:
    """Co-cluster a folder of text files; print its topics and the path of the report."""
    from recoco.apps.cocluster import cocluster_folder
    from recoco.core.steps import Steps
    from recoco.plan.estimate import in_words

    if seed < 0:
        raise RecocoError(f"--seed is {seed}: give a whole number of at least 0.")
    left_out = frozenset(_text(stop_words).lower().split() if stop_words else ())
    steps = Steps()
    try:
        result, where = cocluster_folder(
            folder, out, clusters, seed, most_words, skip_headers, left_out, steps
        )
    finally:
        steps.end()
    coclustering, terms = result.coclustering, result.texts.terms
    print(
        f"{len(result.texts.files)} documents, {len(terms)} words: "
        f"{coclustering.n_clusters} co-clusters in {in_words(result.seconds)}; "
        "agreement of half ensembles with the whole: "
        f"{coclustering.agreement.mean():.2f} (ARI)"
    )
    rows = []
    for k, topic in enumerate(result.topics):
        top = " ".join(terms[j] for j in topic.top[:8])
        figures = f"{topic.npmi:.2f}", f"{coclustering.stability[k]:.2f}"
        rows.append([k + 1, topic.documents, *figures, top])
    table(["#", "documents", "NPMI", "stability", "top words"], rows, {0, 1, 2, 3})
    print(f"report: {(where / 'index.html').resolve()}")
    return 0


def show_coherence(clusters: str, corpus: str, window: int, stem: bool) -> int:
    """Print the mean PMI of the word clusters in a file, one per line, counted in a corpus."""
    from recoco.datasets.texts import TextFiles, shown_progress
    from recoco.metrics.coherence import cluster_coherence, count_windows

    listed = [line.lower().split() for line in _text(clusters).splitlines() if line.strip()]
    texts = TextFiles(corpus)
    with shown_progress(texts) as progress:
        vocabulary = sorted({word for words in listed for word in words})
        counts = count_windows(texts, vocabulary, window, stem, progress)
    rows = []
    for words in listed:
        coherence = cluster_coherence(counts, words)
        seen = f"{coherence.pairs_found} of {coherence.pairs}"
        rows.append([f"{coherence.pmi:.3f}", seen, " ".join(words[:8])])
    table(["PMI", "pairs seen", "words"], rows, {0})
    print(f"{counts.documents} documents, {counts.tokens} words, windows of {window}")
    return 0


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecocoError(f"{path} cannot be read ({error}): give a text file.") from None
