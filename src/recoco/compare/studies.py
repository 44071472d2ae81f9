"""The studies beside the tables, as rows: words of clusters, times, convergence."""

from pathlib import Path

import numpy as np

from recoco.config import Config
from recoco.plan import variant_settings
from recoco.store import read_json
from recoco.study_plan import representatives_path, sizes_of, study_path


def compare_representatives(config: Config, paper: str, item: str, files: list[Path]) -> dict:
    """Return a row per cluster of features, the heaviest of each view first."""
    block, rows = config.papers[paper]["items"][item], []
    at_hand = set(files)
    for setting, details in variant_settings(config, block):
        path = representatives_path(setting)
        if path not in at_hand:
            continue
        found = read_json(path)
        same = {"item": item, **details, "method": block["method"]}
        same |= {key: found[key] for key in ("run", "criterion", "row_clusters")}
        places: dict[int, int] = {}
        for cluster in found["clusters"]:
            view = cluster["view"]
            places[view] = places.get(view, 0) + 1
            rows.append(
                {
                    **same,
                    "place": places[view],
                    **{key: cluster[key] for key in ("view", "features", "mass")},
                    "empty_clusters": found["empty_clusters"][view - 1],
                    "words": " ".join(cluster["names"][: block.get("top", 10)]),
                    "losses": " ".join(f"{v:.3g}" for v in cluster["losses"]),
                }
            )
    return {"representatives": rows}


def compare_scaling(config: Config, paper: str, item: str, files: list[Path]) -> dict:
    """Return the seconds of every size with the slope of each curve on logarithmic axes.

    A slope of 1 is a time that grows in proportion. The number of iterations may grow as well,
    so the slopes of the time of one iteration and of their number stand beside it.
    """
    block, path = config.papers[paper]["items"][item], study_path("scaling", paper, item)
    if path not in set(files):
        return {"scaling": []}
    along = block["along"]
    others = [name for name in block["sizes"] if name != along]
    order = {tuple(size.values()): place for place, size in enumerate(sizes_of(block))}
    curves: dict[tuple[str, str], list[dict]] = {}
    for row in read_json(path):
        if tuple(row[name] for name in block["sizes"]) not in order:
            continue  # of sizes that are no longer asked for
        name = ", ".join(f"{row[other]} {other}" for other in others)
        curves.setdefault((row["variant"], name), []).append(row)
    rows = []
    for (_, curve), points in curves.items():
        at = np.array([p[along] for p in points])
        seconds = np.array([p["seconds"] for p in points])
        steps = np.array([p["n_iter"] for p in points])
        slopes = {
            "slope": _slope(at, seconds),
            "slope_iteration": _slope(at, seconds / steps),
            "slope_n_iter": _slope(at, steps),
        }
        same = {"item": item, "method": block["method"], "along": along, "curve": curve}
        rows += [{**same, **point, **slopes} for point in points]
    return {"scaling": rows}


def _slope(at: np.ndarray, values: np.ndarray) -> float | None:
    if len(at) < 2:
        return None
    return float(np.polyfit(np.log(at), np.log(np.maximum(values, 1e-9)), 1)[0])


def compare_convergence(config: Config, paper: str, item: str, files: list[Path]) -> dict:
    """Return the curve of every share of flipped values, and when and where it comes to rest."""
    path = study_path("convergence", paper, item)
    out: dict[str, list[dict]] = {"convergence": [], "stability": []}
    if path not in set(files):
        return out
    found = read_json(path)
    block = config.papers[paper]["items"][item]
    for one in found["flips"]:
        same = {"item": item, "method": block["method"], "flip": one["flip"]}
        same["n_runs"] = found["runs"]
        spread = one["indicator_sd"] or [None] * len(one["indicator"])
        out["convergence"] += [
            {**same, "iteration": at, "indicator": value, "indicator_sd": sd}
            for at, value, sd in zip(one["iterations"], one["indicator"], spread, strict=True)
        ]
        out["stability"].append(
            {
                **same,
                "limit": found["limit"],
                "rest_mean": float(np.mean(one["rest"])),
                "rest_most": int(np.max(one["rest"])),
                "last": one["indicator"][-1],
                "last_sd": spread[-1],
                **{key: _list(one[key]) for key in ("taus", "taus_sd", "planted")},
            }
        )
    return out


def _list(values) -> str:
    return " ".join(f"{value:.4f}" for value in values)


STUDIES = {
    "representatives": compare_representatives,
    "scaling": compare_scaling,
    "convergence": compare_convergence,
}
