"""Figures about words: sizes of vocabularies, coherence of clusters, closeness of factors."""

import math
import textwrap

import numpy as np

from recoco.items.figure.bars import size_boxes
from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.figures.method_bars import bar, beside

# The method with the co-occurrences, then the one without.
_PAIR = ("WC-NMTF", "NMTF")


# ---- vocabulary sizes and gains ----------------------------------------------------------


@draw.drawing
def vocabulary_sizes(subject: draw.Subject):
    """Boxplots of the words per document, and the gains of the first of two methods."""
    names = list(subject.datasets)
    columns = _gain_columns(subject)
    figure = draw.new_figure(9.6, 0.42 * len(names) + 1.2)
    ratios = [4, 1.15 * len(columns)]
    axes, beside = figure.subplots(1, 2, sharey=True, width_ratios=ratios)
    size_boxes(subject, axes, "nonzeros")
    axes.set_xlabel("different words of a document; circles are the least and the most")
    beside.set_xlim(0, len(columns))
    beside.set_xticks([])
    for spine in beside.spines.values():
        spine.set_visible(False)
    beside.tick_params(axis="y", length=0, labelleft=False)
    upper, lower = _pair(subject)
    metrics = [formats.metric_name(m) for m in subject.setting("metrics")]
    title = f"{upper} minus {lower}, points of {' / '.join(metrics)}"
    beside.set_title(title, fontsize=9, fontweight="normal", pad=34)
    for place, (heading, gains) in enumerate(columns):
        beside.text(place + 0.5, -0.62, heading, ha="center", va="bottom", fontsize=8.5)
        for line, dataset in enumerate(names):
            text = gains[dataset]
            look = {"color": svg.INK if text else svg.FAINT, "ha": "center", "va": "center"}
            beside.text(place + 0.5, line, text or "no data", **look)
    return figure


def _pair(subject: draw.Subject) -> tuple[str, str]:
    """Return the two methods that are compared: those the figure names, else the paper's."""
    named = list(subject.item.get("methods", ()))
    return (named[0], named[1]) if len(named) == 2 else _PAIR


def _gain_columns(subject: draw.Subject) -> list[tuple[str, dict[str, str]]]:
    """Return a heading and the gains of every dataset: printed, then measured."""
    rows = subject.paper.of_item("combinations", subject.of)
    best = rows.loc[rows["best"].map(formats.as_bool).astype(bool), "combination"].tolist()
    as_printed = subject.paper.printed_combination(subject.of)
    columns = [("printed", _gains(subject, None))]
    if as_printed is not None:
        columns.append(("measured,\nread as printed", _gains(subject, as_printed)))
    if best and best[0] != as_printed:
        columns.append(("measured, best\ncombination", _gains(subject, best[0])))
    return columns


def _gains(subject: draw.Subject, combination: str | None) -> dict[str, str]:
    """Return e.g. ``+9 / +17`` for each dataset; empty where one of the scores is missing."""
    upper, lower = _pair(subject)
    weighting = subject.weightings[0] if subject.weightings else ""
    gains = {}
    for dataset in subject.datasets:
        parts = []
        for metric in subject.setting("metrics"):
            values = []
            for method in (upper, lower):
                cell = subject.find(dataset, weighting, method, metric)
                if combination is None:
                    values.append(formats.as_float(cell.value) if cell else math.nan)
                else:
                    values.append(draw.value_of(subject.measure(cell, combination)))
            gain = 100 * (values[0] - values[1])
            text = formats.number(gain, 0 if combination is None else 1)
            parts.append(text.replace("-", "−") if text.startswith("-") else f"+{text}")
        gains[dataset] = "" if "+" in parts else " / ".join(parts)
    return gains


# ---- coherence ---------------------------------------------------------------------------


