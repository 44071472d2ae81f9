"""Analysis for a leaderboard: the consensus of all methods, and the seconds of their runs."""

import time
from pathlib import Path

import numpy as np

from recoco.consensus.blocks import block_consensus
from recoco.consensus.graphs import METHODS
from recoco.core.errors import RecocoError
from recoco.core.files import read_json, write_json
from recoco.core.imports import load_class
from recoco.core.seeds import generator_of
from recoco.datasets.dataset import load_prepared
from recoco.methods.base import CoClusterer
from recoco.metrics import METRICS, score_partitions
from recoco.runs.scoring import order_by_criterion, read_setting

BEST = "best"


def write_fusions(inputs: dict, task: dict, out: Path) -> dict[str, list]:
    """Fuse the methods of every ranking: the r-th runs of all, and the best runs of all.

    ``task["tasks"]`` is a list of {item, weighting, functions, fused, members}; ``settings`` has
    the blocks and runs of each setting, and whether a larger criterion is better. Returns the
    seconds and the number of runs of every setting and of every function that fuses.
    """
    dataset, settings = load_prepared(Path(inputs["data"][0])), task["settings"]
    runs = {name: read_setting(blocks, total) for name, (blocks, total, _) in settings.items()}
    rows, took = [], {name: _seconds(settings[name][0]) for name in settings}
    for one in task["tasks"]:
        names = {key: one[key] for key in ("item", "weighting")}
        labelled = {
            method: (runs[member["setting"]], member)
            for method, member in one["members"].items()
            if "row_labels" in runs[member["setting"]].arrays
        }
        for chosen in [*range(one["fused"]), BEST]:
            picked = {
                method: _pick(of_method.arrays, chosen, settings[member["setting"]][2])
                for method, (of_method, member) in labelled.items()
            }
            for function in one["functions"]:
                name = f"{dataset.name} {one['weighting']} {function} {chosen}"
                began = time.perf_counter()
                rng = generator_of(task["master_seed"], name)
                row = _fuse(function, picked, one["members"], dataset, rng)
                spent = took.setdefault(f"{'/'.join(names.values())}/{function}", [0.0, 0])
                spent[0] += time.perf_counter() - began
                spent[1] += 1
                rows.append({**names, "function": function, "run": str(chosen), **row})
    write_json(out, rows)
    return took


def _pick(arrays: dict[str, np.ndarray], chosen, larger: bool) -> tuple:
    """Return row and column labels of one run: by its number, or the best by the criterion."""
    order = order_by_criterion(arrays["criterion"], larger)
    at = order[0] if chosen == BEST else chosen % len(order)
    columns = arrays.get("column_labels")
    return arrays["row_labels"][at].astype(np.int64), None if columns is None else columns[at]


def _fuse(function: str, picked: dict, members: dict, dataset, rng) -> dict:
    """Return the scores of one consensus, or the reason why there is none."""
    used = list(picked)
    if function == "ebco":  # only where rows and columns of one label belong together
        used = [m for m in used if issubclass(load_class(members[m]["import_path"]), CoClusterer)]
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
    counts = {"partitions": len(used), "n_clusters": int(scores["n_clusters"][0])}
    values = {metric: float(scores[metric][0]) for metric in METRICS}
    return {"status": "ok", "error": "", **counts, **values}


def _seconds(blocks) -> list[float]:
    """Return the seconds of all blocks of a setting, and the number of their runs."""
    total, runs = 0.0, 0
    for block in blocks:
        path = Path(block).with_suffix(".seconds.json")
        if path.is_file():  # an archive has none
            taken = read_json(path)
            total, runs = total + taken["seconds"], runs + taken["runs"]
    return [total, runs]
