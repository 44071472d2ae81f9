"""Columns of a score table, and numbers from the details that a method stores with each run."""

import json

import pandas as pd


def column_of(runs: pd.DataFrame, column: str) -> pd.Series:
    """Return a number per run.

    ``column`` is a column of the score table; or ``NAME=VALUE``, the entry for VALUE of the array
    NAME in the details; or ``METRIC@NAME`` and ``METRIC@NAME=VALUE``, the score of another
    partition of the same run. The values that the entries of an array belong to are in
    ``WORD_at``, where WORD is the first word of its name.
    """
    if column in runs.columns or not ("@" in column or "=" in column):
        return runs[column]
    metric, _, rest = column.rpartition("@")
    name, _, value = rest.partition("=")
    return runs["details"].map(lambda text: _number(text, metric, name, value)).astype(float)


def _number(text, metric: str, name: str, value: str) -> float:
    details = json.loads(text) if isinstance(text, str) else {}
    number = details.get(name)
    if number is not None and metric:
        number = number[metric]
    if number is not None and value:
        along = details[f"{name.split('_')[0]}_at"]
        places = [place for place, at in enumerate(along) if abs(at - float(value)) < 1e-9]
        number = number[places[0]] if places else None
    return float("nan") if number is None else number
