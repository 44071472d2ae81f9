"""The printed cells, each with a unique name."""

from collections.abc import Iterable

from recoco.config.papers import Paper, printed_columns

BRACKET = "_best"
_IDENTITY = ["paper", "item", "dataset", "weighting", "method", "metric"]


def printed_cells(papers: Iterable[Paper]):
    """Return the printed cells of papers as text, with a unique, stable name ``cell`` per row.

    A row whose mean is followed by a number in brackets (column ``best``: the run with the best
    criterion) becomes two cells; the metric of the second ends with ``_best``.

    Rows that share paper, item, dataset, weighting, method and metric (the steps of a worked
    example, the words of a cluster) are distinguished by the first word of their note, else by
    their order.
    """
    import pandas as pd

    rows = [row for paper in papers for row in paper.printed]
    table = pd.DataFrame(rows, columns=printed_columns(), dtype=str)
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


def printed_rows(comparison, item: dict):
    """Return the printed cells that an item answers."""
    printed = comparison.printed
    rows = printed[printed["item"] == item["published"]] if item["published"] else printed[:0]
    rows = rows[rows["value"] != ""]  # a dash is printed where the authors have no number
    if "datasets" in item:  # ignore cells of datasets that were removed from the item
        rows = rows[rows["dataset"].isin(item["datasets"])]
    return rows