@draw.drawing(data="coherence")
def coherence_bars(subject: draw.Subject):
    """Mean PMI of the top words of the clusters, methods side by side, a panel per m."""
    rows = _with_columns(subject, "coherence")
    names = _named_datasets(subject, rows)
    methods = _methods(subject, rows)
    sizes = _in_order(row["m"] for row in rows) or ["m = g"]
    figure, board = draw.panels(len(sizes), 1, 8.6, 2.5 * len(sizes) + 1.0, sharey=True)
    for axes, size in zip(board, sizes, strict=True):
        here = [row for row in rows if row["m"] == size]
        for place, dataset in enumerate(names):
            _pmi_bars(axes, place, methods, [row for row in here if row["dataset"] == dataset])
        axes.set_title(size, loc="left")
        axes.set_ylabel("mean PMI")
        labels = [_found_label(name, here) for name in names]
        axes.set_xticks(range(len(names)), labels)
        axes.set_xlim(-0.6, max(1, len(names)) - 0.4)
        axes.axhline(0, color=svg.FAINT, linewidth=0.6)
        draw.grid(axes, "y")
    if not rows:
        board[0].set_yticks([])
        draw.nothing(board[0], "no coherence was measured")
    figure.supxlabel(_corpora(rows), fontsize=7.5, color=svg.FAINT, x=0.01, ha="left")
    handles = [draw.patch(_colour(method), method) for method in methods]
    draw.legend(figure, handles, "outside upper right")
    return figure


def _pmi_bars(axes, place: int, methods: list[str], rows: list[dict]) -> None:
    by_method = {row["method"]: row for row in rows if math.isfinite(draw.value_of(row, "pmi"))}
    places, width = beside(place, len(methods), 0.62)
    for where, method in zip(places, methods, strict=True):
        row = by_method.get(method, {})
        if not bar(axes, where, width, row, "pmi", 2, color=_colour(method)):
            continue
        value, sd = draw.value_of(row, "pmi"), draw.value_of(row, "pmi_sd")
        reach = value + sd if sd > 0 else value
        above = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center", "fontsize": 8}
        axes.annotate(formats.number(value, 2), (where, max(0, reach)), **above)
    if not by_method:
        where = axes.get_xaxis_transform()
        draw.remark(axes, place, 0.06, "no data", ha="center", transform=where)


def _found_label(name: str, rows: list[dict]) -> str:
    """Return the name of a dataset and the share of its word pairs that the corpus has."""
    shares = []
    for row in rows:
        pairs, counted = draw.value_of(row, "pairs"), draw.value_of(row, "pairs_found")
        if row["dataset"] == name and pairs > 0 and math.isfinite(counted):
            shares.append(round(100 * counted / pairs))
    if not shares:
        return name
    low, high = min(shares), max(shares)
    text = f"{low}" if low == high else f"{low} to {high}"
    return f"{name}\n{text} % of pairs found"


def _corpora(rows: list[dict]) -> str:
    """Return in which corpus the pairs were counted: once if it is the same for all."""
    used: dict[str, list[str]] = {}
    for row in rows:
        names = used.setdefault(row["corpus"] or "not named", [])
        if row["dataset"] not in names:
            names.append(row["dataset"])
    if not used:
        return ""
    if len(used) == 1:
        text = f"Pairs of words counted in: {next(iter(used))}"
    else:
        parts = [f"{', '.join(names)}: {corpus}" for corpus, names in used.items()]
        text = f"Pairs of words counted in: {'; '.join(parts)}"
    return textwrap.fill(text, 150)


# ---- cosines -----------------------------------------------------------------------------


