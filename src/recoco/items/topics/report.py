"""Topics in the report: a table, topics and words on two axes, words by topic."""

import math

import numpy as np

from recoco.report import formats
from recoco.report.figures import svg
from recoco.report.figures.drawing import COLOURS, Subject, drawing, empty_figure, overlap, panels
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Table, entries, number_columns, table_of, text_columns


def topics_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the features that set the topics apart, with their share in each topic."""
    topics, terms, counts = _parts(paper, name)
    if not topics:
        return None
    shares = {(row["name"], row["topic"]): row["value"] for row in counts}
    numbers = [formats.whole(topic["topic"]) for topic in topics]
    columns = [*text_columns("Word"), *number_columns("contribution %")]
    columns += number_columns(*(f"topic {n}" for n in numbers), under="share of the papers, %")
    lines = []
    for row in terms:
        values = [row["value"], *(shares.get((row["name"], t["topic"]), "") for t in topics)]
        percents = [formats.number(100 * formats.as_float(value), 1) for value in values]
        lines.append(entries(row["name"], *percents))
    notes = [
        f"Topic {number}: {topic['name']}, {formats.whole(topic['value'])} papers."
        for number, topic in zip(numbers, topics, strict=True)
    ]
    return table_of(paper, name, columns, lines, notes)


def _parts(paper: Paper, name: str) -> tuple[list[dict], list[dict], list[dict]]:
    """Return the rows about topics, about terms and about terms in topics."""
    rows = paper.rows_of("topics", name)
    topics, terms, counts = (
        [row for row in rows if row["part"] == part] for part in ("topic", "term", "count")
    )
    return topics, terms, counts


def _place(row: dict) -> tuple[float, float]:
    return formats.as_float(row["x"]), formats.as_float(row["y"])


def _topic_colour(row: dict) -> str:
    return COLOURS[1:][(int(formats.as_float(row["topic"])) - 1) % (len(COLOURS) - 1)]


@drawing(data="topics")
def correspondence_map(subject: Subject):
    """Topics (large marks) and the words that contribute most, on the first two axes."""
    topics, terms, _ = _parts(subject.paper, subject.of)
    if not topics:
        return empty_figure("nothing was measured")
    figure, (axes,) = panels(1, 1, 8.6, 6)
    axes.axhline(0, color=svg.FAINT, linewidth=0.5)
    axes.axvline(0, color=svg.FAINT, linewidth=0.5)
    taken: list[tuple[float, float, float, float]] = []
    points = np.array([_place(row) for row in (*topics, *terms)])
    span = np.maximum(np.ptp(points, axis=0), 1e-9)
    for row in topics:
        x, y = _place(row)
        axes.plot(x, y, marker="s", markersize=11, color=_topic_colour(row), linestyle="none")
        text = f"{formats.whole(row['topic'])}: {row['name']}"
        _label(axes, x, y, text, taken, span, 0.02, weight="bold", fontsize=9)
    for row in terms:
        x, y = _place(row)
        axes.plot(x, y, marker="o", markersize=3, color=svg.INK, linestyle="none")
        _label(axes, x, y, row["name"], taken, span, fontsize=8)
    shares = [formats.as_float(s) for s in topics[0]["inertia"].split()]
    for share, name in zip(shares, ("x", "y"), strict=False):
        text = f"{'first' if name == 'x' else 'second'} axis, {100 * share:.0f} % of the inertia"
        getattr(axes, f"set_{name}label")(text)
    axes.margins(0.12)
    return figure


def _label(axes, x, y, text, taken, span, away=0.01, **look) -> None:
    """Write a text beside a point, at the first of some places that no other text covers."""
    wide, high = 0.012 * len(text) * span[0], 0.028 * span[1]
    for step in range(12):
        offset = (1 + step // 2) * (1 if step % 2 == 0 else -1) * high * 0.75
        box = (x + away * span[0], y + offset - high / 2, x + wide, y + offset + high / 2)
        if not any(overlap(box, other) for other in taken):
            break
    taken.append(box)
    axes.annotate(text, (x, y), xytext=(box[0], y + offset), va="center", **look)


@drawing(data="topics")
def term_frequencies(subject: Subject):
    """Share of each topic's objects that have a word: rows are words, columns topics."""
    topics, rows, counts = _parts(subject.paper, subject.of)
    terms = [row["name"] for row in rows]
    if not topics:
        return empty_figure("nothing was measured")
    figure, (axes,) = panels(1, 1, 8.6, max(2.0, 0.24 * len(terms) + 1.1))
    shares = {(r["name"], r["topic"]): formats.as_float(r["value"]) for r in counts}
    largest = max(shares.values(), default=1.0) or 1.0
    # keep the words of each topic together
    terms.sort(key=lambda t: int(np.argmax([shares.get((t, k["topic"]), 0) for k in topics])))
    for column, topic in enumerate(topics):
        for line, term in enumerate(terms):
            share = shares.get((term, topic["topic"]), math.nan)
            if not share > 0:
                continue
            # the longest bar leaves room for its number
            width = 0.72 * share / largest
            axes.barh(line, width, 0.7, left=column, color=_topic_colour(topic))
            text = f"{100 * share:.1f}"
            axes.text(column + width + 0.02, line, text, va="center", fontsize=7)
    axes.set_yticks(range(len(terms)), terms)
    axes.set_ylim(len(terms) - 0.4, -0.6)
    names = [f"{formats.whole(t['topic'])}: {t['name']}" for t in topics]
    axes.set_xticks([k + 0.02 for k in range(len(topics))], names, ha="left", fontsize=8)
    axes.xaxis.tick_top()
    axes.set_xlim(0, len(topics) + 0.1)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(length=0)
    return figure
