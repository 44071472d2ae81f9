"""A reference run beside results of which some cells could not be computed."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd

from recoco.archive import reference
from recoco.compare.outputs import MEASURED, OUTPUTS
from recoco.core.files import write_arrays

COMMIT = "c0ffee"
SHA256 = "94989d2c1c884945ae960f173eb2ed1cc078c5eded6786f24d2d717274d767d4"
PRINTED = {
    **{"item": "table2", "dataset": "A", "card": "a", "weighting": "binary", "method": "M"},
    **{"metric": "acc", "printed": "0.9", "printed_sd": "0.01", "printed_note": ""},
}
NUMBERS = {
    **{"measured": "0.905", "measured_sd": "0.012", "ci_low": "0.9", "ci_high": "0.91"},
    **{"n_runs": "100", "tolerance": "0.02", "difference": "0.005", "within": "True"},
    **{"combination": "single", "combination_text": "as printed"},
    **{"verdict": "reproduced", "reason": "0.905 against 0.9 printed."},
}


def row(name: str, **other: str) -> dict[str, str]:
    """Return a row of a ``cells.csv``: a reproduced cell, but for what is given."""
    empty = dict.fromkeys(OUTPUTS["cells"], "")
    return {**empty, **PRINTED, **NUMBERS, "cell": name, "paper": "mini", **other}


def missing(name: str, verdict: str = "unreachable", **other: str) -> dict[str, str]:
    """Return the row of a cell without a number."""
    without = dict.fromkeys(NUMBERS, "") | {"verdict": verdict, "reason": "No file."}
    return row(name, **without, **other)


def write_block(path: Path, labels, start: int = 0) -> Path:
    """Write a block of runs with the given labels."""
    labels = np.asarray(labels, np.uint8)
    runs = range(start, start + len(labels))
    record = {"status": "ok", "error": "", "seeds": [f"{run:032x}" for run in runs]}
    write_arrays(
        path,
        {
            "run": np.array(runs, np.int32),
            "row_labels": labels,
            "record": np.array(json.dumps(record)),
        },
    )
    return path


def score_table(dataset: str, n_runs: int) -> pd.DataFrame:
    """Return the scores of some runs and of their consensus, as the stage score writes them."""
    seeds = [hashlib.sha256(f"{dataset}{run}".encode()).hexdigest()[:32] for run in range(n_runs)]
    runs = pd.DataFrame({"run": range(n_runs), "seed": seeds, "kind": "run", "nmi": 1 / 3})
    runs["details"] = '{"start": 0}'
    medoid = pd.DataFrame({"run": [n_runs], "kind": ["medoid"], "nmi": [0.5]})
    frame = pd.concat([runs, medoid], ignore_index=True)
    return frame.assign(dataset=dataset, weighting="count", slug="coclus", params="{}")


def write_cells(path: Path, rows: list[dict]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows, columns=OUTPUTS["cells"]).to_csv(path, index=False)
    return path


def read_cells(path: Path) -> list[dict[str, str]]:
    return pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")


def write_here(root: Path, rows: list[dict], paper: str = "mini") -> Path:
    """Write the cells that were computed in a project."""
    return write_cells(root / "results" / "compare" / paper / "cells.csv", rows)


def write_reference(root: Path, rows: list[dict], paper: str = "mini") -> Path:
    """Write a reference into a project, as far as it is shown; return its cells."""
    folder = reference.folder_of(root)
    part = folder / paper
    part.mkdir(parents=True, exist_ok=True)
    (part / reference.RECEIPT).write_text("receipt")
    data = [{"dataset": card, "sha256": [SHA256]} for card in sorted({r["card"] for r in rows})]
    (part / reference.PROVENANCE).write_text(json.dumps({"commit": COMMIT, "data": data}))
    return write_cells(folder / reference.DATA / f"{paper}_cells.csv", rows)


def lose(root: Path, paper: str, verdicts: dict[str, str]) -> None:
    """Make the results of a paper its reference, and take datasets away from the results.

    Parameters
    ----------
    verdicts : what becomes of the cells of a dataset, by its printed name
    """
    path = root / "results" / "compare" / paper / "cells.csv"
    rows = read_cells(path)
    write_reference(root, rows, paper)
    without = dict.fromkeys([*MEASURED, "difference", "within"], "")
    for cell in rows:
        if verdict := verdicts.get(cell["dataset"]):
            cell.update(without, verdict=verdict, reason=f"{verdict} in this test")
    pd.DataFrame(rows).to_csv(path, index=False)
