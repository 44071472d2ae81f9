"""The stage behind a leaderboard: consensus of all methods on a dataset, and seconds of runs."""

import time
from pathlib import Path

import numpy as np

from recoco.consensus.blocks import block_consensus
from recoco.consensus.graphs import METHODS
from recoco.datasets.dataset import load_prepared
from recoco.errors import RecocoError
from recoco.methods.base import CoClusterer
from recoco.methods.loading import load_class
from recoco.metrics import score_partitions
from recoco.score import METRICS, read_setting
from recoco.seeds import generator_of
from recoco.store import read_json, write_json

BEST = "best"


def write_fusions(
    prepared: Path, tasks: list[dict], settings: dict, master_seed: int, out: Path, seconds: Path
) -> None:
    """Fuse the methods of every ranking: the r-th runs of all, and the best runs of all.

    Parameters
    ----------
    tasks : list of {paper, item, weighting, functions, fused, members}, as the plan makes them
    settings : setting -> (blocks, runs, whether a larger criterion is better)
    """
    dataset = load_prepared(prepared)
    runs = {name: read_setting(blocks, total) for name, (blocks, total, _) in settings.items()}
    rows, took = [], {name: _seconds(settings[name][0]) for name in settings}
    for task in tasks:
        about = {key: task[key] for key in ("paper", "item", "weighting")}
        found = {
            method: (runs[member["setting"]], member)
            for method, member in task["members"].items()
            if "row_labels" in runs[member["setting"]].arrays
        }
        for chosen in [*range(task["fused"]), BEST]:
            picked = {
                method: _pick(labelled.arrays, chosen, settings[member["setting"]][2])
                for method, (labelled, member) in found.items()
            }
            for function in task["functions"]:
                name = f"{dataset.name} {task['weighting']} {function} {chosen}"
                began = time.perf_counter()
                row = _fuse(function, picked, found, dataset, generator_of(master_seed, name))
                spent = took.setdefault(f"{'/'.join(about.values())}/{function}", [0.0, 0])
                spent[0] += time.perf_counter() - began
                spent[1] += 1
                rows.append({**about, "function": function, "run": str(chosen), **row})
    write_json(out, rows)
    write_json(seconds, took)


def _pick(arrays: dict[str, np.ndarray], chosen, larger: bool) -> tuple:
    """Return row and column labels of one run: by its number, or the best by the criterion."""
    criterion = arrays["criterion"] if larger else -arrays["criterion"]
    at = int(np.argmax(criterion)) if chosen == BEST else chosen % len(criterion)
    columns = arrays.get("column_labels")
    return arrays["row_labels"][at].astype(np.int64), None if columns is None else columns[at]


def _fuse(function: str, picked: dict, found: dict, dataset, rng) -> dict:
    """Return scores of one consensus, or why there is none."""
    used = list(picked)
    if function == "ebco":  # only where rows and columns of one label belong together
        used = [m for m in used if issubclass(load_class(found[m][1]["place"]), CoClusterer)]
        used = [m for m in used if picked[m][1] is not None]
    if len(used) < 2:
        what = "co-clusterings" if function == "ebco" else "methods"
        return {"status": "failed", "error": f"{len(used)} {what} to fuse: at least 2 are needed"}
    rows = [picked[m][0] for m in used]
    try:
        if function == "ebco":
            columns = [picked[m][1].astype(np.int64) for m in used]
            labels = block_consensus(
                rows, columns, dataset.n_classes, empty="allow", random_state=rng
            ).row_labels
        else:
            labels = METHODS[function](rows, dataset.n_classes)
    except RecocoError as error:
        return {"status": "failed", "error": str(error)}
    scores = score_partitions(dataset.labels, np.asarray(labels)[None, :])
    told = {metric: float(scores[metric][0]) for metric in METRICS}
    number = int(scores["n_clusters"][0])
    return {"status": "ok", "error": "", "partitions": len(used), "n_clusters": number, **told}


def _seconds(blocks) -> list[float]:
    """Return the seconds of all blocks of a setting, and how many runs they are."""
    total, runs = 0.0, 0
    for block in blocks:
        path = Path(block).with_suffix(".seconds.json")
        if path.is_file():  # an archive has none
            told = read_json(path)
            total, runs = total + told["seconds"], runs + told["runs"]
    return [total, runs]
