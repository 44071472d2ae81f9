"""Analyses of words: the factors of some runs, computed again, and pairs of words in texts."""

import json
from pathlib import Path

from recoco.core.errors import RecocoError


def write_factors(inputs: dict, task: dict, out: Path) -> None:
    """Compute the factors of the first runs of a setting again and write their top words.

    The seeds are those of the runs, so the words belong to the runs whose labels were scored. If
    the method fails, the file contains the reason instead of words.
    """
    import numpy as np

    from recoco.core.files import write_arrays
    from recoco.core.imports import load_class
    from recoco.core.seeds import seeds_of_runs
    from recoco.datasets.dataset import load_prepared
    from recoco.items.words.factors import check_vocabulary, words_of_setting

    prepared, import_path = Path(inputs["data"][0]), task["import_path"]
    shared = getattr(load_class(import_path), "shared_starts", False)
    seeds = seeds_of_runs(task["master_seed"], task["identity"], range(task["runs"]), shared)
    record = {"identity": task["identity"], "status": "ok", "error": ""}
    arrays: dict[str, np.ndarray] = {}
    try:
        arrays = words_of_setting(
            prepared, import_path, task["params"], task["weighting"], seeds, task["top"]
        )
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


def write_coherence(inputs: dict, task: dict, out: Path) -> None:
    """Count pairs of the top words of a dataset's clusters in texts of other datasets.

    ``inputs["words"]`` are files with a ``vocabulary``; the task has the ``dataset``, the cards
    whose raw texts may be used (``corpora``), and ``corpus``, a folder of texts or a Wikipedia
    dump that replaces them. If the texts contain none of the words, as with those of a twin, which
    are invented, nothing is counted.
    """
    from recoco.core.files import read_arrays
    from recoco.datasets.card import load_card
    from recoco.datasets.texts import TextFiles, documents_of, shown_progress
    from recoco.metrics.coherence import NoSharedWord, corpus_for, count_windows, write_counts

    loaded = [read_arrays(path) for path in inputs["words"]]
    vocabulary = sorted({str(w) for arrays in loaded for w in arrays.get("vocabulary", [])})
    corpus, cards = task["corpus"], corpus_for(task["dataset"], task["corpora"])
    if not vocabulary or not (corpus or cards):
        write_counts(out, None, "no texts available")
        return
    try:
        if corpus:
            texts = TextFiles(corpus)
            titles = texts.path.name
            with shown_progress(texts) as progress:
                counts = count_windows(texts, vocabulary, progress=progress)
        else:
            titles = ", ".join(load_card(card)["title"] for card in cards)
            documents = (text for card in cards for text in documents_of(card))
            counts = count_windows(documents, vocabulary)
    except NoSharedWord as error:
        print(f"nothing was counted: {error}")
        write_counts(out, None, "texts without any of the words")
        return
    write_counts(out, counts, titles)
