"""Speed as ratios, everything that is compared measured in one run on one machine.

``python -m benchmarks [--out FOLDER] [--quick] [--only SECTION]`` writes bench.json, bench.md
and pictures, and prints the tables; with ``--scale`` matrices of up to 10^8 non-zeros are measured
instead, into scale.json, scale.md and scale.svg.
"""

import argparse
import platform
from importlib import import_module
from pathlib import Path

from recoco.core import paths
from recoco.core.files import write_json, write_text

# A section is a module with ``measure(repetitions) -> dict`` and ``markdown(dict) -> str``, and
# perhaps ``targets(dict) -> list[Target]`` and ``chart(dict, path)``.
SECTIONS = (
    "coclus",
    "spectral",
    "ebco",
    "nmf",
    "spherical",
    "factors",
    "vectors",
    "tsplbm",
    "blocks",
    "costar",
    "consensus",
    "scores",
    "words",
    "workflow",
    "limits",
    "growth",
    "firstuse",
)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=None, help="default: reports/bench")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="only this section")
    parser.add_argument("--scale", action="store_true", help="up to 10^8 non-zeros, on disk")
    options = parser.parse_args(arguments)
    stem = "scale" if options.scale else "bench"
    out = options.out or paths.root() / "reports" / "bench"
    results, texts, targets = {"machine": _machine()}, [], []
    for name in [stem] if options.scale else options.only or SECTIONS:
        section = import_module(f"benchmarks.{name}")
        print(f"measuring {name} ...", flush=True)
        results[name] = section.measure(repetitions=2 if options.quick else 5)
        texts.append(section.markdown(results[name]))
        if hasattr(section, "targets"):
            targets += section.targets(results[name])
        if hasattr(section, "chart"):
            section.chart(results[name], out / f"{name}.svg")
            texts.append(f"![{name}]({name}.svg)\n")
        # after each section: who stops it keeps what was measured
        table = _write(out, stem, results, texts, targets)
    print(table)
    print(f"Written to {out}")
    return 0


def _write(out: Path, stem: str, results: dict, texts: list[str], targets: list) -> str:
    """Write what there is, the targets first; return the text."""
    if targets:
        from benchmarks.timing import target_chart, target_table

        results["targets"] = [target.as_dict() for target in targets]
        target_chart(targets, out / f"{stem}.svg")
        texts = [target_table(targets), f"![all targets]({stem}.svg)\n", *texts]
    table = "\n".join([_heading(), *texts])
    write_json(out / f"{stem}.json", results)
    write_text(out / f"{stem}.md", table)
    return table


def _heading() -> str:
    machine = _machine()
    return (
        f"# Speed\n\n{machine['cpu']}; Python {machine['python']}, numpy {machine['numpy']}, "
        f"scipy {machine['scipy']}, numba {machine['numba']}.\n"
    )


def _machine() -> dict:
    import numba
    import numpy
    import scipy

    from recoco.report.provenance import machine

    return {
        "cpu": machine()["cpu"],
        "cores": machine()["cores"],
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
    }
