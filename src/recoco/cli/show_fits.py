"""Co-cluster texts and measure word clusters from the command line, and print the result."""

from pathlib import Path

from recoco.cli.show import table
from recoco.core.errors import RecocoError


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
