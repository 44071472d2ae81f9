"""The stages about words: factors of some runs, pairs counted in texts, full word matrices."""

import json
from pathlib import Path

import numpy as np

from recoco.coherence import check_vocabulary, corpus_for, count_windows, write_counts
from recoco.cooccurrence import COUNTS, sppmi
from recoco.datasets.card import load_card
from recoco.datasets.dataset import load_prepared
from recoco.datasets.texts import TextFiles, documents_of, shown_progress
from recoco.errors import RecocoError
from recoco.methods.loading import load_class
from recoco.seeds import seeds_of_runs
from recoco.store import read_arrays, write_arrays, write_json
from recoco.weighting import weight
from recoco.words import words_of_setting


def write_words(
    prepared: Path,
    out: Path,
    *,
    identity: str,
    place: str,
    params: dict,
    weighting: str,
    runs: int,
    top: int,
    master_seed: int,
) -> None:
    """Compute the factors of the first runs of a setting again and keep what shows of words.

    The seeds are those of the runs themselves, so the words belong to the very runs whose
    labels were scored. A method that cannot do it leaves the reason in place of the words.
    """
    shared = getattr(load_class(place), "shared_starts", False)
    seeds = seeds_of_runs(master_seed, identity, range(runs), shared)
    record = {"identity": identity, "status": "ok", "error": ""}
    arrays: dict[str, np.ndarray] = {}
    try:
        arrays = words_of_setting(prepared, place, params, weighting, seeds, top)
    except (RecocoError, ArithmeticError, ValueError) as error:
        record.update(status="failed", error=f"{type(error).__name__}: {error}")
    else:
        dataset = load_prepared(prepared)
        if dataset.terms[0] is not None:
            terms = check_vocabulary(dataset.terms[0], dataset.X.shape[1])
            used, places = np.unique(arrays["top_words"], return_inverse=True)
            arrays["top_words"] = places.reshape(arrays["top_words"].shape).astype(np.int32)
            arrays["vocabulary"] = np.array([terms[j] for j in used], dtype=str)
    arrays["record"] = np.array(json.dumps(record, sort_keys=True))
    write_arrays(out, arrays)


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
