"""Scores along the values of one parameter."""

from recoco.compare.details import column_of
from recoco.compare.table import Table
from recoco.plan import sweep_settings


def compare_sweep(item: str, table: Table) -> list[dict]:
    """Return the scores along the values of one parameter."""
    block, rows = table.block, []
    weighting = next(iter(block["weightings"]))
    for setting, details in sweep_settings(table.config, block):
        if table.stopped(setting):
            continue
        for metric in block["metrics"]:
            column = _column_inside(block.get("inside"), details["value"], metric)
            if column is None or column_of(table.runs(setting), column).dropna().empty:
                continue
            found = table.measure(setting, "mean", column)
            rows.append(
                {
                    "item": item,
                    **details,
                    "weighting": weighting,
                    "method": block["method"],
                    "parameter": block["parameter"],
                    "metric": metric,
                    "measured": found.value,
                    "measured_sd": found.sd,
                    "n_runs": found.runs,
                }
            )
    return rows


def _column_inside(inside: str | None, value, metric: str) -> str | None:
    """Return where the runs of one setting tell of a value; None where they do not."""
    if inside is None:
        return metric
    if metric.startswith(f"{inside}_"):  # an array that goes along the values
        return f"{metric}={value}" if value else None
    return f"{metric}@{inside}={value}" if value else metric
