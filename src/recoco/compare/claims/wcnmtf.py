"""Claims of the WC-NMTF paper that have no form in common with others."""

from collections import defaultdict

import numpy as np

from recoco.compare.claims.registry import grade, special
from recoco.compare.claims.row_forms import curves_of, pairs_of
from recoco.compare.claims.score_forms import cells_of

OURS, PLAIN = "WC-NMTF", "NMTF"


def _gains(table, combination) -> dict[str, dict[str, float]]:
    """Return, by dataset and metric, what WC-NMTF has over NMTF, in points."""
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for cell in cells_of(table, combination, (OURS, PLAIN)):
        gains[cell.dataset][cell.metric] = 100 * (cell.numbers[OURS] - cell.numbers[PLAIN])
    return gains


@special()
def larger_gain_on_short_documents(table, combination, options):
    """The gain over NMTF is larger where many documents have a small vocabulary."""
    from scipy.stats import spearmanr

    gains = _gains(table, combination)
    if len(gains) < 3:
        return "open", "fewer than three datasets of the table are available"
    cards = {**table.item["datasets"], **combination.datasets}
    sizes = [table.records[cards[d]]["document_sizes"]["nonzeros"]["median"] for d in gains]
    parts, rising = [], []
    for metric in table.item["metrics"]:
        values = [gains[d][metric] for d in gains]
        rho = float(spearmanr(sizes, values).statistic)
        short = [d for d in gains if d in ("CSTR", "CLASSIC4", "NG20")]
        long = [d for d in gains if d not in short]
        apart = bool(short and long) and min(gains[d][metric] for d in short) > max(
            gains[d][metric] for d in long
        )
        rising.append(apart)
        parts.append(
            f"for {metric.upper()} the rank correlation of gain and median vocabulary size is "
            f"{rho:+.2f}, and {'all' if apart else 'not all'} gains on CSTR, CLASSIC4 and NG20 "
            "are above those on the others"
        )
    outcome = "holds" if all(rising) else "partly" if any(rising) else "fails"
    return outcome, "; ".join(parts)


@special(once=True)
def more_coherent_words(table, _, options):
    """Word clusters of WC-NMTF are more coherent than those of NMTF."""
    rows = table.frames.get("coherence", [])
    by = ("dataset", "column_clusters")
    pairs, seen = (pairs_of(rows, value, OURS, PLAIN, by) for value in ("pmi", "pmi_seen"))
    if not pairs:
        return "open", "there are no texts to count pairs of words in"

    def count(pairs):
        higher = sum(ours > plain for _, ours, plain in pairs)
        shown = "; ".join(f"{d}, m = {m}: {b:.2f} to {a:.2f}" for (d, m), a, b in pairs)
        return higher / len(pairs), f"in {higher} of {len(pairs)} ({shown})"

    (share, all_pairs), (share_seen, seen_pairs) = count(pairs), count(seen)
    corpora = sorted({row["corpus"] for row in rows})
    outcome = grade(min(share, share_seen))
    if outcome == "fails" and grade(max(share, share_seen)) != "fails":
        outcome = "partly"
    return outcome, (
        f"mean PMI rises from {PLAIN} to {OURS} {all_pairs} when a pair of words that never meet "
        f"counts 0, and {seen_pairs} over the pairs that meet; counted in "
        f"{' or '.join(corpora)}, not in Wikipedia"
    )


@special(once=True)
def stable_in_lambda(table, _, options):
    """Results hardly move for lambda from 0.01 up, and are not better below."""
    curves = curves_of(table, "lam")
    if not curves:
        return "open", "the curve over lambda was not run"
    better, spreads = 0, []
    for curve in curves.values():
        large = [value for lam, value in curve.items() if lam >= 0.01]
        small = [value for lam, value in curve.items() if 0 < lam < 0.01]
        if not small or not large:
            return "open", "the curve has no value on one side of 0.01"
        better += np.mean(large) >= np.mean(small)
        spreads.append(max(large) - min(large))
    stable = float(np.mean(np.array(spreads) <= 0.05))
    outcome = "holds" if stable >= 0.9 and better >= 0.9 * len(curves) else "partly"
    if stable < 0.5 and better < 0.5 * len(curves):
        outcome = "fails"
    return outcome, (
        f"for lambda from 0.01 up the mean moves by at most 0.05 in {round(stable * len(spreads))} "
        f"of {len(spreads)} curves (largest {max(spreads):.3f}), and is at least that for smaller "
        f"lambda in {better} of {len(curves)}"
    )


@special(once=True)
def small_m_suffices(table, _, options):
    """As many word clusters as classes do as well as more of them."""
    curves = {k: c for k, c in curves_of(table, "n_column_clusters").items() if len(c) > 1}
    if not curves:
        return "open", "the curve over m was not run"
    near = {key: curve[min(curve)] for key, curve in curves.items()}
    rest = {key: [v for m, v in curve.items() if m > min(curve)] for key, curve in curves.items()}
    above = sum(near[key] >= np.mean(rest[key]) for key in curves)
    changes = [near[key] - rest[key][-1] for key in curves]
    return grade(above / len(curves)), (
        f"m = g is at least as good as the mean over larger m in {above} of {len(curves)} curves; "
        f"from the largest m to m = g the score changes by {np.median(changes):+.3f} at the "
        f"median ({min(changes):+.3f} to {max(changes):+.3f})"
    )
