"""The reference run: what a full reproduction gave, small enough to be part of the repository.

Each paper is a part of its own, a folder with its scores, findings, receipt and provenance, so
that papers can be run on different days. Tables, figures and pages are made of all parts.
"""

from pathlib import Path

# Below the folder of the reference, made of all parts.
TABLES, FIGURES, DATA = "tables", "figures", "data"
MAP, RANKS = "verdicts.svg", "ranks.svg"
# Below the folder of a part.
SCORES, FINDINGS, RECEIPT, PROVENANCE = (
    "scores.parquet",
    "findings.zip",
    "receipt.txt",
    "provenance.json",
)
MOST_BYTES = 20_000_000


def folder_of(root: Path) -> Path:
    return root / "reports" / "reference"


def parts_of(folder: Path) -> list[str]:
    """Return the papers that a reference has, in the order of their names."""
    return sorted(path.parent.name for path in folder.glob(f"*/{RECEIPT}"))


def is_there(root: Path) -> bool:
    return bool(parts_of(folder_of(root)))


def cells_file(folder: Path, paper: str) -> Path:
    return folder / DATA / f"{paper}_cells.csv"


def read_cells(folder: Path, paper: str):
    """Return the cells of a paper in a reference as text, with the verdicts of this version."""
    import pandas as pd

    from recoco.compare.verdicts import RENAMED

    frame = pd.read_csv(cells_file(folder, paper), dtype=str, keep_default_na=False)
    return frame.replace({"verdict": RENAMED}) if "verdict" in frame else frame