@draw.drawing(data="cosines")
def cosine_distributions(subject: draw.Subject):
    """Cosines between the top words of each class: outlines of both methods, and medians."""
    rows = _with_columns(subject, "cosines")
    names = _named_datasets(subject, rows)
    methods = _methods(subject, rows)
    sizes = _in_order(row["m"] for row in rows) or ["m = g"]
    figure = draw.new_figure(max(5.5, 2.2 * len(sizes) + 1.6), 1.15 * len(names) + 1.1)
    board = figure.subplots(len(names), len(sizes), sharex=True, sharey="row", squeeze=False)
    for line, dataset in enumerate(names):
        highest = 0.0
        for column, size in enumerate(sizes):
            axes = board[line, column]
            here = [r for r in rows if r["dataset"] == dataset and r["m"] == size]
            highest = max(highest, _outlines(axes, methods, here))
            axes.set_yticks([])
            axes.spines["left"].set_visible(False)
            if line == 0:
                axes.set_title(size, loc="left")
        board[line, 0].set_ylim(0, 1.05 * highest or 1)
        board[line, 0].set_ylabel(dataset, rotation=0, ha="right", va="center")
    for axes in board[-1]:
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        axes.tick_params(axis="x", pad=6 + 8 * len(methods))  # room for the medians
    figure.supxlabel("cosine of two word factors; height: share of the pairs of words", fontsize=9)
    handles = [draw.patch(_colour(method), method, alpha=0.75) for method in methods]
    median = draw.mark("median", marker="^", color=svg.FAINT, markersize=5, markeredgewidth=0)
    draw.legend(figure, [*handles, median], "outside upper right")
    return figure


def _outlines(axes, methods: list[str], rows: list[dict]) -> float:
    """Draw the histograms of a panel and return the height of the highest."""
    by_method = {row["method"]: row for row in rows}
    highest = 0.0
    for rank, method in enumerate(methods):
        row = by_method.get(method, {})
        counts = np.array([formats.as_float(n) for n in row.get("histogram", "").split()])
        if not len(counts) or not np.isfinite(counts).all() or counts.sum() <= 0:
            continue
        share = counts / counts.sum()
        edges = np.linspace(0, 1, len(counts) + 1)
        colour = _colour(method)
        axes.stairs(share, edges, fill=True, color=colour, alpha=0.22, linewidth=0)
        axes.stairs(share, edges, color=colour, linewidth=1.5)
        median = draw.value_of(row, "median")
        if math.isfinite(median):
            # Below the axis, one under the other: equal medians must both be visible.
            look = {"marker": "^", "color": colour, "markersize": 5, "clip_on": False}
            where = axes.get_xaxis_transform()
            axes.plot(median, -0.07 - 0.1 * rank, transform=where, markeredgewidth=0, **look)
        highest = max(highest, float(share.max()))
    if not highest:
        draw.nothing(axes, "no data")
    return highest


# ---- shared ------------------------------------------------------------------------------


def _with_columns(subject: draw.Subject, frame: str) -> list[dict]:
    """Return the rows of a frame for the item drawn, each with its m as in the papers."""
    rows = []
    for row in subject.rows(frame):
        number = int(formats.as_float(row["column_clusters"]))
        classes = subject.material.datasets.get(row["card"], {}).get("classes")
        rows.append({**row, "m": "m = g" if number == classes else f"m = {number}"})
    return rows


def _named_datasets(subject: draw.Subject, rows: list[dict]) -> list[str]:
    """Return the datasets of the figure, including those without a number."""
    return list(dict.fromkeys([*subject.datasets, *(row["dataset"] for row in rows)]))


def _methods(subject: draw.Subject, rows: list[dict]) -> list[str]:
    """Return the methods in the order of drawing: the proposed one comes last, on top."""
    named = subject.setting("methods")
    methods = list(dict.fromkeys([*named, *(row["method"] for row in rows)]))
    return sorted(methods, key=lambda method: method == _PAIR[0])


def _colour(method: str) -> str:
    return draw.COLOURS[2] if method == _PAIR[0] else draw.COLOURS[1]


def _in_order(sizes) -> list[str]:
    """Return the different m, that of g first, then by number."""
    return sorted(set(sizes), key=lambda m: -1 if m == "m = g" else int(m.split()[-1]))
