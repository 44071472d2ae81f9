"""The claims that the papers make in words, tried on what was measured."""

from collections.abc import Callable

import numpy as np

from recoco.compare.measures import welch

# A claim is a function of a ``Table`` (see recoco.compare.table) and a combination of choices;
# it returns the outcome ("holds", "partly", "fails", "open") and the numbers in words.
CLAIMS: dict[str, Callable] = {}

ALMOST_ALL = 0.9


def claim(identifier: str):
    def register(function):
        CLAIMS[identifier] = function
        return function

    return register


def try_claim(identifier: str, table) -> tuple[str, str]:
    """Try a claim on single readings: as the paper states it, then under the best combination.

    A claim that fails as printed and holds under another reading holds partly.
    """
    outcome, numbers = CLAIMS[identifier](table, table.as_printed)
    evidence = f"As printed ({table.as_printed.options[0][1]}): {numbers}."
    if table.best is not table.as_printed and outcome != "open":
        other, numbers = CLAIMS[identifier](table, table.best)
        evidence += f" Under the table's best combination ({table.best.name}): {other}; {numbers}."
        if outcome == "fails" and other == "holds":
            outcome = "partly"
    return outcome, evidence


def _grade(share: float) -> str:
    return "holds" if share >= ALMOST_ALL else "partly" if share >= 0.5 else "fails"


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
    return _grade(better / total), (
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
    grades = [_grade(count / total) for count in above.values()]
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
    return _grade(float(stable)), (
        f"the standard deviation of NMI over the runs is at most 0.05 in "
        f"{round(stable * len(deviations))} of {len(deviations)} situations (largest "
        f"{max(deviations):.3f}); between representations the mean NMI moves by "
        f"{np.median(spreads):.3f} at the median and {max(spreads):.3f} at most"
    )
