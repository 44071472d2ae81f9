"""Columns of a score table, and what the runs tell beside them."""

import json

import pandas as pd


def column_of(runs: pd.DataFrame, column: str) -> pd.Series:
    """Return a number per run.

    ``column`` is a column of the score table; or ``NAME=VALUE``, the entry of the told array
    NAME for VALUE; or ``METRIC@NAME`` and ``METRIC@NAME=VALUE``, the score of another partition
    of the same run. The values that an array goes along stand in ``WORD_at``, WORD being the
    first word of its name.
    """
    if column in runs.columns or not ("@" in column or "=" in column):
        return runs[column]
    metric, _, place = column.rpartition("@")
    name, _, value = place.partition("=")
    return runs["details"].map(lambda text: _find(text, metric, name, value)).astype(float)


def _find(text, metric: str, name: str, value: str) -> float:
    told = json.loads(text) if isinstance(text, str) else {}
    found = told.get(name)
    if found is not None and metric:
        found = found[metric]
    if found is not None and value:
        along = told[f"{name.split('_')[0]}_at"]
        places = [place for place, at in enumerate(along) if abs(at - float(value)) < 1e-9]
        found = found[places[0]] if places else None
    return float("nan") if found is None else found
