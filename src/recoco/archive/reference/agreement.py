"""How the cells computed here agree with those of the reference, tier by tier."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from recoco.archive import reference
from recoco.archive.reference.scores import marks_of_blocks, read_marks

# From the closest on; each cell counts in the first tier that applies.
TIERS = {
    "identical": "identical",
    "partitions": "the same partitions on the runs in both",
    "interval": "inside the 95 % interval",
    "differs": "differ",
}
_NUMBERS = (*("measured", "measured_sd", "ci_low", "ci_high", "n_runs", "combination", "verdict"),)


@dataclass(frozen=True)
class CellAgreement:
    """A cell that is here and in the reference, and how far the two agree."""

    cell: str
    tier: str
    here: str
    there: str
    same_verdict: bool


def agreement(root: Path, papers: list[str] | None = None) -> list[CellAgreement]:
    """Return how each cell with a number both here and in the reference agrees.

    Parameters
    ----------
    papers : keys of the papers, None for all that were compared
    """
    folder = reference.folder_of(root)
    compared = root / "results" / "compare"
    cells_in_both = []
    for path in sorted(compared.glob("*/cells.csv")):
        key = path.parent.name
        wanted = papers is None or key in papers
        if not wanted or not reference.cells_file(folder, key).is_file():
            continue
        here, there = _by_cell(_read(path)), _by_cell(reference.read_cells(folder, key))
        marks = trials = None
        for cell in here:
            if cell not in there or not (here[cell]["measured"] and there[cell]["measured"]):
                continue
            ours, theirs = here[cell], there[cell]
            if all(ours[column] == theirs[column] for column in _NUMBERS):
                tier = "identical"
            else:
                if marks is None:
                    marks = Marks(root, read_marks(folder / path.parent.name / reference.SCORES))
                if trials is None:
                    trials = _trials(path.with_name("measures.csv"))
                if marks.agree(trials.get((cell, ours["combination"]), "")):
                    tier = "partitions"
                else:
                    tier = "interval" if _inside(ours, theirs) else "differs"
            values = (ours["measured"], theirs["measured"])
            same = ours["verdict"] == theirs["verdict"]
            cells_in_both.append(CellAgreement(cell, tier, *values, same))
    return cells_in_both


class Marks:
    """The partitions of the reference and of the runs in this folder, read when needed."""

    def __init__(self, root: Path, reference_marks: dict[str, dict[int, int]]):
        self._runs = root / "results" / "runs"
        self._there = reference_marks
        self._known: dict[str, bool] = {}

    def agree(self, trial: str) -> bool:
        """Say whether the runs that both have are the same, for all settings of a cell."""
        names = [name for name in trial.split(" | ") if name]
        return bool(names) and all(self._agrees(name) for name in names)

    def _agrees(self, name: str) -> bool:
        if name not in self._known:
            blocks = sorted((self._runs / name).glob("*.npz"), key=_first_run)
            here = marks_of_blocks(blocks) if blocks else {}
            there = self._there.get(name, {})
            both = here.keys() & there.keys()
            self._known[name] = bool(both) and all(here[run] == there[run] for run in both)
        return self._known[name]


def _first_run(path: Path) -> int:
    return int(path.stem.partition("-")[0])


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _by_cell(frame: pd.DataFrame) -> dict[str, dict]:
    return {row["cell"]: row for row in frame.to_dict("records")}


def _trials(path: Path) -> dict[tuple[str, str], str]:
    rows = _read(path)[["cell", "combination", "trial"]].itertuples(index=False)
    return {(cell, combination): trial for cell, combination, trial in rows}


def _inside(ours: dict, theirs: dict) -> bool:
    """Say whether one of the two values lies in the interval of the other."""
    return any(
        low and high and float(low) <= float(value["measured"]) <= float(high)
        for value, low, high in (
            (ours, theirs["ci_low"], theirs["ci_high"]),
            (theirs, ours["ci_low"], ours["ci_high"]),
        )
    )


def agreement_line(cells_in_both: list[CellAgreement]) -> str:
    """Return a line with the number of cells per tier of agreement."""
    if not cells_in_both:
        return "reference: no cell is both here and in reports/reference"
    parts = []
    for tier, text in TIERS.items():
        cells = [entry for entry in cells_in_both if entry.tier == tier]
        if tier == "differs" and cells:
            same = sum(entry.same_verdict for entry in cells)
            text += f" ({same} with the same verdict; `recoco reference` lists them)"
        parts.append(f"{len(cells)} {text}")
    return f"reference: of {len(cells_in_both)} cells in both, {' / '.join(parts)}"


def show_agreement(root: Path) -> int:
    """Print how the results here agree with the reference, and each cell that differs."""
    from recoco.core.errors import RecocoError

    if not reference.is_there(root):
        raise RecocoError("There is no reference yet: write it with `make reference`.")
    cells_in_both = agreement(root)
    for entry in cells_in_both:
        if entry.tier == "differs":
            verdict = "same verdict" if entry.same_verdict else "another verdict"
            print(f"{entry.cell}: {entry.here} here, {entry.there} there, {verdict}")
    print(agreement_line(cells_in_both))
    return 0
