"""Why a printed number does not come out: one cause for every such cell, with its evidence.

A cause is either computed here or stated in the paper's causes.csv. The evidence there has
placeholders, which are filled in from the cell: nothing is written that the numbers do not say.
"""

import string

from recoco.compare.errata import matching
from recoco.compare.verdicts import CAUSED, VERDICTS
from recoco.config.schema import nearest
from recoco.core.errors import RecocoError

CAUSES = (
    "selection rule",
    "weighting",
    "data version",
    "unstated parameter",
    "initialisation",
    "number of iterations",
    "misprint",
    "copied from another paper",
    "rival's code unknown",
)
NOT_FOUND, TOO_FEW = "not found", "too few runs"
_TEST = "pvalue_"
# What evidence in causes.csv may refer to.
_FIELDS = ("printed", "printed_note", "measured", "difference", "tolerance", "n_runs")


def check_causes(causes: list[dict[str, str]], cells: list[str], where: str) -> None:
    """Reject a cause that does not exist, or that is about no cell.

    Parameters
    ----------
    causes : rows of causes.csv
    cells : names of all printed cells of the paper
    """
    for row in causes:
        if row["cause"] not in CAUSES:
            known = nearest(row["cause"], CAUSES)
            raise RecocoError(f"{where}: unknown cause {row['cause']!r}: {known}")
        matching(row["cells"], cells, where)
        fields = {name for _, name, _, _ in string.Formatter().parse(row["evidence"]) if name}
        if not fields:
            raise RecocoError(
                f"{where}: the evidence for {row['cells']!r} is not computed: refer to a number of "
                f"the cell, such as {{{_FIELDS[0]}}}."
            )
        for name in sorted(fields.difference(_FIELDS)):
            raise RecocoError(f"{where}: unknown field {name!r}: {nearest(name, _FIELDS)}")


def contradicted(causes: list[dict[str, str]], cells: list[dict]) -> list[str]:
    """Return a sentence for each cause of a single cell that comes out, with all runs computed."""
    verdicts = {cell["cell"]: cell["verdict"] for cell in cells}
    return [
        f"causes.csv has a cause for {row['cells']}, which is reproduced: remove it."
        for row in causes
        if verdicts.get(row["cells"]) == "reproduced"
    ]


def add_causes(cells: list[dict], causes: list[dict[str, str]], misprints: dict[str, str]) -> None:
    """Give every cell whose number does not come out as stated its cause and evidence.

    Parameters
    ----------
    cells : rows of cells.csv; those of tables of scores may have a cause already
    """
    stated = {
        cell: row
        for row in causes
        for cell in matching(row["cells"], [c["cell"] for c in cells], "causes.csv")
    }
    for cell in cells:
        if cell["verdict"] in CAUSED | {"variant"}:
            cause, evidence = _cause(cell, stated.get(cell["cell"]), misprints)
            cell |= {"cause": cause, "evidence": evidence}
        else:
            cell |= {"cause": "", "evidence": ""}
    _follow_means(cells)


def _cause(cell: dict, stated: dict | None, misprints: dict[str, str]) -> tuple[str, str]:
    verdict = cell["verdict"]
    if verdict == "misprint":
        return "misprint", misprints[cell["cell"]]
    if verdict == "variant":
        return "data version", cell["reason"]
    if verdict == "undecided":
        return TOO_FEW, cell["reason"]
    if cell.get("cause"):
        return cell["cause"], cell["evidence"]
    if stated:
        return stated["cause"], stated["evidence"].format(**cell)
    if verdict in ("explained", "fits"):
        return "unstated parameter", cell["reason"]
    return NOT_FOUND, cell.get("tried") or "No other reading is offered."


def _follow_means(cells: list[dict]) -> None:
    """Give a test whose conclusion differs the cause of the means that it compares."""
    causes = {_place(cell): cell for cell in cells}
    for cell in cells:
        if cell["cause"] != NOT_FOUND or not cell["metric"].startswith(_TEST):
            continue
        metric = cell["metric"].removeprefix(_TEST)
        for method in cell["method"].split(" vs "):
            mean = causes.get((*_place(cell)[:3], method, metric))
            if mean and mean["cause"] not in ("", NOT_FOUND):
                label = VERDICTS[mean["verdict"]].label
                why = f"Follows from the mean of {method}, which is {label}: {mean['evidence']}"
                cell |= {"cause": mean["cause"], "evidence": why}
                break


def _place(cell: dict) -> tuple:
    return tuple(cell[key] for key in ("item", "dataset", "weighting", "method", "metric"))
