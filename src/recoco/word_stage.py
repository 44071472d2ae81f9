"""The stages about words in texts: pairs counted in texts, and how full word matrices are."""

from pathlib import Path

import numpy as np

from recoco.coherence import corpus_for, count_windows, write_counts
from recoco.cooccurrence import COUNTS, sppmi
from recoco.datasets.card import load_card
from recoco.datasets.dataset import load_prepared
from recoco.datasets.texts import TextFiles, documents_of, shown_progress
from recoco.store import read_arrays, write_json
from recoco.weighting import weight


def write_coherence(
    dataset: str, words: list[Path], corpora: list[str], corpus: str | None, out: Path
) -> None:
    """Count the top words of a dataset's clusters in texts that it is not made of.

    Parameters
    ----------
    words : what `write_words` wrote for the dataset
    corpora : cards whose raw texts may serve
    corpus : a folder of texts or a Wikipedia dump of one's own, in place of the cards
    """
    loaded = [read_arrays(path) for path in words]
    vocabulary = sorted({str(w) for arrays in loaded for w in arrays.get("vocabulary", [])})
    cards = corpus_for(dataset, corpora)
    if not vocabulary or not (corpus or cards):
        write_counts(out, None, "no texts at hand")
        return
    if corpus:
        texts = TextFiles(corpus)
        with shown_progress(texts) as progress:
            counts = count_windows(texts, vocabulary, progress=progress)
        write_counts(out, counts, texts.path.name)
        return
    documents = (text for card in cards for text in documents_of(card))
    titles = ", ".join(load_card(card)["title"] for card in cards)
    write_counts(out, count_windows(documents, vocabulary), titles)


def write_densities(prepared: Path, shifts: list[float], out: Path) -> None:
    """Measure how full the word matrix is under every way to count, in percent.

    A larger shift only takes entries away, so one matrix answers for all of them.
    """
    X = load_prepared(prepared).X
    weighted = weight(X, "tfidf-l2")
    cells = X.shape[1] ** 2
    least = min(shifts)
    rows = []
    for count in COUNTS:
        for diagonal in (True, False):
            given = weighted if count == "tfidf" else X
            values = sppmi(given, count, least, diagonal).data
            for shift in shifts:
                kept = np.count_nonzero(values > np.log(shift / least))
                rows.append(
                    {
                        "count": count,
                        "diagonal": diagonal,
                        "shift": shift,
                        "measured": 100 * kept / cells,
                    }
                )
    write_json(out, rows)
