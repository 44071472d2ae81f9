"""How long a run of each method takes, against the non-zeros of the data."""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from recoco.report import formats
from recoco.report.inputs import Material

_COLUMNS = ["dataset", "weighting", "method", "slug", "runs", "seconds"]
# The least datasets, and the least ratio of their sizes, for a meaningful slope.
_FEWEST, _SPREAD = 3, 4.0


@dataclass(frozen=True)
class Speed:
    """Seconds of a run on each dataset, and the slope of the line through their logarithms."""

    points: tuple[tuple[str, float, float], ...]  # dataset, non-zeros, seconds
    slope: float
    constant: float

    @property
    def text(self) -> str:
        if math.isnan(self.slope):
            return ""
        return f"Seconds grow as nnz^{{{formats.number(self.slope, 2)}}}".replace("-", "−")


def plainest(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep one setting of each method on a dataset and weighting: the one with fewest parameters.

    It is chosen by its name and not by its scores, which would favour methods with many settings.
    """
    by = frame.assign(_parts=frame["slug"].str.count(","), _length=frame["slug"].str.len())
    by = by.sort_values(["_parts", "_length", "slug"], kind="stable")
    where = ["dataset", "weighting", "method"]
    chosen = by.drop_duplicates(where)[[*where, "slug"]]
    return frame.merge(chosen, on=[*where, "slug"])


def seconds_per_run(timings: pd.DataFrame) -> dict[str, float]:
    """Return the seconds of one run of each setting, from the jobs that ran its blocks."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    for row in timings.to_dict("records"):
        setting, _, block = str(row.get("name", "")).rpartition("/")
        first, _, last = block.partition("-")
        if row.get("stage") == "runs" and first.isdigit() and last.isdigit():
            totals[setting][0] += formats.as_float(row["seconds"])
            totals[setting][1] += int(last) - int(first)
    return {name: total / runs for name, (total, runs) in totals.items() if runs}


def blocks(timings: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds that each block of runs took to compute."""
    rows = []
    if "stage" in timings.columns:
        for row in timings[timings["stage"] == "runs"].to_dict("records"):
            dataset, weighting, slug, block = row["name"].split("/")
            start, stop = (int(number) for number in block.split("-"))
            computing = formats.as_float(row.get("computing"))
            seconds = computing if math.isfinite(computing) else formats.as_float(row["seconds"])
            method = slug.split(",")[0]
            rows.append((dataset, weighting, method, slug, stop - start, seconds))
    return pd.DataFrame(rows, columns=_COLUMNS)


def speeds(material: Material) -> dict[str, Speed]:
    """Return the speed of each method that was timed.

    The time of a setting is that of its block with most runs, where fixed costs matter least.
    """
    timed = blocks(material.timings)
    if timed.empty:
        return {}
    timed = plainest(timed).sort_values("runs", kind="stable")
    timed = timed.drop_duplicates(["dataset", "weighting", "method"], keep="last")
    timed["seconds"] /= timed["runs"]
    by_method = {}
    for method, rows in timed.groupby("method", sort=True):
        points = []
        for dataset, seconds in rows.groupby("dataset", sort=True)["seconds"].median().items():
            size = sum(material.datasets.get(dataset, {}).get("nonzeros", []))
            if size and seconds > 0:
                points.append((dataset, float(size), float(seconds)))
        if points:
            by_method[method] = Speed(tuple(points), *_line(points))
    return by_method


def _line(points) -> tuple[float, float]:
    """Return slope and constant of the line of least squares through the logarithms."""
    sizes = [size for _, size, _ in points]
    if len(points) < _FEWEST or max(sizes) < _SPREAD * min(sizes):
        return math.nan, math.nan
    logs = np.log10([(size, seconds) for _, size, seconds in points])
    slope, constant = np.polyfit(logs[:, 0], logs[:, 1], 1)
    return float(slope), float(constant)


# ---- the small plot of a card ---------------------------------------------------------------

_WIDTH, _HEIGHT = 300, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 20, 34


def plot(speed: Speed, title: str) -> Markup:
    """Return a plot of seconds against non-zeros, both by powers of ten."""
    sizes = [math.log10(size) for _, size, _ in speed.points]
    times = [math.log10(seconds) for _, _, seconds in speed.points]
    across, up = _scale(sizes, _LEFT, _WIDTH - _RIGHT), _scale(times, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg class="plot speed" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}: seconds of a run against non-zeros">'
    ]
    for power, y in up[1]:
        parts.append(f'<path class="rule" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{power}</text>')
    base = _HEIGHT - _BOTTOM
    for power, x in across[1]:
        parts.append(f'<path class="rule" d="M{x:.1f} {_TOP}V{base}"/>')
        parts.append(f'<text x="{x:.1f}" y="{base + 14}" text-anchor="middle">{power}</text>')
    end = _WIDTH - _RIGHT
    parts.append(f'<text x="{end}" y="{_HEIGHT - 4}" text-anchor="end">non-zeros</text>')
    parts.append('<text x="4" y="11">seconds of a run</text>')
    if not math.isnan(speed.slope):
        ends = [min(sizes), max(sizes)]
        path = " L".join(
            f"{across[0](x):.1f} {up[0](speed.constant + speed.slope * x):.1f}" for x in ends
        )
        parts.append(f'<path class="fit" d="M{path}"/>')
    for (dataset, size, seconds), x, y in zip(speed.points, sizes, times, strict=True):
        text = f"{dataset}: {size:,.0f} non-zeros, {seconds:.3g} s"
        parts.append(
            f'<circle cx="{across[0](x):.1f}" cy="{up[0](y):.1f}" r="4">'
            f"<title>{escape(text)}</title></circle>"
        )
    return Markup("".join(parts) + "</svg>")


def _scale(values: list[float], start: float, stop: float):
    """Return the function that places a logarithm, and the powers of ten with their places."""
    low, high = min(values), max(values)
    room = max(0.15 * (high - low), 0.2)
    low, high = low - room, high + room
    if math.floor(high) < math.ceil(low) + 1:  # at least two powers are named
        low, high = min(low, math.floor(low + room)), max(high, math.ceil(high - room))

    def place(value: float) -> float:
        return start + (value - low) / (high - low) * (stop - start)

    powers = range(math.ceil(low), math.floor(high) + 1)
    return place, [(_power(power), place(power)) for power in powers]


def _power(power: int) -> str:
    if -3 <= power <= 3:
        return f"{10.0**power:g}"
    small = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{small}"
