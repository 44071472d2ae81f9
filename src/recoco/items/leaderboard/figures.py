"""Drawings of a leaderboard: mean ranks, score against time, spread over the starts."""

import math

from recoco.items.leaderboard.entries import CONSENSUS, METHOD, SELECTIONS
from recoco.items.ranks.figures import cd_diagrams, diagram_of, too_few_datasets
from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg

_LOOKS = {
    METHOD: {"marker": "o", "color": draw.COLOURS[2]},
    CONSENSUS: {"marker": "s", "color": draw.COLOURS[3]},
    "null": {"marker": "x", "color": draw.COLOURS[0]},
}
_KINDS = {METHOD: "method", CONSENSUS: "consensus of all methods", "null": "null model"}


def _rows(subject: draw.Subject, frame: str, weighting: str, metric: str, selection="mean"):
    rows = subject.paper.of_item(frame, subject.of)
    same = (rows["weighting"] == weighting) & (rows["metric"] == metric)
    if "selection" in rows:
        same &= rows["selection"] == selection
    return rows[same]


@draw.drawing(data="standings")
def board_ranks(subject: draw.Subject):
    """Critical difference diagrams of all metrics, one below the other."""
    diagrams = []
    for weighting in subject.weightings:
        for metric in subject.setting("metrics"):
            rows = _rows(subject, "standings", weighting, metric)
            rows = rows[(rows["kind"] == METHOD) & (rows["cd"] != "")]
            if len(rows) > 1:
                title = f"{formats.metric_name(metric)}, {weighting}, {SELECTIONS['mean']}"
                diagrams.append(diagram_of(rows, title))
    return cd_diagrams(diagrams) if diagrams else too_few_datasets()


@draw.drawing(data="tradeoffs")
def board_times(subject: draw.Subject):
    """Mean score against seconds of a run, with the front of those that nothing beats in both."""
    weightings, metric = subject.weightings, subject.setting("metrics")[0]
    tradeoffs = {w: _rows(subject, "tradeoffs", w, metric) for w in weightings}
    if all(rows.empty for rows in tradeoffs.values()):
        return draw.empty_figure("no seconds are known of ranked methods", 6)
    figure, all_axes = draw.panels(1, len(weightings), 5.2 * len(weightings), 5.4)
    for axes, (weighting, rows) in zip(all_axes, tradeoffs.items(), strict=True):
        points = [
            (formats.as_float(r["seconds"]), formats.as_float(r["score"]), r)
            for r in rows.to_dict("records")
        ]
        front = sorted((x, y) for x, y, r in points if formats.as_bool(r["front"]))
        if front:
            axes.step(*zip(*front, strict=True), where="post", color=svg.FAINT, linewidth=1.0)
        for x, y, row in points:
            look = _LOOKS[row["kind"]]
            hollow = not formats.as_bool(row["front"]) and look["marker"] != "x"
            fill = {"markerfacecolor": svg.PAPER} if hollow else {}
            axes.plot([x], [y], markersize=6.5, linestyle="none", zorder=3, **look, **fill)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_title(weighting)
        axes.set_xlabel("seconds of a run, mean over the datasets")
        draw.grid(axes, "y")
        axes.margins(x=0.22, y=0.06)
        _name_points(axes, [(x, y, _short(r["method"])) for x, y, r in points])
    all_axes[0].set_ylabel(f"mean {formats.metric_name(metric)}")
    shown = {kind for rows in tradeoffs.values() for kind in rows["kind"]}
    handles = [draw.mark(_KINDS[kind], **_LOOKS[kind]) for kind in _KINDS if kind in shown]
    draw.legend(figure, handles, "outside lower center")
    return figure


def _short(name: str) -> str:
    return {"null": "random", "null-sorted": "random, sorted"}.get(name, name)


