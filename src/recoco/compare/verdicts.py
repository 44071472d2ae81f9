"""When a printed number counts as reproduced, and the verdict when it does not."""

from dataclasses import dataclass

from recoco.compare.measures import Measure

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Answer:
    """The answer of one combination of choices to one printed cell.

    ``sign`` is +1 if ours is on the better side of the printed value.
    """

    status: str
    measured: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int | None = 0
    tolerance: float | None = None
    within: bool = False
    sign: int = 0
    why: str = ""
    trial: str = ""


def unreachable(record: dict) -> Answer:
    """Return the answer to a cell whose dataset is not available."""
    return Answer("unreachable", why=record.get("by_hand", "its data is not available"))


def side_of(value: float, printed: float, within: bool) -> str:
    """Return the verdict on a number of which a larger one is better."""
    return "reproduced" if within else "better" if value > printed else "worse"


def answer_score(printed: float, printed_sd: float | None, ours: Measure, floor: float, **rest):
    """Compare a mean: within the largest of floor, printed sd and half our interval."""
    reasons = {
        f"the floor of {floor:g}": floor,
        f"the printed standard deviation {printed_sd or 0:g}": printed_sd or 0.0,
        f"half of our 95 % interval, {ours.half_interval:.3f}": ours.half_interval,
    }
    which, tolerance = max(reasons.items(), key=lambda pair: pair[1])
    difference = ours.value - printed
    within = abs(difference) <= tolerance + 1e-12
    why = (
        f"{ours.value:.3f} against {printed:g} printed: a difference of {difference:+.3f}, "
        f"{'within' if within else 'beyond'} {which}"
    )
    return _measured(ours, tolerance, within, 1 if difference > 0 else -1, why, **rest)


def _measured(ours: Measure, tolerance, within, sign, why, **rest) -> Answer:
    numbers = (ours.value, ours.sd, ours.low, ours.high, ours.runs)
    return Answer("ok", *numbers, tolerance, within, sign, why, **rest)


def answer_count(printed: float, ours: Measure, expected: int, **rest) -> Answer:
    """Compare a mean number of clusters: within half a cluster, or half our interval if larger.

    The better side is the one nearer to the number of classes.
    """
    tolerance = max(0.5, ours.half_interval)
    difference = ours.value - printed
    within = abs(difference) <= tolerance + 1e-12
    nearer = abs(ours.value - expected) < abs(printed - expected)
    why = (
        f"{ours.value:.1f} clusters against {printed:g} printed, of {expected} classes: a "
        f"difference of {difference:+.1f}, {'within' if within else 'beyond'} {tolerance:.2g}"
    )
    return _measured(ours, tolerance, within, 1 if nearer else -1, why, **rest)


def answer_classes(printed: str, classes: int, **rest) -> Answer:
    """Compare a printed number of classes with that of the data."""
    within = float(printed) == classes
    why = f"{classes} classes in the data against {printed} printed"
    sign = 1 if classes > float(printed) else -1
    return Answer(
        "ok", float(classes), runs=1, tolerance=0.0, within=within, sign=sign, why=why, **rest
    )


def is_rounded(value: float, printed: str) -> tuple[bool, float]:
    """Return whether a printed number is a value rounded to its digits, and the tolerance."""
    tolerance = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return abs(value - float(printed)) <= tolerance + 1e-9, tolerance


def answer_pvalue(printed: float, below: bool, p: float, same_way: bool, runs: int, **rest):
    """Compare a p-value: it is reproduced if it leads to the same conclusion.

    For "< 0.001" ours must be below it as well, for a number it must be on the same side of
    0.05; in both cases the means must differ in the printed direction.
    """
    shown = f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'} over {runs} runs"
    if below:
        within = p < printed and same_way
        wanted = f"p < {printed:g} printed"
    else:
        within = (p < SIGNIFICANT) == (printed < SIGNIFICANT) and same_way
        wanted = f"p = {printed:g} printed"
    stronger = same_way and p < printed
    way = "" if same_way else ", and the means differ the other way round"
    why = f"{shown} against {wanted}{way}"
    return Answer("ok", p, None, None, None, runs, None, within, 1 if stronger else -1, why, **rest)


def verdict(
    as_printed: Answer,
    best: Answer,
    best_text: str,
    variant: str | None,
) -> tuple[str, Answer, str]:
    """Return the verdict on a cell, the answer it rests on, and the reason in a sentence."""
    if as_printed.status == "unreachable":
        return "unreachable", as_printed, as_printed.why
    if as_printed.status in ("not-run", "failed", "timeout"):
        outcome = "not-run" if as_printed.status == "not-run" else "failed"
        return outcome, as_printed, as_printed.why
    if variant:
        return "variant", as_printed, f"{as_printed.why}; our data is not the paper's: {variant}"
    if as_printed.within:
        return "reproduced", as_printed, f"{as_printed.why}."
    if best.within:
        reason = (
            f"As printed: {as_printed.why}. It comes out under the table's best fixed "
            f"combination ({best_text}): {best.why}."
        )
        return "explained", best, reason
    return ("better" if as_printed.sign > 0 else "worse"), as_printed, f"{as_printed.why}."
