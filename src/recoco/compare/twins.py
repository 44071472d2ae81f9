"""Nothing is judged on a twin: the only place where a comparison meets drawn data.

A paper is compared without its twins, as if their datasets were unreachable. What the cells of
these datasets measure on the twins is computed apart from that; only its numbers are kept, in a
table of their own, so that all others have the same bytes with twins and without.
"""

from pathlib import Path

from recoco.compare.comparison import Findings

# What a reader of cells and tables is told about such a number.
MARK = "drawn data, not judged"
_KEPT = ("dataset", "title", "by_hand", "tried", "printed")


def twins_of(records: dict[str, dict]) -> set[str]:
    """Return the datasets that are replaced by twins."""
    return {name for name, record in records.items() if record["status"] == "twin"}


def judged_record(record: dict) -> dict:
    """Return a record as the comparison may see it: that of a twin is an unreachable one."""
    if record["status"] != "twin":
        return record
    return {**{key: record[key] for key in _KEPT}, "status": "unreachable"}


def without(findings: Findings, twins: set[str]) -> Findings:
    """Return the files of a paper's findings that do not depend on a twin."""
    return Findings(
        [path for path in findings.scores if path.stem not in twins],
        findings.records,
        [path for path in findings.analyses if dataset_of(path) not in twins],
    )


def dataset_of(analysis: Path) -> str:
    """Return the dataset of a result of the stage analyse, which its path begins with.

    Analyses of something else have names of their own.
    """
    from recoco.items.kind import RESULTS

    first = Path(analysis).relative_to(RESULTS).parts[2]  # below the paper and the step
    return first.removesuffix(".json").removesuffix(".npz")


def drawn_record(record: dict) -> dict:
    """Return the record of a twin as if it were data; no cell on it is a variant."""
    return {**record, "status": "ok"} if record["status"] == "twin" else record


def numbers_on_twins(cells: list[dict], drawn: list[dict], twins: set[str]) -> list[dict]:
    """Return what was measured on twins for the cells whose data is unreachable.

    Parameters
    ----------
    cells : list of dict
        Rows of cells.csv, compared without twins.
    drawn : list of dict
        The same cells, compared with them.
    twins : set of str
        The datasets that are replaced.
    """
    unreachable = {cell["cell"] for cell in cells if cell["verdict"] == "unreachable"}
    return [
        {
            "cell": cell["cell"],
            "twin": cell["measured"],
            "twin_sd": cell["measured_sd"],
            "n_runs": cell["n_runs"],
        }
        for cell in drawn
        if cell["cell"] in unreachable and cell["card"] in twins and cell["measured"] is not None
    ]
