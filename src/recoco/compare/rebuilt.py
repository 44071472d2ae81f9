"""The mark of cells that are judged on a rebuilt matrix."""

from recoco.compare.verdicts import CAUSED

_JUDGED = CAUSED | {"reproduced"}


def marked(reason: str, verdict: str, record: dict) -> str:
    """Return the reason of a verdict, with the agreement of the matrix if that is rebuilt.

    Parameters
    ----------
    reason, verdict : str
    record : dict
        What ``prepare`` wrote about the dataset of the cell.
    """
    if verdict not in _JUDGED or "rebuilt" not in record:
        return reason
    return f"{reason} On a rebuilt matrix: {record['rebuilt']}."
