"""Convergence: the objectives of many runs by iteration, on data with planted blocks."""

import importlib
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.items.kind import Analysis, Kind, analysis_path
from recoco.items.properties import METHOD, SIZES
from recoco.plan import import_path, runs_of

# A run is at rest once its indicator stays this close to its last value.
AT_REST = 0.01


class Convergence(Kind):
    name = "convergence"
    about = "The objectives of many runs by iteration, on nested blocks with flipped values."
    schema = {
        "method": METHOD,
        "sizes": SIZES,
        "blocks": {
            "description": "Number of planted blocks of each view.",
            "type": "array",
            "minItems": 1,
            "items": {"type": "integer", "minimum": 1},
        },
        "flips": {
            "description": "Probabilities with which a planted Boolean value is flipped.",
            "type": "array",
            "minItems": 1,
            "items": {"type": "number", "minimum": 0, "exclusiveMaximum": 0.5},
        },
        "iterations": {
            "description": "Iterations that are followed.",
            "type": "integer",
            "minimum": 1,
        },
        "points": {
            "description": "How many iterations are recorded.",
            "type": "integer",
            "minimum": 1,
            "default": 100,
        },
    }
    required = ("method", "sizes", "blocks", "flips", "iterations")
    figures = ("recoco.items.convergence.report",)
    tables = {
        "convergence": [
            *("item", "method", "flip", "iteration", "indicator", "indicator_sd", "n_runs"),
        ],
        "stability": [
            *("item", "method", "flip", "n_runs", "limit", "rest_mean", "rest_most", "last"),
            *("last_sd", "taus", "taus_sd", "planted"),
        ],
    }
    drawing = "convergence_curves"
    steps = {"convergence": "Follow a method on planted blocks."}

    def check(self, items, name, where):
        sizes = items[name]["sizes"]
        if list in map(type, sizes.values()) or sizes["views"] != len(items[name]["blocks"]):
            raise RecocoError(
                f"{where}: an item of kind convergence has one size, and a number of blocks for "
                "each of its views: correct sizes or blocks."
            )

    def analyses(self, plan, paper):
        config = plan.config
        for name, item in plan.items(paper, self.name):
            if not plan.wanted(item, analysis_path(paper, "convergence", f"{name}.json")):
                continue
            located = import_path(config, item["method"])
            keys = ("sizes", "blocks", "flips", "iterations", "points")
            yield Analysis(
                *(paper, "convergence", f"{name}.json", write_convergence),
                task={
                    "identity": f"{paper}/{name}",
                    "import_path": located,
                    **{key: item[key] for key in keys},
                    "runs": runs_of(config, config.papers[paper], item),
                    "master_seed": config.master_seed,
                },
                # the function that records the objectives is in the module of the class
                code=(located.split(":")[0],),
            )

    def rows(self, comparison, name, item):
        return compare_convergence(comparison, name, item)

    def table(self, material, paper, name):
        from recoco.items.convergence.report import convergence_table

        return convergence_table(material, paper, name)


def write_convergence(inputs: dict, task: dict, out: Path) -> None:
    """Follow the objectives of many runs on nested blocks with flipped values.

    The objectives of all runs at all recorded iterations are scaled to [0, 1]. The indicator of a
    run is the hypervolume by which their non-dominated front exceeds it, at each iteration
    (Section 5.4 of the CoStar paper).
    """
    import numpy as np

    from recoco.core.files import write_json
    from recoco.core.seeds import generator_of, seeds_of_runs
    from recoco.datasets.boolean import nested_blocks
    from recoco.metrics.hypervolume import hypervolume_difference, non_dominated
    from recoco.metrics.tau import taus

    import_path, master_seed = task["import_path"], task["master_seed"]
    module = importlib.import_module(import_path.split(":")[0])
    if not hasattr(module, "trajectory"):
        raise RecocoError(
            f"{import_path} does not record its objectives by iteration: take CoStar."
        )
    sizes, blocks, runs = task["sizes"], task["blocks"], task["runs"]
    iterations = task["iterations"]
    flips = []
    for flip in task["flips"]:
        identity = f"{task['identity']} flip={flip:g}"
        drawn = int(generator_of(master_seed, identity).integers(2**32))
        views, labels = nested_blocks(sizes["objects"], sizes["features"], blocks, flip, drawn)
        seeds = seeds_of_runs(master_seed, identity, range(runs), False)
        every = max(1, iterations // task["points"])
        traced = [module.trajectory(views, seed, iterations, every) for seed in seeds]
        at = traced[0][0]
        values = np.array([trace[1] for trace in traced])  # runs, iterations, objectives
        low, high = values.min(axis=(0, 1)), values.max(axis=(0, 1))
        scaled = (values - low) / np.where(high > low, high - low, 1.0)
        front = non_dominated(scaled.reshape(-1, scaled.shape[-1]))
        # rounding removes differences that are only errors of summation
        apart = hypervolume_difference(scaled, front).round(12)
        finest = labels[int(np.argmax(blocks))][0]
        flips.append(
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
    write_json(out, {"runs": runs, "limit": iterations, "flips": flips})


def _rests(curve) -> int:
    """Return the first place from which a curve stays close to its end."""
    import numpy as np

    away = np.flatnonzero(np.abs(curve - curve[-1]) > AT_REST)
    return int(away[-1]) + 1 if away.size else 0


def compare_convergence(comparison, name: str, item: dict) -> dict[str, list[dict]]:
    """Return the curve of every share of flipped values, and when and where it comes to rest."""
    import numpy as np

    from recoco.core.files import read_json

    path = analysis_path(comparison.key, "convergence", f"{name}.json")
    out: dict[str, list[dict]] = {"convergence": [], "stability": []}
    if path not in comparison.analyses:
        return out
    written = read_json(path)
    for one in written["flips"]:
        same = {"item": name, "method": item["method"], "flip": one["flip"]}
        same["n_runs"] = written["runs"]
        spread = one["indicator_sd"] or [None] * len(one["indicator"])
        out["convergence"] += [
            {**same, "iteration": at, "indicator": value, "indicator_sd": sd}
            for at, value, sd in zip(one["iterations"], one["indicator"], spread, strict=True)
        ]
        out["stability"].append(
            {
                **same,
                "limit": written["limit"],
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


KIND = Convergence()
