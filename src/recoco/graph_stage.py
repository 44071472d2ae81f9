"""Stages behind the items about graphs: consensus of the best runs, topics of the best run."""

from pathlib import Path

import numpy as np

from recoco.consensus.graphs import graph_consensus
from recoco.correspondence import correspondence_analysis
from recoco.datasets.dataset import load_prepared
from recoco.errors import RecocoError
from recoco.metrics import score_partitions
from recoco.score import read_setting
from recoco.store import write_json


def best_runs(blocks, total: int, larger: bool, top: int) -> np.ndarray | None:
    """Return the labels (runs, n) of the ``top`` runs by the criterion, the best first."""
    runs = read_setting(blocks, total)
    if "row_labels" not in runs.arrays:
        return None
    criterion = runs.arrays["criterion"]
    order = np.argsort(-criterion if larger else criterion, kind="stable")
    return runs.arrays["row_labels"][order[:top]].astype(np.int64)


def write_ensembles(prepared: Path, tasks: list[dict], settings: dict, out: Path) -> None:
    """Write the consensus inside every group of runs and across the groups, for each task.

    Parameters
    ----------
    tasks : list of {item, method, top, groups: {name: setting}}
    settings : setting -> (blocks, runs, whether a larger criterion is better)
    """
    dataset = load_prepared(prepared)
    rows = []
    for task in tasks:
        about = {key: task[key] for key in ("paper", "item", "method")}
        found = {}
        for group, name in task["groups"].items():
            if name not in settings:
                continue
            labels = best_runs(*settings[name], task["top"])
            if labels is None:
                continue
            row, found[group] = _consensus(labels, dataset)
            rows.append({**about, "level": group, **row})
        if len(found) > 1:
            row, _ = _consensus(np.array(list(found.values())), dataset)
            rows.append({**about, "level": "across", **row})
    write_json(out, rows)


def _consensus(labels: np.ndarray, dataset) -> tuple[dict, np.ndarray]:
    """Return the consensus of partitions with its scores, beside those of its inputs."""
    inputs = score_partitions(dataset.labels, labels)
    try:
        found = graph_consensus(labels, dataset.n_classes)
    except RecocoError as error:
        # such as runs that all ended in one cluster: there is nothing to cut
        row = {"function": "", "error": str(error)}
        best = labels[0]
    else:
        row = {"function": found.method, "error": "", "agreement": found.agreement[found.method]}
        best = found.labels
    scores = score_partitions(dataset.labels, np.asarray(best)[None, :])
    return row | {
        "partitions": len(labels),
        "nmi": float(scores["nmi"][0]),
        "acc": float(scores["acc"][0]),
        "first_nmi": float(inputs["nmi"][0]),
        "mean_nmi": float(inputs["nmi"].mean()),
    }, np.asarray(best)


def write_topics(prepared: Path, tasks: list[dict], settings: dict, out: Path) -> None:
    """Write topics and features on the first two axes of a correspondence analysis.

    The table is topics by features: how many objects of a topic have a feature, the topics being
    the clusters of the run with the best criterion. Shown are the features that contribute most
    to the two axes, and the share of each topic's objects that have them.
    """
    dataset = load_prepared(prepared)
    rows = []
    for task in tasks:
        labels = best_runs(*settings[task["setting"]], 1) if task["setting"] in settings else None
        if labels is not None:
            about = {key: task[key] for key in ("paper", "item")}
            rows += [about | row for row in _topics(dataset, labels[0], task)]
    write_json(out, rows)


def _topics(dataset, labels: np.ndarray, task: dict):
    view, terms = dataset.views[task["view"] - 1], dataset.terms[task["view"] - 1]
    topics, sizes = np.unique(labels, return_counts=True)
    table = np.stack([np.asarray((view[labels == t] > 0).sum(axis=0)).ravel() for t in topics])
    used = np.flatnonzero(table.sum(axis=0))
    found = correspondence_analysis(table[:, used])
    names = [_name(dataset, labels == t) for t in topics]
    shares = found.inertia.tolist()
    for k, name in enumerate(names):
        x, y = _pair(found.rows[k])
        yield {"part": "topic", "topic": k + 1, "name": name, "x": x, "y": y} | {
            "value": int(sizes[k]),
            "inertia": shares,
        }
    # what a feature adds to the two axes, each by its share of the inertia
    contribution = found.contributions @ found.inertia / found.inertia.sum()
    order = np.argsort(-contribution, kind="stable")[: task["top"]]
    for j in order:
        column = used[j]
        name = terms[column] if terms else f"feature {column + 1}"
        x, y = _pair(found.columns[j])
        yield {"part": "term", "topic": None, "name": name, "x": x, "y": y} | {
            "value": float(contribution[j]),
            "inertia": shares,
        }
        for k in range(len(topics)):
            yield {"part": "count", "topic": k + 1, "name": name, "x": None, "y": None} | {
                "value": float(table[k, column] / sizes[k]),
                "inertia": shares,
            }


def _pair(point) -> tuple[float, float]:
    """Return two coordinates; two topics have one axis only."""
    return float(point[0]), float(point[1]) if len(point) > 1 else 0.0


def _name(dataset, members: np.ndarray) -> str:
    counts = np.bincount(dataset.labels[members], minlength=dataset.n_classes)
    return f"{dataset.class_names[counts.argmax()]} ({100 * counts.max() / counts.sum():.0f} %)"
