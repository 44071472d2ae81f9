"""The score of the best of n starts, for every n, beside the printed number."""

from recoco.compare.pool import ENOUGH
from recoco.compare.published import BRACKET
from recoco.compare.table import Table


def curve_rows(name: str, table: Table, rows) -> list[dict]:
    """Return a row per printed mean and number of starts: the expected score, and if it fits.

    A number of starts fits if the expected score is within the tolerance of the printed number.
    """
    found = []
    for row in rows.itertuples():
        if row.metric.startswith("pvalue_") or row.metric.endswith(BRACKET):
            continue
        stated = table.answer(row, table.as_printed)
        reading = table.reading(
            table.as_printed, row.dataset, row.weighting, row.method, row.metric
        )
        if stated.status != "ok" or not reading.is_score or reading.select != "mean":
            continue
        for n, expected in table.curve(row).items():
            found.append(
                {
                    "item": name,
                    "cell": row.cell,
                    "n": n,
                    "measured": expected.mean,
                    "measured_sd": expected.sd,
                    "fits": abs(expected.mean - float(row.value)) <= stated.tolerance + 1e-9,
                    "enough": stated.runs >= ENOUGH * n,
                }
            )
    return found


def starts_that_fit(rows: list[dict]) -> str:
    """Return in a sentence how many means of a table fit the best of n starts, for every n.

    Parameters
    ----------
    rows : those of one table in ``curves.csv``, all text
    """
    cells = {row["cell"] for row in rows}
    counts = {
        int(n): sum(row["fits"] == "True" for row in rows if row["n"] == n)
        for n in dict.fromkeys(row["n"] for row in rows)
    }
    if len(counts) < 2:
        return ""
    most = max(counts, key=counts.get)
    shown = ", ".join(f"{count} for n = {n}" for n, count in sorted(counts.items()))
    small = {int(row["n"]) for row in rows if row["enough"] != "True"}
    text = (
        f"Best of n starts by the criterion: of {len(cells)} means {shown} are within tolerance; "
        f"n = {most} has most."
    )
    if small:
        text += f" From n = {min(small)} on the pool of some cells is too small to be precise."
    return text
