"""The stage words: the factors of some runs again, and what they show of words.

Apart from the other stages about words: what reads texts does not make factors old.
"""

import json
from pathlib import Path

import numpy as np

from recoco.datasets.dataset import load_prepared
from recoco.errors import RecocoError
from recoco.methods.loading import load_class
from recoco.seeds import seeds_of_runs
from recoco.store import write_arrays
from recoco.words import check_vocabulary, words_of_setting


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
