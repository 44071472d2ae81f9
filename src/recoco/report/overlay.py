"""What the reference run knows of printed cells that have no number here.

This is for showing only: it never enters a file of `results`, the reference itself, an archive, a
claim, a rank or a statistic.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from recoco.archive import reference
from recoco.compare.outputs import MEASURED
from recoco.compare.verdicts import VERDICTS
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.report.verdicts import count_verdicts

# Verdicts here that give way to the reference; a failure here must stay visible.
OVERLAID = frozenset({"unreachable", "not-run"})
LABEL = "from the reference run, not computed here"
SIGN = "*"  # behind the letter of a verdict, where there is no room for the label
# A verdict of the reference counts only for the number that it was given on.
_SAME = (
    *("item", "dataset", "weighting", "method", "metric"),
    *("printed", "printed_sd", "printed_note"),
)
_READ = (
    *("cell", "card", *_SAME, *MEASURED, "difference"),
    *("combination", "combination_text", "verdict", "within", "reason"),
)


@dataclass(frozen=True)
class Known:
    """A printed cell in the reference run.

    Attributes
    ----------
    row : its row of the reference's ``cells.csv``, all text
    commit : the commit that computed it
    sha256 : the hashes of the files that its data was made from
    """

    row: dict[str, str]
    commit: str
    sha256: tuple[str, ...]

    @property
    def verdict(self) -> str:
        return self.row["verdict"]


@dataclass(frozen=True)
class Tally:
    """Cells by verdict.

    Attributes
    ----------
    own : as computed here, all cells
    left : as computed here, those that are not known from the reference
    known : the others, by their verdict in the reference
    """

    own: dict[str, int]
    left: dict[str, int]
    known: dict[str, int]


def tally(cells) -> Tally:
    """Count cells with a ``verdict`` here and what is ``known`` of them."""
    cells = list(cells)
    return Tally(
        count_verdicts(cell.verdict for cell in cells),
        count_verdicts(cell.verdict for cell in cells if not cell.known),
        count_verdicts(cell.known.verdict for cell in cells if cell.known),
    )


def files_of(root: Path, papers: Iterable[str]) -> list[Path]:
    """Return the files of a project's reference that the report of some papers reads."""
    folder = reference.folder_of(root)
    return [
        path
        for paper in papers
        if reference.cells_file(folder, paper).is_file()
        for path in (reference.cells_file(folder, paper), folder / paper / reference.PROVENANCE)
        if path.is_file()
    ]


def known_cells(root: Path, rows: Mapping[str, Iterable[dict[str, str]]]) -> dict[str, Known]:
    """Return, by name, the cells without a number here that the reference has one of.

    Parameters
    ----------
    root : the project with the reference
    rows : of each paper, the rows of its ``cells.csv`` here, all text
    """
    known: dict[str, Known] = {}
    for paper, here in rows.items():
        missing = [row for row in here if row["verdict"] in OVERLAID]
        there = _read(reference.folder_of(root), paper) if missing else {}
        for row in missing:
            cell = there.get(row["cell"])
            if cell and all(cell.row[column] == row[column] for column in _SAME):
                known[row["cell"]] = cell
    return known


def sentence(rows: Mapping[str, Iterable[dict[str, str]]], known: Mapping[str, Known]) -> str:
    """Return how many cells were computed here and how many are known from the reference.

    Parameters
    ----------
    rows : of each paper, the rows of its ``cells.csv`` here
    known : the result of `known_cells` on them
    """
    measured = [VERDICTS[row["verdict"]].measured for here in rows.values() for row in here]
    total, here = len(measured), sum(measured)
    if here == total:
        return f"all {total} cells were computed here"
    said = f"{here} of {total} cells were computed here"
    if not known:
        return f"{said}; the reference run knows none of the others"
    said += f", {len(known)} more {'is' if len(known) == 1 else 'are'} known from the reference run"
    rest = total - here - len(known)
    return f"{said}, {rest} from neither" if rest else said


def line(cell: Known) -> str:
    """Return a line about a cell of the reference: its verdict, and why."""
    return f"{LABEL}: {cell.verdict}: {cell.row['reason']}"


def _read(folder: Path, paper: str) -> dict[str, Known]:
    """Return the cells of a paper that have a number in the reference, by name."""
    path, provenance = reference.cells_file(folder, paper), folder / paper / reference.PROVENANCE
    if not path.is_file():
        return {}
    frame = reference.read_cells(folder, paper)
    for column in _READ:
        if column not in frame.columns:
            raise RecocoError(
                f"{path} lacks the column {column!r}: write it again with "
                "`recoco reference --render`."
            )
    record = read_json(provenance) if provenance.is_file() else {}
    hashes = {entry["dataset"]: tuple(entry["sha256"]) for entry in record.get("data", [])}
    return {
        row["cell"]: Known(row, record.get("commit", ""), hashes.get(row["card"], ()))
        for row in frame.to_dict("records")
        if row["verdict"] in VERDICTS and VERDICTS[row["verdict"]].measured and row["measured"]
    }
