"""The page of the reference that a visitor of the repository sees first."""

from pathlib import Path

import pandas as pd

from recoco.archive import reference
from recoco.config import Config
from recoco.report import summary_line

# Number of methods named as those that took most of the time.
_NAMED = 5


def page_text(
    config: Config, provenance: dict[str, dict], timings: dict[str, pd.DataFrame], folder: Path
) -> str:
    """Return the page, with links to the tables and figures that are in ``folder``.

    Parameters
    ----------
    provenance, timings : those of each paper
    """
    frames = [reference.read_cells(folder, key) for key in config.papers]
    lines = [
        "# The reference run",
        "",
        "What `make reproduce` and `make benchmark` gave once, written by `make reference`; "
        "nothing here is edited by hand. Each part says which commit computed it.",
        "",
        f"**{summary_line(frames)}**",
        "",
        f"![The verdict map: a square for every printed number]({reference.MAP})",
        "",
    ]
    if (folder / reference.RANKS).is_file():
        lines += [f"![Mean ranks of the methods with critical differences]({reference.RANKS})", ""]
    for key, paper in config.papers.items():
        lines += [f"## {paper['title']}", "", *_about(key, paper, provenance[key])]
        lines += _time(timings[key])
        for item, block in paper["items"].items():
            files = {
                "table": f"{reference.TABLES}/{key}_{item}.md",
                "CSV": f"{reference.TABLES}/{key}_{item}.csv",
                "figure": f"{reference.FIGURES}/{key}_{item}.svg",
            }
            links = [f"[{n}]({p})" for n, p in files.items() if (folder / p).is_file()]
            if links:
                lines.append(f"- {block['title']}: {', '.join(links)}")
        data = [p.name for p in sorted((folder / reference.DATA).glob(f"{key}_*.csv"))]
        links = ", ".join(f"[{name}]({reference.DATA}/{name})" for name in data)
        lines += [f"- data: {links}", ""]
    return "\n".join(lines)


def _about(key: str, paper: dict, provenance: dict) -> list[str]:
    """Return the authors of a paper, and what its numbers are based on."""
    who = [paper.get("authors", ""), f"{paper.get('venue', '')} {paper.get('year', '')}".strip()]
    source = ". ".join(part for part in who if part)
    changed = " with uncommitted changes" if provenance["dirty"] else ""
    return [
        *([f"{source}.", ""] if source else []),
        f"- {provenance['runs']}",
        f"- {provenance['data_mode']}",
        f"- Commit `{provenance['commit']}`{changed}; hashes of data, code and cells are in the "
        f"[receipt]({key}/{reference.RECEIPT}).",
    ]


def _time(timings: pd.DataFrame) -> list[str]:
    """Return the computing time of a part, and the methods that took most of it."""
    runs = timings[timings["stage"] == "runs"]
    minutes = runs["computing"].astype(float) / 60
    if not minutes.sum() >= 1:
        return []
    methods = runs["name"].str.split("/").str[2].str.split(",").str[0]
    most = minutes.groupby(methods).sum().sort_values(ascending=False).head(_NAMED)
    named = ", ".join(f"{name} {value:.0f}" for name, value in most.items() if value >= 0.5)
    return [
        f"- Computing: {minutes.sum():.0f} minutes of one core by the clock, "
        f"in {len(runs)} blocks of runs ({named})."
    ]
