"""The claims of the WC-NMTF paper."""

from collections import defaultdict

import numpy as np

from recoco.compare.claims import claim, grade, grade_every

OURS, PLAIN = "WC-NMTF", "NMTF"
NOTHING = "open", "no dataset of the table is at hand"


def _mean(table, dataset, method, metric, combination) -> float:
    weighting = next(iter(table.block["weightings"]))
    return float(np.mean(table.values(dataset, weighting, method, metric, combination)))


def _gains(table, combination) -> dict[str, dict[str, float]]:
    """Return, by dataset and metric, what WC-NMTF has over NMTF, in points."""
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for dataset, _, metric in table.situations(combination):
        ours = _mean(table, dataset, OURS, metric, combination)
        gains[dataset][metric] = 100 * (ours - _mean(table, dataset, PLAIN, metric, combination))
    return gains


@claim("W1")
def best_everywhere(table, combination):
    first, total, rivals = 0, 0, []
    for dataset, _, metric in table.situations(combination):
        means = {
            method: _mean(table, dataset, method, metric, combination)
            for method in table.block["methods"]
        }
        best = max(means, key=means.get)
        total += 1
        if best == OURS:
            first += 1
        else:
            lead = means[best] - means[OURS]
            rivals.append(f"{best} by {lead:.3f} on {dataset} {metric.upper()}")
    if not total:
        return NOTHING
    beaten = f"; ahead of it: {', '.join(rivals)}" if rivals else ""
    return grade_every(first, total), (
        f"{OURS} has the best mean in {first} of {total} (dataset, metric){beaten}"
    )


@claim("W2")
def the_term_alone(table, combination):
    gains = _gains(table, combination)
    if not gains:
        return NOTHING
    values = [gain for metrics in gains.values() for gain in metrics.values()]
    shown = "; ".join(
        f"{dataset} {metrics['nmi']:+.1f} / {metrics['ari']:+.1f}"
        for dataset, metrics in gains.items()
    )
    return grade(float(np.mean(np.array(values) > 0))), (
        f"from the same starts {OURS} is above {PLAIN} in {sum(v > 0 for v in values)} of "
        f"{len(values)} (NMI / ARI points: {shown})"
    )


@claim("W3")
def larger_gain_on_short_documents(table, combination):
    from scipy.stats import spearmanr

    gains = _gains(table, combination)
    if len(gains) < 3:
        return "open", "fewer than three datasets of the table are at hand"
    cards = {**table.block["datasets"], **combination.datasets}
    sizes = [table.records[cards[d]]["document_sizes"]["nonzeros"]["median"] for d in gains]
    parts, rising = [], []
    for metric in table.block["metrics"]:
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


def _pairs(rows: list[dict], value: str) -> list[tuple[str, int, float, float]]:
    """Return (dataset, m, NMTF, WC-NMTF) where both were measured."""
    found = {(r["dataset"], r["column_clusters"], r["method"]): r.get(value) for r in rows}
    return [
        (dataset, m, found[dataset, m, PLAIN], found[dataset, m, OURS])
        for dataset, m, method in found
        if method == OURS and found.get((dataset, m, PLAIN)) is not None
    ]


@claim("W4", once=True)
def more_coherent_words(table, _):
    rows = table.frames.get("coherence", [])
    pairs, seen = _pairs(rows, "pmi"), _pairs(rows, "pmi_seen")
    if not pairs:
        return "open", "no texts to count pairs of words in are at hand"

    def told(found):
        higher = sum(ours > plain for _, _, plain, ours in found)
        shown = "; ".join(f"{d}, m = {m}: {a:.2f} to {b:.2f}" for d, m, a, b in found)
        return higher / len(found), f"in {higher} of {len(found)} ({shown})"

    (share, all_pairs), (share_seen, seen_pairs) = told(pairs), told(seen)
    corpora = sorted({row["corpus"] for row in rows})
    outcome = grade(min(share, share_seen))
    if outcome == "fails" and grade(max(share, share_seen)) != "fails":
        outcome = "partly"
    return outcome, (
        f"mean PMI rises from {PLAIN} to {OURS} {all_pairs} when a pair of words that never meet "
        f"counts 0, and {seen_pairs} over the pairs that meet; counted in "
        f"{' or '.join(corpora)}, not in Wikipedia"
    )


def _curves(table, parameter: str) -> dict[tuple[str, str], dict[float, float]]:
    curves: dict[tuple[str, str], dict[float, float]] = defaultdict(dict)
    for row in table.frames.get("sweeps", []):
        if row["parameter"] == parameter:
            curves[row["dataset"], row["metric"]][float(row["value"])] = row["measured"]
    return curves


@claim("W5", once=True)
def stable_in_lambda(table, _):
    curves = _curves(table, "lam")
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


@claim("W6", once=True)
def small_m_suffices(table, _):
    curves = {k: c for k, c in _curves(table, "n_column_clusters").items() if len(c) > 1}
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


@claim("W7", once=True)
def closer_words_of_a_class(table, _):
    pairs = _pairs(table.frames.get("cosines", []), "median")
    if not pairs:
        return "open", "the word factors were not computed"
    closer = sum(ours > plain for _, _, plain, ours in pairs)
    shown = "; ".join(f"{d}, m = {m}: {plain:.2f} to {ours:.2f}" for d, m, plain, ours in pairs)
    return grade(closer / len(pairs)), (
        f"the median cosine of words of one class rises from {PLAIN} to {OURS} in {closer} of "
        f"{len(pairs)} ({shown})"
    )
