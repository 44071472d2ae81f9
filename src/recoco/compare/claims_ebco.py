"""The claims of the EBCO paper."""

from collections import defaultdict

import numpy as np

from recoco.compare.claims import claim, grade, grade_every

OURS, ENSEMBLE = "EBCO", "CoCE"
NOTHING = "open", "no dataset of the table is at hand"
NEAR = 0.02  # scores nearer than this are taken as equal, as in the verdicts


def _means(table, dataset, metric, combination) -> dict[str, float]:
    weighting = next(iter(table.block["weightings"]))
    methods = [*table.block["methods"], *table.block.get("extra_methods", {})]
    return {
        m: float(np.mean(table.values(dataset, weighting, m, metric, combination))) for m in methods
    }


@claim("E1")
def best_everywhere(table, combination):
    first, total, rivals = 0, 0, []
    for dataset, _, metric in table.situations(combination):
        means = _means(table, dataset, metric, combination)
        means.pop(ENSEMBLE, None)  # it is not in the table, see E3
        best = max(means, key=means.get)
        total += 1
        first += best == OURS
        if best != OURS:
            lead = means[best] - means[OURS]
            rivals.append(f"{best} by {lead:.3f} on {dataset} {metric.upper()}")
    if not total:
        return NOTHING
    beaten = f"; ahead of it: {', '.join(rivals)}" if rivals else ""
    return grade_every(first, total), (
        f"{OURS} has the best mean in {first} of {total} (dataset, metric){beaten}"
    )


@claim("E2")
def mean_gain(table, combination):
    from recoco.compare.gains import SUFFIX, mean_gains

    printed = table.frames.get("gains", [])
    said = {
        c["metric"].removesuffix(SUFFIX): float(c["printed"])
        for c in table.frames.get("cells", [])
        if str(c["metric"]).endswith(SUFFIX)
    }
    gains = defaultdict(list)
    for dataset, _, metric in table.situations(combination):
        means = _means(table, dataset, metric, combination)
        gains[metric] += [means[OURS] - means[m] for m in means if m not in (OURS, ENSEMBLE)]
    if not gains or not said:
        return NOTHING
    parts, right = [], []
    for metric, text in said.items():
        ours, cells = float(np.mean(gains[metric])), mean_gains(printed, metric)
        right.append(abs(ours - text) <= NEAR)
        parts.append(
            f"{metric.upper()} {ours:+.3f} measured on the datasets at hand, {text:g} in the text, "
            f"{cells['printed']:.4f} by the printed cells of Table 2"
        )
    positive = all(np.mean(values) > 0 for values in gains.values())
    outcome = "holds" if all(right) else "partly" if positive else "fails"
    return outcome, "; ".join(parts)


@claim("E3")
def better_than_coce(table, combination):
    better, total, shown = 0, 0, []
    for dataset, _, metric in table.situations(combination):
        means = _means(table, dataset, metric, combination)
        if ENSEMBLE not in means:
            continue
        total += 1
        better += means[OURS] > means[ENSEMBLE]
        shown.append(f"{dataset} {metric.upper()} {means[OURS]:.2f} against {means[ENSEMBLE]:.2f}")
    if not total:
        return NOTHING
    return grade(better / total), (
        f"{OURS} is above {ENSEMBLE} in {better} of {total} ({'; '.join(shown)}); our {ENSEMBLE} "
        "is an interpretation of its published description"
    )


def _curves(table, parameter: str) -> dict[tuple, dict[float, float]]:
    curves: dict[tuple, dict[float, float]] = defaultdict(dict)
    for row in table.frames.get("sweeps", []):
        if row["parameter"] == parameter:
            key = row["item"], row["dataset"], row["metric"]
            curves[key][float(row["value"])] = row["measured"]
    return curves


@claim("E4", once=True)
def eighty_percent_suffices(table, _):
    curves = {
        key: curve
        for key, curve in _curves(table, "threshold").items()
        if key[2] in ("nmi", "nmi_arithmetic", "ari") and 0.8 in curve and len(curve) > 1
    }
    if not curves:
        return "open", "the curves over the partial collections were not run"
    lost = {key: max(curve.values()) - curve[0.8] for key, curve in curves.items()}
    near = sum(value <= NEAR for value in lost.values())
    (_, dataset, metric), most = max(lost.items(), key=lambda pair: pair[1])
    return grade(near / len(curves)), (
        f"at 80 % the mean is within {NEAR} of the best of its curve in {near} of {len(curves)} "
        f"curves; at most {most:.3f} are lost ({dataset}, {_name(metric)})"
    )


def _name(metric: str) -> str:
    return metric.removesuffix("_arithmetic").upper()


def _inferred(table) -> dict[str, tuple[float, float]]:
    """Return, by dataset, the mean g* of the printed reading and the number of classes."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for cell in table.frames.get("cells", []):
        if cell["metric"] in ("g_star", "expected_g") and cell.get("as_printed") is not None:
            found[cell["dataset"]][cell["metric"]] = cell["as_printed"]
    return {d: (v["g_star"], v["expected_g"]) for d, v in found.items() if len(v) == 2}


@claim("E5", once=True)
def number_is_found(table, _):
    inferred = _inferred(table)
    if not inferred:
        return "open", "no dataset of Table 3 is at hand"
    near = sum(abs(g - k) <= 0.25 * k for g, k in inferred.values())
    shown = "; ".join(f"{d} {g:.1f} for {k:g}" for d, (g, k) in inferred.items())
    return grade(near / len(inferred)), (
        f"the mean g* is within a quarter of the number of classes on {near} of {len(inferred)} "
        f"datasets ({shown}); the exception that the paper names, PUBMED10, "
        f"{'is among them' if 'PUBMED10' in inferred else 'is not at hand'}"
    )


@claim("E6", once=True)
def peak_at_five(table, _):
    curves = {
        key[2]: curve for key, curve in _curves(table, "n_clusters").items() if key[1] == "CLASSIC4"
    }
    inferred = _inferred(table).get("CLASSIC4")
    if "base_modularity" not in curves or inferred is None:
        return "open", "CLASSIC4 is not at hand"
    peaks = {name: max(curve, key=curve.get) for name, curve in curves.items()}
    single, ensemble = peaks["base_modularity"] == 5, abs(inferred[0] - 4) <= 0.5
    outcome = "holds" if single and ensemble else "partly" if single or ensemble else "fails"
    on_M = f", on M at {peaks['base_modularity_M']:g}" if "base_modularity_M" in peaks else ""
    return outcome, (
        f"the mean modularity of the bases on X is largest at {peaks['base_modularity']:g} "
        f"co-clusters{on_M}; the ensemble infers {inferred[0]:.1f} on average"
    )
