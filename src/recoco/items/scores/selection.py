"""The figure that shows what a mean over many starts can hide."""

import math

import numpy as np

from recoco.report import formats
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg

_STARTS = "#3d8fd1"  # visible on a light and on a dark background
_RULES = {
    "mean": {"marker": "|", "color": _STARTS, "markersize": 12, "markeredgewidth": 2.4},
    "best": {"marker": "D", "color": draw.COLOURS[1], "markersize": 5.5, "markeredgewidth": 0},
    "oracle": {"marker": "v", "color": draw.COLOURS[4], "markersize": 6, "markeredgewidth": 0},
}
# Hollow and larger than the others: a mark inside the circle agrees with the printed value.
_PRINTED = draw.hollow(10, 1.3, "none")


@draw.drawing
def selection_rules(subject: draw.Subject):
    """Every single start, and where each way to choose among starts ends up."""
    names, weightings = list(subject.datasets), subject.weightings
    metric, method = subject.setting("metrics")[0], list(subject.setting("methods"))[-1]
    rules = _rules(subject)
    figure, columns = draw.panels(1, len(weightings), 10, 0.66 * len(names) + 1.3)
    for axes, weighting in zip(columns, weightings, strict=True):
        for place, dataset in enumerate(names):
            cell = subject.find(dataset, weighting, method, metric)
            _distribution(subject, axes, place, cell, metric, rules)
        if weighting != "na":
            axes.set_title(weighting, loc="left")
        axes.set_xlim(-0.02, 1.02)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        axes.set_xlabel(f"{formats.metric_name(metric)} of {method}")
        axes.spines["left"].set_visible(False)
        draw.grid(axes, "x")
    columns[0].set_yticks(range(len(names)), names)
    columns[0].set_ylim(len(names) - 0.55, -0.85)
    handles = [draw.patch(_STARTS, "single starts", alpha=0.42)]
    handles += [draw.mark(text, **look) for text, look, _ in rules]
    handles.append(draw.mark("printed ± its deviation", **_PRINTED))
    draw.legend(figure, handles, "outside upper center")
    return figure


def _rules(subject: draw.Subject) -> list[tuple[str, dict, str]]:
    """Return (text, look, combination) of the printed reading and of every other selection.

    Only the choice named ``selection`` varies; all other choices are as printed.
    """
    rows = subject.paper.of_item("combinations", subject.of)
    printed = subject.paper.printed_combination(subject.of)
    if printed is None:
        return []
    others = [c for c in rows.columns if c.startswith("choice_") and c != "choice_selection"]
    as_printed = rows[rows["combination"] == printed].iloc[0]
    rules = [("their mean", _RULES["mean"], printed)]
    if "selection" not in subject.drawn["choices"]:
        return rules
    options = subject.drawn["choices"]["selection"]["options"]
    for row in rows.to_dict("records"):
        name, selection = row["combination"], row["choice_selection"]
        if name == printed or any(row[c] != as_printed[c] for c in others):
            continue
        if options[selection]["select_by_method"]:
            continue  # it is about other methods than the one that is drawn
        if "oracle" in selection:
            rules.append(("the best by the truth", _RULES["oracle"], name))
        elif selection == "criterion":
            rules.append(("the run with the best criterion", _RULES["best"], name))
        else:
            text = f"mean of the best of {_starts(subject, name)} by the criterion"
            rules.append((text, _RULES["best"], name))
    return rules


def _starts(subject: draw.Subject, combination: str) -> str:
    """Return of how many starts the best is taken, from the names of the trials."""
    rows = subject.paper.frames["measures"]
    trials = rows.loc[rows["combination"] == combination, "trial"]
    counts = trials.str.extract(r"n_init=(\d+)")[0].dropna()
    return counts.iloc[0] if len(counts) else "n"


def _distribution(subject: draw.Subject, axes, place: int, cell, metric: str, rules) -> None:
    axes.axhline(place, color=svg.FAINT, alpha=0.35, linewidth=0.5, zorder=0)
    if cell is None:
        return
    rows = [(look, subject.measure(cell, combination)) for _, look, combination in rules]
    values = _single_starts(subject, rows[0][1] if rows else {}, metric)
    if len(values):
        points, density = _density(values)
        base = place - 0.08
        axes.fill_between(
            points, base, base - 0.62 * density, color=_STARTS, alpha=0.42, linewidth=0
        )
        # One path for all ticks: thousands of separate elements would make the page heavy.
        gap = np.full(len(values), np.nan)
        across = np.column_stack([values, values, gap]).ravel()
        down = np.tile([place + 0.13, place + 0.26, np.nan], len(values))
        axes.plot(across, down, color=_STARTS, alpha=0.6, linewidth=0.6)
    else:
        draw.remark(axes, 0.0, place - 0.1, "no data here")
    for look, row in rows:
        if math.isfinite(draw.value_of(row)):
            # The oracle's mark points at the line from above, so that it hides no other mark.
            lift = 0.16 if look is _RULES["oracle"] else 0
            axes.plot(draw.value_of(row), place - lift, zorder=4, **look)
    printed, sd = formats.as_float(cell.value), formats.as_float(cell.sd)
    if math.isfinite(printed):
        if sd > 0:
            ends = [printed - sd, printed + sd]
            axes.plot(ends, [place, place], color=svg.INK, linewidth=1.2, zorder=3)
        axes.plot(printed, place, zorder=5, **_PRINTED)


def _single_starts(subject: draw.Subject, row: dict, metric: str) -> np.ndarray:
    """Return the scores of the runs behind a measure."""
    scores = subject.material.scores
    if not row.get("trial") or metric not in scores.columns:
        return np.empty(0)
    runs = subject.material.runs_of(*row["trial"].split("/", 2))
    runs = runs[runs["status"].isin(["ok", "degenerate"])]
    return np.sort(runs[metric].dropna().to_numpy(dtype=float))


def _density(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a Gaussian density scaled to a peak of one.

    Silverman's bandwidth would blur two optima into one hill. Half of it is used, but not less
    than what is visible on the axis.
    """
    quartiles = np.subtract(*np.percentile(values, [75, 25])) / 1.34
    scale = min((x for x in (values.std(), quartiles) if x > 0), default=0.0)
    width = max(0.45 * scale * len(values) ** -0.2, 0.008)
    low, high = max(0, values[0] - 3 * width), min(1, values[-1] + 3 * width)
    points = np.linspace(low, high, 120)
    density = np.exp(-0.5 * ((points[:, None] - values) / width) ** 2).sum(axis=1)
    return points, density / density.max()
