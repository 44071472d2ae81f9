"""What one method of a table has over the others: printed, and measured."""

from statistics import fmean

from recoco.compare.verdicts import Answer

SUFFIX = "_mean_gain"


def gain_rows(item: str, over: str, of: str, cells: list[dict]) -> list[dict]:
    """Return a row per (dataset, other method, metric) of the cells of a table.

    Parameters
    ----------
    over : the method whose gains they are
    of : the table
    cells : rows of cells.csv with ``as_printed``, what the printed reading gives
    """
    here = {
        (c["dataset"], c["metric"], c["method"]): c
        for c in cells
        if c["item"] == of and not str(c["metric"]).startswith("pvalue")
    }
    rows = []
    for (dataset, metric, method), other in here.items():
        ours = here.get((dataset, metric, over))
        if method == over or ours is None:
            continue
        measured = [ours["as_printed"], other["as_printed"]]
        rows.append(
            {
                "item": item,
                "dataset": dataset,
                "method": method,
                "metric": metric,
                "printed": float(ours["printed"]) - float(other["printed"]),
                "measured": None if None in measured else measured[0] - measured[1],
            }
        )
    return rows


def mean_gains(rows: list[dict], metric: str) -> dict:
    """Return the mean gains in a metric: printed, printed where measured, measured."""
    here = [row for row in rows if row["metric"] == metric]
    both = [row for row in here if row["measured"] is not None]
    return {
        "printed": fmean(row["printed"] for row in here) if here else None,
        "printed_there": fmean(row["printed"] for row in both) if both else None,
        "measured": fmean(row["measured"] for row in both) if both else None,
        "datasets": len({row["dataset"] for row in here}),
        "datasets_there": len({row["dataset"] for row in both}),
    }


def answer_gains(rows, gains: list[dict], floor: float):
    """Yield (printed row, verdict, answer, reason) of printed mean gains.

    Over other datasets than the printed ones a mean is a variant, whatever its value.
    """
    for row in rows.itertuples():
        found = mean_gains(gains, row.metric.removesuffix(SUFFIX))
        if found["measured"] is None:
            why = "no dataset of the table is at hand"
            yield row, "unreachable", Answer("unreachable", why=why), why
            continue
        printed, value = float(row.value), found["measured"]
        within = abs(value - printed) <= floor + 1e-12
        why = (
            f"{value:.3f} measured over {found['datasets_there']} of {found['datasets']} datasets, "
            f"where the table prints {found['printed_there']:.3f}; over all its printed cells the "
            f"mean is {found['printed']:.4f}, the text says {row.value}"
        )
        answer = Answer("ok", value, runs=1, tolerance=floor, within=within, why=why)
        said = "reproduced" if within else "better" if value > printed else "worse"
        yield row, "variant" if found["datasets_there"] < found["datasets"] else said, answer, why
