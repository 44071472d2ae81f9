"""When a printed number comes out, and what is said when it does not."""

from dataclasses import dataclass

from recoco.compare.measures import Measure

VERDICTS = (
    "reproduced",
    "explained",
    "better",
    "worse",
    "variant",
    "unreachable",
    "failed",
    "not-run",
)
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Answer:
    """What one combination of choices gives for one printed cell."""

    status: str
    measured: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int = 0
    tolerance: float | None = None
    within: bool = False
    sign: int = 0  # +1 when ours is on the better side of the printed value
    why: str = ""
    trial: str = ""


def answer_score(printed: float, printed_sd: float | None, found: Measure, floor: float, **rest):
    """Compare a mean: within the largest of floor, printed sd and half our interval."""
    reasons = {
        f"the floor of {floor:g}": floor,
        f"the printed standard deviation {printed_sd or 0:g}": printed_sd or 0.0,
        f"half of our 95 % interval, {found.half_interval:.3f}": found.half_interval,
    }
    which, tolerance = max(reasons.items(), key=lambda pair: pair[1])
    difference = found.value - printed
    within = abs(difference) <= tolerance + 1e-12
    why = (
        f"{found.value:.3f} against {printed:g} printed: a difference of {difference:+.3f}, "
        f"{'within' if within else 'beyond'} {which}"
    )
    return Answer(
        "ok",
        found.value,
        found.sd,
        found.low,
        found.high,
        found.runs,
        tolerance,
        within,
        1 if difference > 0 else -1,
        why,
        **rest,
    )


def answer_count(printed: float, found: Measure, expected: int, **rest) -> Answer:
    """Compare a mean number of clusters: within half a cluster, or half our interval if larger.

    The better side is the one nearer to the number of classes.
    """
    tolerance = max(0.5, found.half_interval)
    difference = found.value - printed
    within = abs(difference) <= tolerance + 1e-12
    nearer = abs(found.value - expected) < abs(printed - expected)
    why = (
        f"{found.value:.1f} clusters against {printed:g} printed, of {expected} classes: a "
        f"difference of {difference:+.1f}, {'within' if within else 'beyond'} {tolerance:.2g}"
    )
    numbers = (found.value, found.sd, found.low, found.high, found.runs, tolerance, within)
    return Answer("ok", *numbers, 1 if nearer else -1, why, **rest)


def answer_classes(printed: str, classes: int, **rest) -> Answer:
    """Compare a printed number of classes with that of the data."""
    within = float(printed) == classes
    why = f"{classes} classes in the data against {printed} printed"
    sign = 1 if classes > float(printed) else -1
    return Answer(
        "ok", float(classes), runs=1, tolerance=0.0, within=within, sign=sign, why=why, **rest
    )


def is_rounded(value: float, printed: str) -> tuple[bool, float]:
    """Say whether a printed number is a value rounded to its digits, and what that allows."""
    tolerance = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return abs(value - float(printed)) <= tolerance + 1e-9, tolerance


def answer_pvalue(printed: float, below: bool, p: float, same_way: bool, runs: int, **rest):
    """Compare a p-value: it comes out when it leads to the same conclusion.

    "< 0.001" asks for the same of ours; a printed number asks for the same side of 0.05; both
    ask for a difference in the printed direction.
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
        return (
            ("not-run" if as_printed.status == "not-run" else "failed"),
            as_printed,
            (as_printed.why),
        )
    if variant:
        return "variant", as_printed, f"{as_printed.why}; our data is not the paper's: {variant}"
    if as_printed.within:
        return "reproduced", as_printed, f"{as_printed.why}."
    if best.within:
        return (
            "explained",
            best,
            (
                f"As printed: {as_printed.why}. It comes out under the table's best fixed "
                f"combination ({best_text}): {best.why}."
            ),
        )
    return ("better" if as_printed.sign > 0 else "worse"), as_printed, f"{as_printed.why}."
