"""Tables of the report, printed beside measured numbers, independent of the file format."""

import math
from dataclasses import dataclass, field, replace

import pandas as pd

from recoco.compare.twins import MARK
from recoco.compare.verdicts import VERDICTS
from recoco.report import formats
from recoco.report.inputs import Material, Paper, PrintedCell
from recoco.report.overlay import LABEL, SIGN

# With more (metric, method) pairs than this, methods are rows instead of columns.
_WIDEST = 6
_TWINS = f"In the column twin: {MARK}."


@dataclass(frozen=True)
class Column:
    """A column and the headings above it, from the outermost to its own.

    A column that wraps holds running text, which is broken into lines.
    """

    path: tuple[str, ...]
    numeric: bool = True
    wrap: bool = False


@dataclass(frozen=True)
class Entry:
    """One place in a table. ``mark`` is the sign of its verdict, ``span`` its width.

    An entry from the reference run has, as ``own``, the one that stands there without it.
    """

    text: str = ""
    verdict: str = ""
    mark: str = ""
    cell: str = ""
    note: str = ""
    span: int = 1
    own: "Entry | None" = None

    def saying(self, text: str) -> "Entry":
        """Return the entry with another text, whatever it is from."""
        return replace(self, text=text, own=self.own and self.own.saying(text))


