"""The printed cells, each with a name of its own."""

from pathlib import Path

BRACKET = "_best"
_IDENTITY = ["paper", "item", "dataset", "weighting", "method", "metric"]


def read_published(path: Path):
    """Return published.csv as text with a column ``cell``: a unique, stable name per row.

    A row whose mean is followed by a figure in brackets (column ``best``: the run with the best
    criterion) is two cells; the second has the metric with ``_best`` behind it.

    Rows that share paper, item, dataset, weighting, method and metric (the steps of a worked
    example, the words of a cluster) are told apart by the first word of their note, else by
    their order.
    """
    import pandas as pd

    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    bracketed = table[table["best"] != ""]
    brackets = bracketed.assign(
        metric=bracketed["metric"] + BRACKET, value=bracketed["best"], sd="", note=""
    )
    table = pd.concat([table, brackets]).sort_index(kind="stable").reset_index(drop=True)
    joined = [":".join(row) for row in table[_IDENTITY].itertuples(index=False)]
    names = pd.Series(joined, index=table.index, dtype=str)
    step = table["note"].str.split(":").str[0].where(table["note"].str.contains(":"), "")
    repeated = names.duplicated(keep=False)
    names = names.where(~repeated | (step == ""), names + ":" + step)
    order = names.groupby(names).cumcount() + 1
    table.insert(
        0, "cell", names.where(~names.duplicated(keep=False), names + ":" + order.astype(str))
    )
    return table
