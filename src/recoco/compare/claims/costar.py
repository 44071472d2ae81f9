"""Claims of the CoStar paper that have no form in common with others."""

import numpy as np

from recoco.compare.claims.registry import grade, grade_readings, special

# The largest power of a size with which a time still counts as linear.
LINEAR = 1.25


@special(once=True)
def grows_linearly(table, _, options):
    """The time of a run grows linearly with the sizes of the data."""
    measured = [row for row in table.frames.get("scaling", []) if row.get("slope") is not None]
    curves = {(r["item"], r["variant"], r["curve"]): r for r in measured}
    if not curves:
        return "open", "the times were not measured in this pass"
    linear: dict[str, list[bool]] = {}
    parts = []
    for along, variant in dict.fromkeys((r["along"], r["variant"]) for r in curves.values()):
        here = [r for r in curves.values() if (r["along"], r["variant"]) == (along, variant)]
        slopes, steps = ([r[key] for r in here] for key in ("slope", "slope_iteration"))
        linear.setdefault(variant, []).extend(slope <= LINEAR for slope in slopes)
        parts.append(
            f"with the number of {along}{f' ({variant})' if variant else ''} the time of a run "
            f"grows with the power {min(slopes):.1f} to {max(slopes):.1f}, that of one iteration "
            f"with {min(steps):.1f} to {max(steps):.1f}"
        )
    shares = [float(np.mean(true)) for true in linear.values()]
    return grade_readings(shares), "; ".join(parts)


@special(once=True)
def settles_early(table, _, options):
    """Runs on planted blocks are at rest well before the last iteration, and end alike."""
    rows = table.frames.get("stability", [])
    if not rows:
        return "open", "the runs on planted blocks were not followed in this pass"
    early = [row["rest_mean"] <= 0.5 * row["limit"] for row in rows]
    alike = [(row["last_sd"] or 0.0) <= 0.05 for row in rows]
    shown = "; ".join(
        f"p = {100 * row['flip']:g} %: at rest after {row['rest_mean']:.0f} of {row['limit']} "
        f"iterations on average ({row['rest_most']} at most), last indicator {row['last']:.3f} "
        f"± {row['last_sd'] or 0:.3f}"
        for row in rows
    )
    return grade(float(np.mean(np.array(early) & np.array(alike)))), shown + _last_moves(table)


def _last_moves(table) -> str:
    """Return when the last move was on the datasets, as a share of the iterations."""
    shares: dict[str, list[float]] = {}
    for row in table.frames.get("clusters", []):
        if row.get("last_move") is not None:
            shares.setdefault(row["variant"], []).append(row["last_move"] / row["n_iter"])
    return "".join(
        f"; on the datasets ({variant}) the last move is at {100 * min(moves):.0f} to "
        f"{100 * max(moves):.0f} % of the iterations done"
        for variant, moves in shares.items()
    )
