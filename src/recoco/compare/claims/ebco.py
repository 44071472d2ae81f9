"""Claims of the EBCO paper that have no form in common with others."""

from collections import defaultdict

import numpy as np

from recoco.compare.claims.registry import NO_DATA, special
from recoco.compare.claims.row_forms import as_printed_pairs, curves_of
from recoco.compare.claims.score_forms import cells_of
from recoco.items.gains import SUFFIX, mean_gains

OURS = "EBCO"
NEAR = 0.02  # gains nearer than this are taken as equal, as scores are in the verdicts


@special()
def mean_gain_in_the_text(table, combination, options):
    """The mean gain over all competitors is the one that the text states."""
    printed = table.frames.get("gains", [])
    stated = {
        c["metric"].removesuffix(SUFFIX): float(c["printed"])
        for c in table.frames.get("cells", [])
        if str(c["metric"]).endswith(SUFFIX)
    }
    gains = defaultdict(list)
    for cell in cells_of(table, combination, table.item["methods"]):
        numbers = cell.numbers
        gains[cell.metric] += [numbers[OURS] - numbers[m] for m in numbers if m != OURS]
    if not gains or not stated:
        return NO_DATA
    parts, right = [], []
    for metric, text in stated.items():
        ours, cells = float(np.mean(gains[metric])), mean_gains(printed, metric)
        right.append(abs(ours - text) <= NEAR)
        parts.append(
            f"{metric.upper()} {ours:+.3f} measured on the available datasets, {text:g} in the "
            f"text, {cells['printed']:.4f} by the printed cells of Table 2"
        )
    positive = all(np.mean(values) > 0 for values in gains.values())
    outcome = "holds" if all(right) else "partly" if positive else "fails"
    return outcome, "; ".join(parts)


@special(once=True)
def peaks_of_modularity(table, _, options):
    """On CLASSIC4 single co-clusterings peak at 5 co-clusters, and the ensemble infers about 4."""
    curves = {
        metric: curve
        for (_, dataset, metric), curve in curves_of(table, "n_clusters").items()
        if dataset == "CLASSIC4"
    }
    inferred = as_printed_pairs(table, "g_star", "expected_g").get("CLASSIC4")
    if "base_modularity" not in curves or inferred is None:
        return "open", "CLASSIC4 is not available"
    peaks = {name: max(curve, key=curve.get) for name, curve in curves.items()}
    single, ensemble = peaks["base_modularity"] == 5, abs(inferred[0] - 4) <= 0.5
    outcome = "holds" if single and ensemble else "partly" if single or ensemble else "fails"
    on_M = f", on M at {peaks['base_modularity_M']:g}" if "base_modularity_M" in peaks else ""
    return outcome, (
        f"the mean modularity of the bases on X is largest at {peaks['base_modularity']:g} "
        f"co-clusters{on_M}; the ensemble infers {inferred[0]:.1f} on average"
    )
