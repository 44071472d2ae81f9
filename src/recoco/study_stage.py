"""Studies beside the tables: representative features, times on random data, convergence."""

import importlib
import json
import time
from pathlib import Path

import numpy as np

from recoco.datasets.boolean import nested_blocks, uniform_views
from recoco.datasets.dataset import load_prepared
from recoco.errors import RecocoError
from recoco.methods.loading import load_class
from recoco.metrics.hypervolume import hypervolume_difference, non_dominated
from recoco.metrics.tau import feature_losses, taus
from recoco.seeds import generator_of, seeds_of_runs
from recoco.store import read_arrays, write_json
from recoco.weighting import weight

# A run is at rest from where its indicator stays this close to where it ends.
AT_REST = 0.01


def write_representatives(
    prepared: Path,
    blocks: list[Path],
    total: int,
    place: str,
    weighting: str,
    top: int,
    out: Path,
) -> None:
    """Rank the features of every cluster of the run with the best criterion of the first ones.

    As Section 5.3.4 of the CoStar paper: a feature stands for its cluster the more, the more
    tau_Yk|X falls when it is moved elsewhere. Clusters of empty features are counted only.
    """
    dataset = load_prepared(prepared)
    chosen = _best_run(blocks, total, load_class(place).larger_is_better)
    rows, columns = chosen["row_labels"], chosen["column_labels"]
    clusters, empty, start = [], [], 0
    for number, (X, terms) in enumerate(zip(dataset.views, dataset.terms, strict=True), 1):
        view = weight(X, weighting)
        labels = columns[start : start + view.shape[1]]
        start += view.shape[1]
        mass = np.asarray(view.sum(axis=0)).ravel()
        losses = feature_losses(view, rows, labels)
        filled = [k for k in np.unique(labels) if mass[labels == k].sum() > 0]
        empty.append(len(np.unique(labels)) - len(filled))
        for k in sorted(filled, key=lambda k: -mass[labels == k].sum()):
            members = np.flatnonzero((labels == k) & (mass > 0))
            first = members[np.argsort(-losses[members], kind="stable")][:top]
            clusters.append(
                {
                    "view": number,
                    "features": len(members),
                    "mass": float(mass[members].sum() / mass.sum()),
                    "names": [terms[j] if terms is not None else f"feature {j}" for j in first],
                    "losses": [float(losses[j]) for j in first],
                }
            )
    write_json(
        out,
        {
            "run": int(chosen["run"]),
            "criterion": float(chosen["criterion"]),
            "row_clusters": len(np.unique(rows)),
            "empty_clusters": empty,
            "clusters": clusters,
        },
    )


def _best_run(blocks: list[Path], total: int, larger: bool) -> dict[str, np.ndarray]:
    """Return the arrays of the run with the best criterion, the first of those that tie."""
    best = None
    for path in blocks:
        arrays = read_arrays(path)
        if "column_labels" not in arrays:
            record = json.loads(str(arrays["record"]))
            raise RecocoError(f"{path} has no clusters of features: {record['error'] or 'none'}.")
        signed = np.where(
            arrays["run"] < total, (1 if larger else -1) * arrays["criterion"], -np.inf
        )
        r = int(signed.argmax())
        if best is None or signed[r] > best[0]:
            names = ("run", "criterion", "row_labels", "column_labels")
            best = signed[r], {name: arrays[name][r] for name in names}
    if best is None:
        raise RecocoError("No runs to choose from: run the setting first.")
    return best[1]


def write_scaling(
    name: str,
    place: str,
    variants: dict[str, dict],
    sizes: list[dict[str, int]],
    density: float,
    repeats: int,
    master_seed: int,
    out: Path,
) -> None:
    """Time one run of a method on random Boolean views of every size.

    ``variants`` are parameters by name. Seconds are those of this thread, the best of some
    repetitions: another job on the machine adds little to them.
    """
    kind = load_class(place)
    rows = []
    for place_in_list, size in enumerate([sizes[0], *sizes]):  # the first compiles and warms up
        label = " ".join(f"{key}={value}" for key, value in size.items())
        seed = int(generator_of(master_seed, f"{name} {label}").integers(2**32))
        views = uniform_views(**size, density=density, seed=seed)
        seeds = seeds_of_runs(master_seed, f"{name} {label}", range(repeats), False)
        for variant, params in variants.items():
            seconds = []
            for seed in seeds:
                began = time.thread_time()
                runs = kind(**params).fit_runs(views if kind.views == "many" else views[0], [seed])
                seconds.append(time.thread_time() - began)
            if place_in_list:
                found = {"seconds": min(seconds), "n_iter": int(runs.n_iter[0])}
                rows.append({"variant": variant, **size, **found})
    write_json(out, rows)


def write_convergence(
    name: str,
    place: str,
    *,
    objects: int,
    features: int,
    blocks: list[int],
    flips: list[float],
    iterations: int,
    points: int,
    runs: int,
    master_seed: int,
    out: Path,
) -> None:
    """Follow the objectives of many runs on nested blocks with flipped values.

    The objectives of all runs at all recorded iterations are scaled to [0, 1]; what is kept is
    the hypervolume that the best of them (the non-dominated ones) have over a run, by iteration
    (Section 5.4 of the CoStar paper).
    """
    module = importlib.import_module(place.split(":")[0])
    if not hasattr(module, "trajectory"):
        raise RecocoError(f"{place} does not tell its objectives by iteration: take CoStar.")
    found = []
    for flip in flips:
        identity = f"{name} flip={flip:g}"
        drawn = int(generator_of(master_seed, identity).integers(2**32))
        views, labels = nested_blocks(objects, features, blocks, flip, drawn)
        seeds = seeds_of_runs(master_seed, identity, range(runs), False)
        every = max(1, iterations // points)
        traced = [module.trajectory(views, seed, iterations, every) for seed in seeds]
        at = traced[0][0]
        values = np.array([trace[1] for trace in traced])  # runs, iterations, objectives
        low, high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
        scaled = (values - low) / np.where(high > low, high - low, 1.0)
        front = non_dominated(scaled.reshape(-1, scaled.shape[-1]))
        # Rounding errors of a sum are no distance from the front.
        apart = hypervolume_difference(scaled, front).round(12)
        finest = labels[int(np.argmax(blocks))][0]
        found.append(
            {
                "flip": flip,
                "iterations": at.tolist(),
                "indicator": apart.mean(axis=0).tolist(),
                "indicator_sd": apart.std(axis=0, ddof=1).tolist() if runs > 1 else None,
                "rest": [int(at[_rests(curve)]) for curve in apart],
                "taus": values[:, -1].mean(axis=0).tolist(),
                "taus_sd": values[:, -1].std(axis=0).tolist(),
                "planted": taus(views, finest, [columns for _, columns in labels]).tolist(),
            }
        )
    write_json(out, {"runs": runs, "limit": iterations, "flips": found})


def _rests(curve: np.ndarray) -> int:
    """Return the first place from which a curve stays close to its end."""
    away = np.flatnonzero(np.abs(curve - curve[-1]) > AT_REST)
    return int(away[-1]) + 1 if away.size else 0