@dataclass(frozen=True)
class Table:
    """A table; rows of null models are separate because they are not sorted with the others."""

    name: str
    title: str
    caption: str
    columns: list[Column]
    rows: list[list[Entry]]
    nulls: list[list[Entry]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def overlaid(self) -> bool:
        """Whether an entry is from the reference run."""
        return any(entry.own for row in self.rows for entry in row)

    def starts(self) -> set[int]:
        """Return the rows where a new name begins, if names span several rows."""
        names = [row[0].text for row in self.rows]
        if len(set(names)) == len(names):
            return set()
        return {place for place in range(1, len(names)) if names[place] != names[place - 1]}

    def header(self) -> list[list[tuple[str, int, bool]]]:
        """Return the heading rows as (text, number of columns, whether it is a column's own)."""
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


# ---- pieces that the kinds of items build their tables from -----------------------------


def table_of(paper: Paper, name: str, columns, rows, notes=(), nulls=()) -> Table:
    """Return the table of an item, under its title and caption."""
    item = paper.items[name]
    title, caption = item["title"], item["caption"]
    return Table(f"{paper.key}_{name}", title, caption, columns, rows, [*nulls], [*notes])


def text_columns(*names: str) -> list[Column]:
    """Return columns of text."""
    return [Column((name,), numeric=False) for name in names]


def number_columns(*names: str, under: str = "") -> list[Column]:
    """Return columns of numbers, under a common heading if there is one."""
    return [Column((under, name) if under else (name,)) for name in names]


def entries(*texts: str) -> list[Entry]:
    """Return plain entries."""
    return [Entry(text) for text in texts]


def score_entry(row: dict | None, column: str = "measured", spread: str = "measured_sd") -> Entry:
    """Return a measured score with its spread; an empty entry for no row."""
    if row is None:
        return Entry()
    return Entry(formats.with_spread(row[column], row.get(spread), 3))


def measured_entry(cell: PrintedCell) -> Entry:
    """Return the entry with the measured value of a printed cell and its verdict.

    Without a value here it is that of the reference run, if it has one.
    """
    own = _own_entry(cell)
    if not cell.known:
        return own
    known, letter = cell.known, VERDICTS[cell.known.verdict].letter
    text, note = cell.answer_text(known.row), f"{LABEL}: {known.row['reason']}"
    return Entry(text, known.verdict, letter + SIGN, cell.id, note, own=own)


def _own_entry(cell: PrintedCell) -> Entry:
    verdict = VERDICTS[cell.verdict]
    if not cell.answer:
        return Entry(formats.NOTHING, cell.verdict, "", cell.id, verdict.meaning)
    reason = cell.answer["reason"]
    return Entry(cell.measured or verdict.label, cell.verdict, verdict.letter, cell.id, reason)


def pair_entries(cell: PrintedCell | None) -> list[Entry]:
    """Return a printed cell beside what we measured; two empty entries for no cell."""
    return [Entry(cell.printed), measured_entry(cell)] if cell else [Entry(), Entry()]


def cell_entries(cell: PrintedCell | None, drawn: bool) -> list[Entry]:
    """Return the pair of a printed cell and, with ``drawn``, what was measured on its twin."""
    return pair_entries(cell) + ([Entry(cell.twin if cell else "")] if drawn else [])


def pivot(rows: list[dict], down: tuple[str, ...], across: str) -> dict[tuple, dict[str, dict]]:
    """Return rows by the values of the columns ``down``, then by the value of ``across``."""
    table: dict[tuple, dict[str, dict]] = {}
    for row in rows:
        table.setdefault(tuple(row[key] for key in down), {})[row[across]] = row
    return table


def no_data(item: dict, rows) -> list[str]:
    """Return a note on the datasets of an item that have no row."""
    present = {row["dataset"] for row in rows}
    missing = [name for name in item["datasets"] if name not in present]
    return [f"No data: {', '.join(missing)}."] if missing else []


def graph_notes(item: dict, rows) -> list[str]:
    """Return notes on how the graphs of an item are made and which datasets have no row."""
    from recoco.datasets.graph_weightings import describe

    rules = item["weightings"]
    graphs = {name: describe(rule) for name, rule in rules.items() if describe(rule)}
    if len(rules) > 1:
        texts = [f"{name}: {text}." for name, text in graphs.items()]
    else:
        texts = [f"{text.capitalize()}." for text in graphs.values()]
    return [*texts, *no_data(item, rows)]


# ---- tables of printed cells ------------------------------------------------------------


def item_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the printed cells of an item beside what we measured; None if it prints none."""
    cells = material.cells_of(paper.key, name)
    if not cells:
        return None
    places = [(c.dataset, c.weighting, c.method, c.metric) for c in cells]
    if len(set(places)) < len(places):
        return list_table(paper, name, cells)
    return score_table(paper, name, cells)


def _unique(values) -> list:
    return list(dict.fromkeys(values))


def score_table(paper: Paper, name: str, cells: list[PrintedCell]) -> Table:
    """Return cells by dataset and weighting (down) and by metric and, if they fit, method (across).

    The score of the run with the lowest criterion is a metric of its own, beside the mean.
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
    columns = text_columns(*keys)
    drawn = any(cell.twin for cell in cells)
    sides = ("printed", "measured", "twin") if drawn else ("printed", "measured")
    for pair in across:
        path = (*_metric_path(pair[0], brackets), *pair[1:])
        columns += [Column((*path, side)) for side in sides]

    placed: dict[tuple, dict[tuple, PrintedCell]] = {}
    for cell in cells:
        down = (cell.dataset,) + (cell.weighting,) * weighted + (_across(cell),) * (not wide)
        over = (_base(cell.metric), _across(cell)) if wide else (_base(cell.metric),)
        placed.setdefault(down, {})[over] = cell
    rows = []
    for down, of_row in placed.items():
        pairs_of_row = [entry for over in across for entry in cell_entries(of_row.get(over), drawn)]
        rows.append([*entries(*down), *pairs_of_row])
    datasets = _unique(cell.dataset for cell in cells)
    width = len(sides)
    nulls = _null_rows(paper.of_item("nulls", name), datasets, metrics, keys, across, width)
    notes = [_TWINS] if drawn else []
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
    return table_of(paper, name, columns, rows, notes, nulls)


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


def _null_rows(nulls: pd.DataFrame, datasets, metrics, keys, across, sides) -> list[list[Entry]]:
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
                width = sides * sum(pair[0] == metric for pair in across)
                text = formats.with_spread(*_pooled(of_null[of_null["metric"] == metric]), 3)
                row += [Entry(), Entry(text, span=width - 1)]  # nobody printed a null model
            rows.append(row)
    return rows


def _pooled(rows: pd.DataFrame) -> tuple[float, float]:
    """Return mean and standard deviation of the union of equally large groups of runs."""
    if rows.empty:
        return math.nan, math.nan
    means = rows["measured"].map(formats.as_float)
    variances = rows["measured_sd"].map(formats.as_float) ** 2
    return means.mean(), math.sqrt(variances.mean() + means.var(ddof=0))


def list_table(paper: Paper, name: str, cells: list[PrintedCell]) -> Table:
    """Return one row per cell, for items whose cells differ in more than dataset and method."""
    fields = {
        "Dataset": [cell.dataset for cell in cells],
        "Weighting": [cell.weighting for cell in cells],
        "Method": [cell.method for cell in cells],
        "What": [formats.metric_name(cell.metric) for cell in cells],
        "Where": [cell.note for cell in cells],
    }
    # Leave out fields that are the same in every row, but always name the quantity.
    shown = {k: v for k, v in fields.items() if len(set(v)) > 1 or k == "What"}
    drawn = any(cell.twin for cell in cells)
    sides = ("printed", "measured", "twin") if drawn else ("printed", "measured")
    columns = [*text_columns(*shown), *number_columns(*sides)]
    rows = [
        [*entries(*(values[i] for values in shown.values())), *cell_entries(cell, drawn)]
        for i, cell in enumerate(cells)
    ]
    return table_of(paper, name, columns, rows, [_TWINS] if drawn else [])


def simple_table(name: str, title: str, frame: pd.DataFrame, headings: dict[str, str]) -> Table:
    """Return the named columns of a frame; scores get three decimals, counts none."""
    columns, shown = [], []
    for key, heading in headings.items():
        values = frame[key].map(formats.as_float)
        numeric = bool(values.notna().any())
        places = 0 if key == "runs" else 3
        columns.append(Column((heading,), numeric))
        shown.append([formats.number(v, places) for v in values] if numeric else list(frame[key]))
    rows = [entries(*row) for row in zip(*shown, strict=True)]
    return Table(name, title, "", columns, rows)
