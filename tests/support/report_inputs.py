"""The results of the mini project as arguments of `recoco.report.render`."""

import html
import re
import shutil
import sys
from pathlib import Path

from recoco.report.figures.drawing import Subject, drawings
from recoco.report.inputs import Material, gather
from recoco.report.items import draw, item_table
from support.mini_project import mini_project


def report_inputs(out_dir: Path, papers: tuple[str, ...] = ()) -> dict:
    """Return the inputs of the report, of some papers or of all, as they were computed."""
    return _inputs(mini_project(), out_dir, papers)


def own_inputs(folder: Path, papers: tuple[str, ...] = ()) -> dict:
    """Return the same as a copy in a folder, for a test that changes it."""
    project = mini_project()
    for name in ("config", "results/compare", "results/scores", "resources/prepared"):
        shutil.copytree(project / name, folder / name)
    for name in ("results/provenance.json", "results/timings.csv"):
        shutil.copy(project / name, folder / name)
    return _inputs(folder, folder / "reports", papers)


def gathered(inputs: dict) -> Material:
    """Return what the report reads of its inputs."""
    return gather(**{key: value for key, value in inputs.items() if key != "out_dir"})


def _inputs(project: Path, out_dir: Path, papers: tuple[str, ...]) -> dict:
    if str(mini_project()) not in sys.path:  # where a method of its own lies, as a user's would
        sys.path.append(str(mini_project()))
    results = project / "results"
    folders = sorted(folder for folder in (results / "compare").iterdir() if folder.is_dir())
    return {
        "compare_dirs": {f.name: f for f in folders if not papers or f.name in papers},
        "scores": sorted((results / "scores").glob("*.parquet")),
        "characteristics": sorted((project / "resources" / "prepared").glob("*.json")),
        "provenance": results / "provenance.json",
        "config_dir": project / "config",
        "out_dir": out_dir,
        "timings": results / "timings.csv",
    }


# ---- what a test looks at --------------------------------------------------------------------


def drawn(material: Material, paper: str, item: str):
    """Return the figure of an item."""
    about = material.papers[paper]
    return drawings()[about.items[item]["draw"]](Subject(material, about, item))


def texts(material: Material, paper: str, item: str) -> list[str]:
    """Return the words of a figure, as its SVG file holds them."""
    _, file, _ = draw(material, material.papers[paper], item)
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", file)]


def table_of(material: Material, paper: str, item: str):
    """Return the table of an item."""
    return item_table(material, material.papers[paper], item)


def headings(table) -> list[str]:
    return [" ".join(column.path) for column in table.columns]


def rows_as_text(table) -> list[list[str]]:
    return [[entry.text for entry in row] for row in table.rows]
