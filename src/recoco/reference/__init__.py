"""The reference run: what a full reproduction gave, small enough to be part of the repository."""

from pathlib import Path

# Below the folder of reports.
TABLES, FIGURES, DATA = "tables", "figures", "data"
SCORES, FINDINGS, RECEIPT, PROVENANCE = (
    "scores.parquet",
    "findings.zip",
    "receipt.txt",
    "provenance.json",
)
MAP, RANKS = "verdicts.svg", "ranks.svg"
MOST_BYTES = 20_000_000


def folder_of(root: Path) -> Path:
    return root / "reports" / "reference"


def is_there(root: Path) -> bool:
    return (folder_of(root) / RECEIPT).is_file()
