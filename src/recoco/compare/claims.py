"""The claims that the papers make in words, tried on what was measured."""

from collections.abc import Callable

import numpy as np

from recoco.compare.measures import welch

# A claim is a function of a ``Table`` (see recoco.compare.paper); it returns the outcome
# ("holds", "partly", "fails", "open") and a sentence with the numbers.
CLAIMS: dict[str, Callable] = {}

ALMOST_ALL = 0.9


def claim(identifier: str):
    def register(function):
        CLAIMS[identifier] = function
        return function

    return register


def _grade(share: float) -> str:
    return "holds" if share >= ALMOST_ALL else "partly" if share >= 0.5 else "fails"


@claim("C1")
def coclus_beats_specco(table):
    better = worse = even = 0
    for dataset, weighting, metric in table.situations():
        first = table.values(dataset, weighting, "SpecCo", metric)
        second = table.values(dataset, weighting, "Coclus", metric)
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
    return _grade(better / total), (
        f"of {total} comparisons (dataset x representation x metric) with single starts, Coclus is "
        f"significantly better in {better}, SpecCo in {worse}, neither in {even} (Welch, 5 %)"
    )


@claim("C2")
def nmi_order(table):
    above = {"Coclus above SpecCo": 0, "SpecCo above Spec": 0}
    total = 0
    for dataset, weighting, metric in table.situations():
        if metric != "nmi":
            continue
        total += 1
        mean = {
            method: np.mean(table.values(dataset, weighting, method, "nmi"))
            for method in ("Spec", "SpecCo", "Coclus")
        }
        above["Coclus above SpecCo"] += mean["Coclus"] > mean["SpecCo"]
        above["SpecCo above Spec"] += mean["SpecCo"] > mean["Spec"]
    if not total:
        return "open", "no dataset of the table is at hand"
    grades = [_grade(count / total) for count in above.values()]
    outcome = "holds" if set(grades) == {"holds"} else "fails" if "fails" in grades else "partly"
    return outcome, "; ".join(
        f"mean NMI has {order} in {count} of {total}" for order, count in above.items()
    )


@claim("C3")
def coclus_is_stable(table):
    spreads, deviations = [], []
    for dataset in table.reachable():
        means = []
        for weighting in table.block["weightings"]:
            values = table.values(dataset, weighting, "Coclus", "nmi")
            means.append(np.mean(values))
            deviations.append(np.std(values, ddof=1) if len(values) > 1 else 0.0)
        spreads.append(max(means) - min(means))
    if not spreads:
        return "open", "no dataset of the table is at hand"
    stable = np.mean(np.array(deviations) <= 0.05)
    return _grade(float(stable)), (
        f"the standard deviation of NMI over single starts is at most 0.05 in "
        f"{round(stable * len(deviations))} of {len(deviations)} situations (largest "
        f"{max(deviations):.3f}); between representations the mean NMI moves by "
        f"{np.median(spreads):.3f} at the median and {max(spreads):.3f} at most"
    )
