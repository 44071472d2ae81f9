"""Stages consensus and score: from the labels of all runs to one table per dataset."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco.consensus import medoid
from recoco.core.errors import RecocoError
from recoco.core.files import atomic, read_arrays, write_arrays
from recoco.core.texts import printable
from recoco.datasets.dataset import load_prepared
from recoco.metrics import METRICS, score_partitions


@dataclass
class SettingRuns:
    """The runs of one setting, joined from its blocks."""

    record: dict
    run: np.ndarray
    seeds: list[str]
    status: list[str]
    errors: list[str]
    arrays: dict[str, np.ndarray]


def read_setting(blocks: Iterable[Path | str], total: int) -> SettingRuns:
    """Join the blocks of a setting and keep its first ``total`` runs."""
    run, seeds, status, errors, parts = [], [], [], [], []
    record: dict = {}
    for path in blocks:
        arrays = read_arrays(path)
        record = json.loads(str(arrays.pop("record")))
        record["error"] = printable(record["error"])  # whatever a method may have said
        keep = arrays["run"] < total
        run.append(arrays.pop("run")[keep])
        seeds += [s for s, k in zip(record.pop("seeds"), keep, strict=True) if k]
        status += [record["status"]] * int(keep.sum())
        errors += [record["error"]] * int(keep.sum())
        if arrays:
            parts.append({name: values[keep] for name, values in arrays.items()})
    joined = {
        name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())
    }
    return SettingRuns(record, np.concatenate(run), seeds, status, errors, joined)


def order_by_criterion(criterion: np.ndarray, larger: bool) -> np.ndarray:
    """Return the places of runs by their criterion, the best first; ties in their own order."""
    return np.argsort(-criterion if larger else criterion, kind="stable")


def best_run(runs: SettingRuns, larger: bool) -> dict[str, np.ndarray]:
    """Return the number of the run with the best criterion, as ``run``, and its arrays."""
    best = order_by_criterion(runs.arrays["criterion"], larger)[0]
    computed = runs.run[np.array(runs.status) == "ok"]  # other runs have no arrays
    return {"run": computed[best], **{name: a[best] for name, a in runs.arrays.items()}}


def best_runs(blocks, total: int, larger: bool, top: int) -> np.ndarray | None:
    """Return the labels (runs, n) of the ``top`` runs by the criterion, the best first."""
    runs = read_setting(blocks, total)
    if "row_labels" not in runs.arrays:
        return None
    order = order_by_criterion(runs.arrays["criterion"], larger)
    return runs.arrays["row_labels"][order[:top]].astype(np.int64)


def consensus_of_dataset(settings: dict[str, tuple[list[Path | str], int]], out: Path) -> None:
    """Write the medoid partition of the runs of every setting and its record."""
    arrays, records = {}, {}
    for name, (blocks, total) in settings.items():
        runs = read_setting(blocks, total)
        if "row_labels" not in runs.arrays:
            continue
        labels = runs.arrays["row_labels"]
        index, agreement = medoid(labels)
        key = f"labels{len(records)}"
        arrays[key] = labels[index]
        records[name] = {
            "labels": key,
            "kind": "medoid",
            "runs": len(labels),
            "chosen_run": int(index),
            "mean_agreement": agreement,
        }
    arrays["records"] = np.array(json.dumps(records, sort_keys=True))
    write_arrays(out, arrays)


def score_dataset(
    prepared: Path,
    consensus: Path,
    settings: dict[str, tuple[list[Path | str], int]],
    out: Path,
) -> None:
    """Score every run and every consensus partition of a dataset against its classes."""
    import pandas as pd

    try:
        truth = load_prepared(prepared).labels
    except RecocoError:
        truth = None
    frames = []
    for name, (blocks, total) in settings.items():
        dataset, weighting, slug = name.split("/")
        runs = read_setting(blocks, total)
        frame = pd.DataFrame({"run": runs.run.astype(int), "seed": runs.seeds})
        frame["status"], frame["error"] = runs.status, runs.errors
        frame.insert(0, "dataset", dataset)
        frame.insert(1, "weighting", weighting)
        frame.insert(2, "method", runs.record["method"])
        frame.insert(3, "slug", slug)
        frame.insert(4, "params", json.dumps(runs.record["params"], sort_keys=True))
        if runs.arrays and truth is not None:
            scored = frame["status"] == "ok"
            scores = score_partitions(truth, runs.arrays["row_labels"])
            frame.loc[scored, "criterion"] = runs.arrays["criterion"]
            frame.loc[scored, "n_iter"] = runs.arrays["n_iter"]
            for metric in (*METRICS, "n_clusters"):
                frame.loc[scored, metric] = scores[metric]
            frame.loc[scored, "details"] = _details(runs.arrays, truth)
            if runs.record["n_clusters"] is not None:  # else the method chooses its number
                short = scored & (frame["n_clusters"] < runs.record["n_clusters"])
                frame.loc[short, "status"] = "degenerate"
        frames.append(frame.assign(kind="run"))
    if truth is not None:
        frames.append(_score_consensus(consensus, truth))
    columns = [
        *("dataset", "weighting", "method", "slug", "params", "kind", "run", "seed", "status"),
        *("error", "criterion", "n_iter", "n_clusters", "mean_agreement", *METRICS, "details"),
    ]
    table = pd.concat(frames, ignore_index=True).reindex(columns=columns)
    with atomic(out) as stream:
        table.to_parquet(stream, index=False)


def _details(arrays: dict[str, np.ndarray], truth: np.ndarray) -> list[str]:
    """Return the details that a method reported for each run, as JSON.

    Other partitions of the rows, named ``part_NAME`` and of shape (runs, n) or (runs, T, n), are
    replaced by their scores.
    """
    details = {}
    for name, values in arrays.items():
        if name.startswith("detail_part_"):
            details[name.removeprefix("detail_part_")] = _score_parts(values, truth)
        elif name.startswith("detail_"):
            details[name.removeprefix("detail_")] = values.tolist()
    runs = len(arrays["row_labels"])
    return [json.dumps({name: values[r] for name, values in details.items()}) for r in range(runs)]


def _score_parts(labels: np.ndarray, truth: np.ndarray) -> list[dict]:
    scores = score_partitions(truth, labels.reshape(-1, labels.shape[-1]))
    shaped = {
        metric: np.reshape(scores[metric], labels.shape[:-1]).tolist()
        for metric in (*METRICS, "n_clusters")
    }
    return [{metric: shaped[metric][r] for metric in shaped} for r in range(len(labels))]


def _score_consensus(consensus: Path, truth: np.ndarray):
    import pandas as pd

    arrays = read_arrays(consensus)
    rows = []
    for name, record in json.loads(str(arrays["records"])).items():
        dataset, weighting, slug = name.split("/")
        scores = score_partitions(truth, arrays[record["labels"]][None, :])
        rows.append(
            {
                "dataset": dataset,
                "weighting": weighting,
                "method": slug.split(",")[0],
                "slug": slug,
                "kind": record["kind"],
                "run": record["runs"],
                "status": "ok",
                "mean_agreement": record["mean_agreement"],
                **{metric: scores[metric][0] for metric in (*METRICS, "n_clusters")},
            }
        )
    return pd.DataFrame(rows)
