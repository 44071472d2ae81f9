"""Scaling: times of one run of a method on random data of growing size."""

import itertools
import time
from pathlib import Path

from recoco.items.kind import Analysis, Kind, analysis_path, readings_path
from recoco.items.properties import METHOD, SIZES, VARIANTS
from recoco.plan import import_path, runs_of

_FAILED = "failed: "


class Scaling(Kind):
    name = "scaling"
    about = "Times of one run of a method on random Boolean data of growing size."
    schema = {
        "method": METHOD,
        "variants": VARIANTS,
        "sizes": SIZES,
        "along": {
            "description": "Which of the sizes is on the axis.",
            "enum": ["objects", "features", "views"],
        },
        "density": {
            "description": "Share of ones of random data.",
            "type": "number",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 1,
        },
    }
    required = ("method", "sizes", "along", "density")
    figures = ("recoco.items.scaling.report",)
    tables = {
        "scaling": [
            *("item", "method", "variant", "along", "curve", "objects", "features", "views"),
            *("n_iter", "seconds", "slope", "slope_iteration", "slope_n_iter"),
        ],
    }
    drawing = "scaling_curves"
    steps = {"scaling": "Time a method on random data."}

    def analyses(self, plan, paper):
        config = plan.config
        for name, item in plan.items(paper, self.name):
            if not plan.wanted(item, analysis_path(paper, "scaling", f"{name}.json")):
                continue
            located = import_path(config, item["method"])
            params = config.methods[item["method"]]["params"]
            yield Analysis(
                *(paper, "scaling", f"{name}.json", write_scaling),
                task={
                    "identity": f"{paper}/{name}",
                    "import_path": located,
                    "variants": {v: {**params, **own} for v, own in item["variants"].items()},
                    "sizes": sizes_of(item),
                    "density": item["density"],
                    "runs": runs_of(config, config.papers[paper], item),
                    "master_seed": config.master_seed,
                    "time_limit": config.settings["time_limit"],
                    "memory_limit": config.settings.get("memory_limit"),
                },
                code=(located,),
            )

    def rows(self, comparison, name, item):
        return {"scaling": compare_scaling(comparison, name, item)}

    def table(self, material, paper, name):
        from recoco.items.scaling.report import scaling_table

        return scaling_table(material, paper, name)


def sizes_of(item: dict) -> list[dict[str, int]]:
    """Return every size of random data that an item times a method on, smallest first."""
    sizes = {
        name: value if isinstance(value, list) else [value] for name, value in item["sizes"].items()
    }
    return [dict(zip(sizes, picked, strict=True)) for picked in itertools.product(*sizes.values())]


def write_scaling(inputs: dict, task: dict, out: Path) -> list[float]:
    """Run a method on random Boolean views of every size; return the seconds of each.

    Like a block of runs, this is done in a process of its own. If the method fails there, the only
    row says why.
    """
    from recoco.core.files import write_json
    from recoco.core.limits import call_foreign
    from recoco.core.texts import printable

    fits = (1 + len(task["sizes"])) * len(task["variants"]) * task["runs"]
    ending = call_foreign(lambda: _measure(task), fits * task["time_limit"], task["memory_limit"])
    failed = [{"failed": printable(ending.error)}], []
    rows, taken = ending.value if ending.status == "ok" else failed
    write_json(out, rows)
    return taken


def _measure(task: dict) -> tuple[list[dict], list[float]]:
    """Return a row for each variant and size, and its seconds.

    Seconds are those of this thread, the least of some repetitions, so that other jobs on the
    machine hardly matter.
    """
    from recoco.core.imports import load_class
    from recoco.core.seeds import generator_of, seeds_of_runs
    from recoco.datasets.boolean import uniform_views

    kind, master_seed = load_class(task["import_path"]), task["master_seed"]
    rows, taken = [], []
    for place, size in enumerate([task["sizes"][0], *task["sizes"]]):  # the first one warms up
        label = " ".join(f"{key}={value}" for key, value in size.items())
        identity = f"{task['identity']} {label}"
        seed = int(generator_of(master_seed, identity).integers(2**32))
        views = uniform_views(**size, density=task["density"], seed=seed)
        seeds = seeds_of_runs(master_seed, identity, range(task["runs"]), False)
        for variant, params in task["variants"].items():
            seconds = []
            for seed in seeds:
                began = time.thread_time()
                runs = kind(**params).fit_runs(views if kind.views == "many" else views[0], [seed])
                seconds.append(time.thread_time() - began)
            if place:
                rows.append({"variant": variant, **size, "n_iter": int(runs.n_iter[0])})
                taken.append(min(seconds))
    return rows, taken


def compare_scaling(comparison, name: str, item: dict) -> list[dict]:
    """Return the seconds of every size with the slope of each curve on logarithmic axes.

    A slope of 1 means that the time grows in proportion to the size. The number of iterations may
    grow as well, so there are also slopes of the time of one iteration and of their number.
    """
    import numpy as np

    from recoco.core.files import read_json

    path = analysis_path(comparison.key, "scaling", f"{name}.json")
    if path not in comparison.analyses:
        return []
    along = item["along"]
    others = [name for name in item["sizes"] if name != along]
    order = {tuple(size.values()): place for place, size in enumerate(sizes_of(item))}
    curves: dict[tuple[str, str], list[dict]] = {}
    written = read_json(path)
    if written and "failed" in written[0]:
        reason = f"{_FAILED}{written[0]['failed']}"
        about = {"item": name, "method": item["method"], "along": along}
        return [{**about, "variant": "", "curve": reason}]
    for row, seconds in zip(written, read_json(readings_path(path)), strict=True):
        if tuple(row[name] for name in item["sizes"]) not in order:
            continue  # a size that the item no longer has
        curve = ", ".join(f"{row[other]} {other}" for other in others)
        timed = {**row, "seconds": seconds}
        curves.setdefault((row["variant"], curve), []).append(timed)
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
        same = {"item": name, "method": item["method"], "along": along, "curve": curve}
        rows += [{**same, **point, **slopes} for point in points]
    return rows


def is_failure(curve: str) -> bool:
    """Say whether a row has, in the place of a curve, the reason why there is none."""
    return curve.startswith(_FAILED)


def _slope(at, values) -> float | None:
    import numpy as np

    if len(at) < 2:
        return None
    return float(np.polyfit(np.log(at), np.log(np.maximum(values, 1e-9)), 1)[0])


KIND = Scaling()