def _name_points(axes, points) -> None:
    """Write each name at the nearest place beside its point that is free of names and marks."""
    if not points:
        return
    low, high = axes.get_ylim()
    left, right = (math.log10(x) for x in axes.get_xlim())
    # From here on, units are letters (across) and lines (up), as shares of the drawing.
    letter, line = (right - left) * 0.0145, (high - low) * 0.033
    spots = [((math.log10(x) - left) / letter, (y - low) / line) for x, y, _ in points]
    widest, highest = (right - left) / letter, (high - low) / line
    taken = [(u - 1, v - 0.4, u + 1, v + 0.4) for u, v in spots]  # the marks
    for (u, v), (x, y, name) in sorted(zip(spots, points, strict=True), key=lambda p: -p[0][1]):
        places = [
            (u + side * (1.3 + far / 2) - (len(name) if side < 0 else 0), v + up * far)
            for far in (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8)
            for side in (1, -1)
            for up in (1, 0, -1)
        ]
        boxes = [(a, b - 0.5, a + len(name), b + 0.5) for a, b in places]
        inside = [
            box
            for box in boxes
            if min(box[0], box[1]) >= 0 and box[2] <= widest and box[3] <= highest
        ]
        free = [box for box in inside if not any(draw.overlap(box, other) for other in taken)]
        box = (free or inside or boxes)[0]
        taken.append(box)
        end, side = (box[0], "left") if box[0] > u else (box[2], "right")
        middle = (box[1] + box[3]) / 2
        place, at = 10 ** (left + end * letter), low + middle * line
        if abs(middle - v) > 1 or abs(end - u) > 2:
            axes.plot([x, place], [y, at], color=svg.FAINT, linewidth=0.5, zorder=1)
        axes.text(place, at, name, fontsize=7.5, va="center", ha=side, zorder=4)
    axes.set_ylim(low, high)
    axes.set_xlim(10**left, 10**right)


@draw.drawing(data="leaderboard")
def board_spread(subject: draw.Subject):
    """Standard deviation over the starts: a dot per dataset, and the mean of each method."""
    weightings, metric = subject.weightings, subject.setting("metrics")[0]
    spreads = {}
    for weighting in weightings:
        rows = _rows(subject, "leaderboard", weighting, metric)
        rows = rows[(rows["kind"] == METHOD) & (rows["sd"] != "")]
        spreads[weighting] = draw.as_numbers(rows, "sd").groupby("method")["sd"]
    means = {weighting: of_method.mean() for weighting, of_method in spreads.items()}
    order = list(means[weightings[0]].sort_values(ascending=False).index)
    order = [*(m for w in weightings for m in means[w].index if m not in order), *order]
    order = list(dict.fromkeys(order))
    if not order:
        return draw.empty_figure("no method has scores of several starts", 6)
    height = 0.24 * len(order) + 1.1
    figure, all_axes = draw.panels(1, len(weightings), 4.6 * len(weightings), height)
    for axes, (weighting, of_method) in zip(all_axes, spreads.items(), strict=True):
        groups = dict(tuple(of_method))
        for y, method in enumerate(order):
            values = groups.get(method)
            if values is None:
                continue
            whole = {"clip_on": False}  # many have no spread at all
            axes.plot(values, [y] * len(values), "o", color=draw.COLOURS[0], markersize=3, **whole)
            axes.plot(
                [values.mean()], [y], "D", color=draw.COLOURS[2], markersize=5, zorder=3, **whole
            )
        axes.set_title(weighting)
        axes.set_xlabel(f"standard deviation of {formats.metric_name(metric)} over the starts")
        draw.grid(axes, "x")
    all_axes[0].set_xlim(left=0)  # last, because it stops the axis from growing
    all_axes[0].set_yticks(range(len(order)), order)
    handles = [
        draw.mark("a dataset", marker="o", color=draw.COLOURS[0], markersize=3),
        draw.mark("mean", marker="D", color=draw.COLOURS[2], markersize=5),
    ]
    draw.legend(figure, handles, "outside lower center")
    return figure
