"""What is shown before a reproduction is finished: the first table, and what the report has."""

from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.plan import Plan


def first_table(config: Config, root: Path) -> str:
    """Return the first printed table of which half of the datasets are scored; "" if none is.

    It has a row for every method and a column for every dataset, with printed and measured numbers.
    """
    from recoco.compare.comparison import Findings
    from recoco.compare.paper import begin, printed_rows

    project = Plan(config, root)
    for paper in config.papers:
        scores = {path: root / path for path in project.scores_of(paper)}
        scored = {path.stem for path in scores.values() if path.is_file()}
        known, items = set(project.datasets) - plan.twins(root), []
        for name, item in project.items(paper, "scores"):
            cards = set(item["datasets"].values()) & known
            if item["published"] and cards and 2 * len(cards & scored) >= len(cards):
                items.append((name, item))
        if not items:
            continue
        records = [root / path for path in project.records_of(paper)]
        findings = Findings([path for path in scores.values() if path.is_file()], records)
        comparison = begin(config.alone(paper), paper, findings)
        for name, item in items:
            rows = printed_rows(comparison, item)
            text = _table(comparison.table(item), item, rows[rows["metric"].isin(item["metrics"])])
            if text:
                return f"{short(item, name)} of {paper}, {text}"
    return ""


def _table(table, item: dict, rows) -> str:
    """Return the numbers of the first metric and weighting that have some."""
    from recoco.metrics import METRICS

    for (metric, weighting), part in rows.groupby(["metric", "weighting"], sort=False):
        answers = {
            (row.method, row.dataset): (row.value, table.answer(row, table.as_printed))
            for row in part.itertuples()
        }
        numbers = {
            key: f"{float(value):.2f} {answer.measured:.2f}"
            for key, (value, answer) in answers.items()
            if answer.measured is not None
        }
        if not numbers:
            continue
        known = [method for method in item["methods"] if any(key[0] == method for key in numbers)]
        datasets = [each for each in item["datasets"] if any(key[1] == each for key in numbers)]
        lines = [["", *datasets]]
        lines += [[m, *(numbers.get((m, d), "") for d in datasets)] for m in known]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [
            "  " + "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in lines
        ]
        runs = max(answer.runs or 0 for _, answer in answers.values())
        title = METRICS[metric].label if metric in METRICS else metric
        with_weighting = f" ({weighting})" if len(item["weightings"]) > 1 else ""
        head = f"{title}{with_weighting}: printed, then measured in {runs} runs"
        return "\n".join([head, *(line.rstrip() for line in shown)])
    return ""


def in_report(root: Path, config: Config, added: list[str]) -> str:
    """Return a line that says which tables and figures the report now has."""
    import pandas as pd

    measured, printed = [], 0
    for paper in [*added, *(key for key in config.papers if key not in added)]:
        cells = pd.read_csv(root / "results" / "compare" / paper / "cells.csv")
        printed += len(cells)
        names = cells.loc[cells["measured"].notna(), "item"].unique()
        items = config.papers[paper]["items"]
        measured += [f"{short(items[name], name)} of {paper}" for name in items if name in names]
    page = Path("reports", "index.html")
    if not printed:  # a benchmark
        return f"{', '.join(config.papers)}: the tables and figures are in {page}"
    if not measured:
        return f"{page} has no numbers yet: no dataset of {', '.join(config.papers)} is available"
    others = len(measured) - 1
    more = f" and {others} other tables and figures" if others > 1 else ""
    more = " and another table or figure" if others == 1 else more
    return f"{measured[0]}{more} {'are' if others else 'is'} in {page}"


def short(item: dict, name: str) -> str:
    """Return what an item is called in its paper: its title up to the first comma."""
    return item.get("title", name).partition(",")[0]
