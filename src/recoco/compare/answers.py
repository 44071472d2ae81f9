"""The answer of one reading to one printed cell: our number, and whether it agrees."""

import math
from dataclasses import dataclass

from recoco.compare.measures import Measure

SIGNIFICANT = 0.05
# Half of our interval from which on more runs cannot change what is said of a score.
PRECISE = 0.01
_EXACT = 1e-9
_NORMAL = 1.96


@dataclass(frozen=True)
class Answer:
    """The answer of one combination of choices to one printed cell.

    Attributes
    ----------
    within : whether ours agrees with the printed number for certain
    undecided : whether more runs could say that it agrees, or that it does not
    close : why ours is close to the printed number without agreeing; "" if it is not
    side : "higher" or "lower": ours, compared with the printed number
    spread : "agrees" or "differs" for the printed spread, "" if it is not judged
    """

    status: str
    measured: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int | None = 0
    tolerance: float | None = None
    within: bool = False
    side: str = "lower"
    why: str = ""
    trial: str = ""
    undecided: bool = False
    close: str = ""
    spread: str = ""

    @property
    def outcome(self) -> str:
        """The verdict on a number that only one reading gives."""
        return "undecided" if self.undecided else "reproduced" if self.within else self.side


@dataclass(frozen=True)
class Printed:
    """A printed number as its digits give it, and what the paper says about its spread.

    Attributes
    ----------
    sd : printed standard deviation, None if there is none
    runs : runs behind the number in the paper, None if that is not known
    """

    value: float
    rounding: float
    sd: float | None = None
    sd_rounding: float = 0.0
    runs: int | None = None

    @classmethod
    def of(cls, value: str, sd: str = "", runs: int | None = None) -> "Printed":
        """Read a printed number and its standard deviation."""
        return cls(
            float(value),
            rounding_of(value),
            float(sd) if sd else None,
            rounding_of(sd) if sd else 0.0,
            runs,
        )

    def tolerance(self, floor: float = 0.0) -> float:
        """Return by how much a right number may differ, from the print alone.

        The printed mean is rounded, and that of other runs than ours.
        """
        error = self.sd / math.sqrt(self.runs) if self.sd and self.runs else 0.0
        return max(floor, self.rounding + _NORMAL * error)


def agrees(value: float, printed: str) -> bool:
    """Say whether a printed number is a value rounded to its digits."""
    return abs(value - float(printed)) <= rounding_of(printed) + _EXACT


def rounding_of(text: str) -> float:
    """Return half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def unreachable(record: dict) -> Answer:
    """Return the answer to a cell whose dataset is not available."""
    return Answer("unreachable", why=record.get("by_hand", "its data is not available"))


def side_of(value: float, printed: float) -> str:
    """Return the verdict on a number that does not agree with the printed one."""
    return "higher" if value > printed else "lower"


def exact_answer(
    value: float, printed: str, why: str, tolerance: float | None = None, runs=1, **rest
) -> Answer:
    """Answer a printed number by one that has no error: only its rounding is allowed for."""
    tolerance = rounding_of(printed) if tolerance is None else tolerance
    within = abs(value - float(printed)) <= tolerance + _EXACT
    side = side_of(value, float(printed))
    return Answer(
        "ok", value, runs=runs, tolerance=tolerance, within=within, side=side, why=why, **rest
    )


def place_of(value, low, high, printed, tolerance, precise: float):
    """Return two truth values, or arrays of them: is it within the tolerance, is it undecided.

    Our interval must lie wholly inside printed +- tolerance, or wholly outside. If half of it is
    at most ``precise``, our number decides.
    """
    near = abs(value - printed) <= tolerance + _EXACT
    inside = (low >= printed - tolerance - _EXACT) & (high <= printed + tolerance + _EXACT)
    outside = (low > printed + tolerance + _EXACT) | (high < printed - tolerance - _EXACT)
    decided = inside | outside | (high - low <= 2 * precise + _EXACT)
    return near & decided, ~decided if hasattr(decided, "shape") else not decided


def runs_needed(ours: Measure, printed: float, tolerance: float, precise: float) -> int:
    """Return how many runs would about decide whether a number agrees."""
    to_edge = abs(abs(ours.value - printed) - tolerance)
    arm = max(ours.value - ours.low, ours.high - ours.value)
    needed = ours.runs * (arm / max(to_edge, precise)) ** 2
    return math.ceil(needed - _EXACT)


def answer_number(
    printed: Printed,
    ours: Measure,
    tolerance: float,
    precise: float = PRECISE,
    unit: str = "",
    close: str = "",
    **rest,
) -> Answer:
    """Compare a number computed from runs with a printed one.

    Parameters
    ----------
    tolerance : by how much a right number may differ
    precise : half of our interval from which on our number decides
    unit : what is counted, for the reason
    close : why a number beyond the tolerance is close, apart from the printed deviation
    """
    single = ours.runs < 2  # nothing is known of its error
    within, undecided = place_of(ours.value, ours.low, ours.high, printed.value, tolerance, precise)
    difference = ours.value - printed.value
    how = "within" if abs(difference) <= tolerance + _EXACT else "beyond"
    places = 1 if unit else 3
    why = (
        f"{ours.value:.{places}f}{unit} against {printed.value:g} printed: a difference of "
        f"{difference:+.{places}f}, {how} the tolerance of {tolerance:.2g}"
    )
    if single:
        why += "; one run says nothing about the error of ours"
    elif undecided:
        needed = runs_needed(ours, printed.value, tolerance, precise)
        why += (
            f", but our 95 % interval [{ours.low:.3f}, {ours.high:.3f}] of {ours.runs} runs lies "
            f"across its edge; about {needed} runs would decide"
        )
    if ours.too_small:
        why += f"; the pool of {ours.runs} starts is too small for the best of {ours.starts}"
    if printed.sd and abs(difference) <= printed.sd:
        close = f"within the printed standard deviation of {printed.sd:g}"
    return Answer(
        *("ok", ours.value, ours.sd, ours.low, ours.high, ours.runs, tolerance),
        within=bool(within) and not single,
        undecided=bool(undecided) or single,
        side=side_of(ours.value, printed.value),
        why=why,
        close=close,
        **rest,
    )


def answer_pvalue(printed: float, below: bool, p: float, same_way: bool, runs: int, **rest):
    """Compare a p-value: it is reproduced if it leads to the same conclusion.

    For "< 0.001" ours must be below it as well, for a number it must be on the same side of
    0.05; in both cases the means must differ in the printed direction.
    """
    shown = f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'} over {runs} runs"
    if below:
        same = p < printed
        wanted = f"p < {printed:g} printed"
    else:
        same = (p < SIGNIFICANT) == (printed < SIGNIFICANT)
        wanted = f"p = {printed:g} printed"
    why = f"{shown} against {wanted}"
    why += "" if same else ": another conclusion"
    why += "" if same_way else ", and the means differ the other way round"
    side = side_of(p, printed)
    return Answer("ok", p, runs=runs, within=same and same_way, side=side, why=why, **rest)
