"""The page of the reference that a visitor of the repository sees first."""

from pathlib import Path

import pandas as pd

from recoco import reference
from recoco.config import Config
from recoco.report import summary_line


def page_text(config: Config, provenance: dict, folder: Path) -> str:
    """Return the page, with links to the tables and figures that are in ``folder``."""
    frames = [
        pd.read_csv(folder / reference.DATA / f"{key}_cells.csv", dtype=str, keep_default_na=False)
        for key in config.papers
    ]
    lines = [
        "# The reference run",
        "",
        "What `make reproduce` gave once, written by `make reference`; nothing here is edited by "
        "hand.",
        "",
        f"- {provenance['runs']}",
        f"- {provenance['data_mode']}",
        f"- Commit `{provenance['commit']}`; hashes of data, code and cells are in "
        f"[{reference.RECEIPT}]({reference.RECEIPT}).",
        "",
        f"**{summary_line(frames)}**",
        "",
        f"![The verdict map: a square for every printed number]({reference.MAP})",
        "",
    ]
    if (folder / reference.RANKS).is_file():
        lines += [f"![Mean ranks of the methods with critical differences]({reference.RANKS})", ""]
    for key, paper in config.papers.items():
        lines += [
            f"## {paper['title']}",
            "",
            f"{paper['authors']}. {paper['venue']} {paper['year']}.",
            "",
        ]
        for item, block in paper["items"].items():
            places = {
                "table": f"{reference.TABLES}/{key}_{item}.md",
                "CSV": f"{reference.TABLES}/{key}_{item}.csv",
                "figure": f"{reference.FIGURES}/{key}_{item}.svg",
            }
            links = [f"[{n}]({p})" for n, p in places.items() if (folder / p).is_file()]
            if links:
                lines.append(f"- {block['title']}: {', '.join(links)}")
        data = [p.name for p in sorted((folder / reference.DATA).glob(f"{key}_*.csv"))]
        links = ", ".join(f"[{name}]({reference.DATA}/{name})" for name in data)
        lines += [f"- data: {links}", ""]
    return "\n".join(lines)
