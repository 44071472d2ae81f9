"""Topics and words on two axes, words by topic, and runs in order of their likelihood."""

import math

import numpy as np

from recoco.graph_plan import ALL, view_settings
from recoco.report import formats, svg
from recoco.report.drawing import COLOURS, Subject, drawing, grid, nothing, panels


def _parts(subject: Subject) -> dict[str, list[dict]]:
    parts: dict[str, list[dict]] = {"topic": [], "term": [], "count": []}
    for row in subject.paper.of_item("topics", subject.of).to_dict("records"):
        parts[row["part"]].append(row)
    return parts


def _place(row: dict) -> tuple[float, float]:
    return formats.as_float(row["x"]), formats.as_float(row["y"])


def _empty():
    figure, (axes,) = panels(1, 1, 8.6, 1.2)
    axes.set_axis_off()
    nothing(axes, "nothing was measured")
    return figure


def _topic_colour(row: dict) -> str:
    return COLOURS[1:][(int(formats.as_float(row["topic"])) - 1) % (len(COLOURS) - 1)]


@drawing
def correspondence_map(subject: Subject):
    """Topics (large marks) and the words that contribute most, on the first two axes."""
    parts = _parts(subject)
    if not parts["topic"]:
        return _empty()
    figure, (axes,) = panels(1, 1, 8.6, 6)
    axes.axhline(0, color=svg.FAINT, linewidth=0.5)
    axes.axvline(0, color=svg.FAINT, linewidth=0.5)
    taken: list[tuple[float, float, float, float]] = []
    points = np.array([_place(row) for row in (*parts["topic"], *parts["term"])])
    span = np.maximum(np.ptp(points, axis=0), 1e-9)
    for row in parts["topic"]:
        x, y = _place(row)
        axes.plot(x, y, marker="s", markersize=11, color=_topic_colour(row), linestyle="none")
        text = f"{formats.whole(row['topic'])}: {row['name']}"
        _label(axes, x, y, text, taken, span, 0.02, weight="bold", fontsize=9)
    for row in parts["term"]:
        x, y = _place(row)
        axes.plot(x, y, marker="o", markersize=3, color=svg.INK, linestyle="none")
        _label(axes, x, y, row["name"], taken, span, fontsize=8)
    shares = [formats.as_float(s) for s in parts["topic"][0]["inertia"].split()]
    for share, name in zip(shares, ("x", "y"), strict=False):
        text = f"{'first' if name == 'x' else 'second'} axis, {100 * share:.0f} % of the inertia"
        getattr(axes, f"set_{name}label")(text)
    axes.margins(0.12)
    return figure


def _label(axes, x, y, text, taken, span, away=0.01, **look) -> None:
    """Write beside a point, at the first of some places where no other word stands."""
    wide, high = 0.012 * len(text) * span[0], 0.028 * span[1]
    for step in range(12):
        offset = (1 + step // 2) * (1 if step % 2 == 0 else -1) * high * 0.75
        box = (x + away * span[0], y + offset - high / 2, x + wide, y + offset + high / 2)
        if not any(
            box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken
        ):
            break
    taken.append(box)
    axes.annotate(text, (x, y), xytext=(box[0], y + offset), va="center", **look)


@drawing
def term_frequencies(subject: Subject):
    """Share of each topic's objects that have a word: rows are words, columns topics."""
    parts = _parts(subject)
    topics, terms = parts["topic"], [row["name"] for row in parts["term"]]
    if not topics:
        return _empty()
    figure, (axes,) = panels(1, 1, 8.6, max(2.0, 0.24 * len(terms) + 1.1))
    shares = {(r["name"], r["topic"]): formats.as_float(r["value"]) for r in parts["count"]}
    largest = max(shares.values(), default=1.0) or 1.0
    # the words of one topic stand together
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


@drawing
def likelihood_order(subject: Subject):
    """Runs of the method on all graphs in order of likelihood, with the scores of each."""
    from matplotlib.lines import Line2D

    block = subject.paper.config["items"][subject.of]
    scores = subject.material.scores
    found = []
    for setting, details in view_settings(block):
        if details["graph"] != ALL or not len(scores):
            continue
        here = scores[
            (scores["dataset"] == setting.dataset)
            & (scores["weighting"] == setting.weighting)
            & (scores["slug"] == setting.slug)
        ].dropna(subset=["criterion"])
        if len(here):
            found.append((details["dataset"], here.sort_values("criterion", kind="stable")))
    if not found:
        return _empty()
    figure, columns = panels(1, len(found), 9, 3.0)
    lines = {
        "criterion": ("likelihood, scaled", svg.INK, "-", ""),
        "acc": ("ACC", COLOURS[1], "--", "o"),
        "nmi": ("NMI", COLOURS[2], ":", "s"),
    }
    for axes, (dataset, runs) in zip(columns, found, strict=True):
        at = np.arange(1, len(runs) + 1)
        for column, (_, colour, style, marker) in lines.items():
            values = runs[column].to_numpy(float)
            if column == "criterion":
                low, high = values.min(), values.max()
                values = (values - low) / (high - low) if high > low else np.ones(len(values))
            axes.plot(
                at,
                values,
                color=colour,
                linestyle=style,
                marker=marker,
                markersize=3,
                linewidth=1.3,
            )
        axes.set_title(dataset, loc="left", fontsize=9)
        axes.set_xlabel("runs, by likelihood")
        axes.locator_params(axis="x", integer=True)
        axes.set_ylim(-0.02, 1.02)
        grid(axes, "y")
    handles = [
        Line2D([], [], color=c, linestyle=s, marker=m, markersize=4, label=name)
        for name, c, s, m in lines.values()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure
