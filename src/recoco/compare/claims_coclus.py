"""The claims of the CoClus paper."""

import numpy as np

from recoco.compare.claims import claim, grade
from recoco.compare.measures import welch


@claim("C1")
def coclus_beats_specco(table, combination):
    better = worse = even = 0
    for dataset, weighting, metric in table.situations():
        first = table.values(dataset, weighting, "SpecCo", metric, combination)
        second = table.values(dataset, weighting, "Coclus", metric, combination)
        p, difference = welch(first, second)
        if p >= 0.05:
            even += 1
        elif difference > 0:
            better += 1
        else:
            worse += 1
    total = better + worse + even
    if not total:
        return "open", "no dataset of the table is at hand"
    return grade(better / total), (
        f"of {total} comparisons (dataset x representation x metric) Coclus is "
        f"significantly better in {better}, SpecCo in {worse}, neither in {even} (Welch, 5 %)"
    )


@claim("C2")
def nmi_order(table, combination):
    above = {"Coclus above SpecCo": 0, "SpecCo above Spec": 0}
    total = 0
    for dataset, weighting, metric in table.situations():
        if metric != "nmi":
            continue
        total += 1
        mean = {
            method: np.mean(table.values(dataset, weighting, method, "nmi", combination))
            for method in ("Spec", "SpecCo", "Coclus")
        }
        above["Coclus above SpecCo"] += mean["Coclus"] > mean["SpecCo"]
        above["SpecCo above Spec"] += mean["SpecCo"] > mean["Spec"]
    if not total:
        return "open", "no dataset of the table is at hand"
    grades = [grade(count / total) for count in above.values()]
    outcome = "holds" if set(grades) == {"holds"} else "fails" if "fails" in grades else "partly"
    return outcome, "; ".join(
        f"mean NMI has {order} in {count} of {total}" for order, count in above.items()
    )


@claim("C3")
def coclus_is_stable(table, combination):
    spreads, deviations = [], []
    for dataset in table.reachable():
        means = []
        for weighting in table.block["weightings"]:
            values = table.values(dataset, weighting, "Coclus", "nmi", combination)
            means.append(np.mean(values))
            deviations.append(np.std(values, ddof=1) if len(values) > 1 else 0.0)
        spreads.append(max(means) - min(means))
    if not spreads:
        return "open", "no dataset of the table is at hand"
    stable = np.mean(np.array(deviations) <= 0.05)
    return grade(float(stable)), (
        f"the standard deviation of NMI over the runs is at most 0.05 in "
        f"{round(stable * len(deviations))} of {len(deviations)} situations (largest "
        f"{max(deviations):.3f}); between representations the mean NMI moves by "
        f"{np.median(spreads):.3f} at the median and {max(spreads):.3f} at most"
    )
