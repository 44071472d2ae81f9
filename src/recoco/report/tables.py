"""Tables of the papers, printed beside measured, independent of the format they end in."""

import math
from dataclasses import dataclass, field

import pandas as pd

from recoco.report import formats
from recoco.report.inputs import Material, Paper, PrintedCell
from recoco.report.verdicts import VERDICTS

# More (metric, method) pairs than this do not fit side by side: methods then become rows.
_WIDEST = 6


@dataclass(frozen=True)
class Column:
    """A column and the headings above it, from the outermost to its own.

    One that wraps holds running text, which a file breaks into lines.
    """

    path: tuple[str, ...]
    numeric: bool = True
    wrap: bool = False


@dataclass(frozen=True)
class Entry:
    """One place in a table. ``mark`` is the sign of its verdict, ``span`` its width."""

    text: str = ""
    verdict: str = ""
    mark: str = ""
    cell: str = ""
    note: str = ""
    span: int = 1


@dataclass(frozen=True)
class Table:
    """A table with its rows; the null models stand apart so that sorting leaves them alone."""

    name: str
    title: str
    caption: str
    columns: list[Column]
    rows: list[list[Entry]]
    nulls: list[list[Entry]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def starts(self) -> set[int]:
        """Return the rows with which another name begins, where names span several rows."""
        names = [row[0].text for row in self.rows]
        if len(set(names)) == len(names):
            return set()
        return {place for place in range(1, len(names)) if names[place] != names[place - 1]}

    def header(self) -> list[list[tuple[str, int, bool]]]:
        """Return the heading rows as (text, columns it spans, is it a column's own)."""
        depth = max(len(column.path) for column in self.columns)
        paths = [("",) * (depth - len(c.path)) + c.path for c in self.columns]
        rows = []
        for level in range(depth):
            row: list[list] = []
            for position, path in enumerate(paths):
                last = level == depth - 1
                same = position and paths[position - 1][: level + 1] == path[: level + 1]
                if row and same and not last and path[level]:
                    row[-1][1] += 1
                else:
                    row.append([path[level], 1, last])
            rows.append([tuple(part) for part in row])
        return rows


def item_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the table of an item, or None for one that has no numbers to tabulate."""
    block = paper.config["items"][item]
    if block["kind"] == "characteristics":
        return characteristics_table(paper, item)
    cells = material.cells_of(paper.key, item)
    if block["kind"] == "figure" or not cells:
        return None
    names = [(c.dataset, c.weighting, c.method, c.metric) for c in cells]
    if block["kind"] == "example" or len(set(names)) < len(names):
        return list_table(paper, item, cells)
    return score_table(paper, item, cells)


def _unique(values) -> list:
    return list(dict.fromkeys(values))


def _frame(paper: Paper, item: str, columns, rows, **more) -> Table:
    block = paper.config["items"][item]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, **more)


def measured_entry(cell: PrintedCell) -> Entry:
    """Return the entry that says what we measured and how it compares."""
    verdict = VERDICTS[cell.verdict]
    if not cell.answer:
        return Entry(formats.NOTHING, cell.verdict, "", cell.id, verdict.meaning)
    reason = cell.answer["reason"]
    return Entry(cell.measured or verdict.label, cell.verdict, verdict.letter, cell.id, reason)


def score_table(paper: Paper, item: str, cells: list[PrintedCell]) -> Table:
    """Pivot cells: datasets and weightings down, metrics and (if they fit) methods across.

    The score of the run with the lowest criterion, a metric of its own, stands beside the mean.
    """
    pairs = _unique((_base(cell.metric), _across(cell)) for cell in cells)
    metrics = _unique(metric for metric, _ in pairs)
    means = _unique(formats.mean_of(metric) for metric in metrics)
    metrics.sort(key=lambda m: (means.index(formats.mean_of(m)), formats.is_bracket(m)))
    brackets = {formats.mean_of(m) for m in metrics if formats.is_bracket(m)}
    pairs.sort(key=lambda pair: metrics.index(pair[0]))
    wide = len(pairs) <= _WIDEST
    weighted = len({cell.weighting for cell in cells}) > 1
    keys = ["Dataset"] + ["Weighting"] * weighted + ["Method"] * (not wide)
    across = pairs if wide else [(metric,) for metric in metrics]
    columns = [Column((key,), numeric=False) for key in keys]
    for pair in across:
        path = (*_metric_path(pair[0], brackets), *pair[1:])
        columns += [Column((*path, side)) for side in ("printed", "measured")]

    placed: dict[tuple, dict[tuple, PrintedCell]] = {}
    for cell in cells:
        down = (cell.dataset,) + (cell.weighting,) * weighted + (_across(cell),) * (not wide)
        over = (_base(cell.metric), _across(cell)) if wide else (_base(cell.metric),)
        placed.setdefault(down, {})[over] = cell
    rows = []
    for down, found in placed.items():
        row = [Entry(text) for text in down]
        for over in across:
            cell = found.get(over)
            row += [Entry(cell.printed), measured_entry(cell)] if cell else [Entry(), Entry()]
        rows.append(row)
    order = [cell.dataset for cell in cells]
    nulls = _null_rows(paper.of_item("nulls", item), _unique(order), metrics, keys, across)
    notes = []
    if nulls:
        notes.append(
            "Null models score random labels, as they are and sorted; they do not look at the "
            "matrix, so one number holds for every weighting."
        )
    if brackets:
        notes.append(
            "Lowest criterion: the score of the one run, of those the mean is over, that ended "
            "with the lowest criterion. The paper prints it in brackets."
        )
    return _frame(paper, item, columns, rows, nulls=nulls, notes=notes)


def _base(metric: str) -> str:
    return metric.removeprefix("pvalue_")


def _metric_path(metric: str, brackets: set[str]) -> tuple[str, ...]:
    """Return the headings of a metric: two where a mean has a figure in brackets beside it."""
    mean = formats.mean_of(metric)
    if mean not in brackets:
        return (formats.metric_name(metric),)
    kind = "lowest criterion" if formats.is_bracket(metric) else "mean"
    return (formats.metric_name(mean), kind)


def _across(cell: PrintedCell) -> str:
    return f"p, {cell.method}" if cell.metric.startswith("pvalue_") else cell.method


def _null_rows(nulls: pd.DataFrame, datasets, metrics, keys, across) -> list[list[Entry]]:
    rows = []
    for dataset in datasets:
        for null in _unique(nulls["null"]):
            of_null = nulls[(nulls["dataset"] == dataset) & (nulls["null"] == null)]
            if of_null.empty:
                continue
            label = formats.NULLS.get(null, null)
            row = [Entry(dataset), Entry(label, span=len(keys) - 1)]
            if len(keys) == 1:
                row = [Entry(f"{dataset}, {label}")]
            for metric in metrics:
                width = 2 * sum(pair[0] == metric for pair in across)
                text = formats.with_spread(*_pooled(of_null[of_null["metric"] == metric]), 3)
                row += [Entry(), Entry(text, span=width - 1)]  # nobody printed a null model
            rows.append(row)
    return rows


def _pooled(rows: pd.DataFrame) -> tuple[float, float]:
    """Return mean and standard deviation of equally large groups of runs put together."""
    if rows.empty:
        return math.nan, math.nan
    means = rows["measured"].map(formats.as_float)
    variances = rows["measured_sd"].map(formats.as_float) ** 2
    return means.mean(), math.sqrt(variances.mean() + means.var(ddof=0))


def list_table(paper: Paper, item: str, cells: list[PrintedCell]) -> Table:
    """One row per cell, for items whose cells differ in more than dataset and method."""
    fields = {
        "Dataset": [cell.dataset for cell in cells],
        "Weighting": [cell.weighting for cell in cells],
        "Method": [cell.method for cell in cells],
        "What": [formats.metric_name(cell.metric) for cell in cells],
        "Where": [cell.note for cell in cells],
    }
    # What is the same in every row says nothing; the quantity itself is always named.
    shown = {k: v for k, v in fields.items() if len(set(v)) > 1 or k == "What"}
    columns = [Column((key,), numeric=False) for key in shown]
    columns += [Column(("printed",)), Column(("measured",))]
    rows = [
        [*(Entry(v[i]) for v in shown.values()), Entry(cell.printed), measured_entry(cell)]
        for i, cell in enumerate(cells)
    ]
    return _frame(paper, item, columns, rows)


def characteristics_table(paper: Paper, item: str) -> Table | None:
    """Sizes of the datasets, printed beside measured."""
    frame = paper.frames["characteristics"]
    if frame.empty:
        return None
    kinds = _unique(frame["characteristic"])
    columns = [Column(("Dataset",), numeric=False)]
    for kind in kinds:
        columns += [Column((formats.metric_name(kind), s)) for s in ("printed", "measured")]
    rows, notes = [], []
    for dataset in _unique(frame["dataset"]):
        row = [Entry(dataset)]
        for kind in kinds:
            found = frame[(frame["dataset"] == dataset) & (frame["characteristic"] == kind)]
            if found.empty:
                row += [Entry(), Entry()]
                continue
            fact = found.iloc[0].to_dict()
            row += [Entry(fact["printed"]), _fact_entry(fact)]
            if fact.get("note"):
                notes.append(f"{dataset}: {fact['note']}")
        rows.append(row)
    return _frame(paper, item, columns, rows, notes=_unique(notes))


def _fact_entry(fact: dict) -> Entry:
    text = plain_measure(fact["measured"], fact["printed"])
    if not text:
        return Entry(formats.NOTHING)
    if not fact["printed"]:
        return Entry(text)
    agrees = formats.as_bool(fact["agrees"])
    return Entry(text, "agrees" if agrees else "differs", "=" if agrees else "≠")


def plain_measure(measured, printed="") -> str:
    """Return a measured characteristic, with one decimal more than the printed one has."""
    value = formats.as_float(measured)
    if math.isnan(value):
        return "" if measured is None else str(measured)
    if value == int(value) and "." not in str(printed):
        return str(int(value))
    return formats.number(value, formats.decimals(printed) + 1 if printed else 3)


def simple_table(name: str, title: str, frame: pd.DataFrame, headings: dict[str, str]) -> Table:
    """Return the named columns of a frame; scores get three decimals, counts none."""
    columns, shown = [], []
    for key, heading in headings.items():
        values = frame[key].map(formats.as_float)
        numeric = bool(values.notna().any())
        places = 0 if key == "runs" else 3
        columns.append(Column((heading,), numeric))
        shown.append([formats.number(v, places) for v in values] if numeric else list(frame[key]))
    rows = [[Entry(text) for text in row] for row in zip(*shown, strict=True)]
    return Table(name, title, "", columns, rows)
