"""Forms of claims about a table of scores: which method is above which, and how often."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from recoco.compare.claims.registry import NO_DATA, form, grade, grade_every
from recoco.compare.measures import TESTS


class Cell(NamedTuple):
    """The numbers of several methods in one place of a table."""

    dataset: str
    weighting: str
    metric: str
    numbers: dict[str, float]


def cells_of(table, combination, methods, metrics=None, datasets=None) -> Iterator[Cell]:
    """Yield the places of a table where all these methods have a score."""
    reachable = table.reachable()
    for dataset in reachable if datasets is None else datasets:
        if dataset not in reachable:
            continue
        for weighting in table.item["weightings"]:
            for metric in metrics or table.item["metrics"]:
                places = {m: (dataset, weighting, m, metric, combination) for m in methods}
                if all(len(table.values(*place)) for place in places.values()):
                    numbers = {m: table.figure(*place) for m, place in places.items()}
                    yield Cell(dataset, weighting, metric, numbers)


def notes(options: dict, table) -> str:
    """Return the notes that apply, depending on which datasets have results."""
    reachable = table.reachable() if options["notes"] else []
    texts = []
    for note in options["notes"]:
        present = any(dataset in reachable for dataset in note["datasets"])
        texts.append(note.get("present" if present else "absent"))
    return "".join(f"; {text}" for text in texts if text)


# ---- A is the best --------------------------------------------------------------------------


@form("best")
def best(table, combination, options):
    """One method has the best score everywhere."""
    ours, metrics = options["method"], options.get("metrics") or table.item["metrics"]
    cells = list(cells_of(table, combination, table.item["methods"], metrics))
    claimed = [cell for cell in cells if cell.dataset not in options["except"]]
    if not claimed:
        return NO_DATA
    first, rivals = 0, []
    for cell in claimed:
        leader = max(cell.numbers, key=cell.numbers.get)
        if cell.numbers[ours] >= cell.numbers[leader]:
            first += 1
            continue
        lead = cell.numbers[leader] - cell.numbers[ours]
        metric = f" {cell.metric.upper()}" if len(metrics) > 1 else ""
        rivals.append(f"{leader} by {lead:.3f} on {cell.dataset}{metric}")
    if len(metrics) > 1:
        text = f"{ours} has the best mean in {first} of {len(claimed)} (dataset, metric)"
    else:
        name = metrics[0].upper()
        text = f"{ours} has the best mean {name} on {first} of {len(claimed)} datasets"
    text += f"; ahead of it: {', '.join(rivals)}" if rivals else ""
    for other in options["also_above"]:
        beaten = sum(cell.numbers[ours] > cell.numbers[other] for cell in cells)
        text += f"; it is above {other} on {beaten} of {len(cells)}"
    return grade_every(first, len(claimed)), text


# ---- A is above B ---------------------------------------------------------------------------


def _fields_of_above(options: dict) -> dict[str, set[str]]:
    of_each = {
        "cell": {"dataset", "metric", "one", "other"},
        "dataset": {"dataset", *options.get("metrics", [])},
        "metric": {"metric", "above", "total", "one", "other"},
    }
    fields = {"evidence": {"first", "second", "above", "total", "shown"}}
    if "show" in options:
        fields["show.text"] = of_each[options["show"]["per"]]
    return fields


@form("above", fields=_fields_of_above)
def above(table, combination, options):
    """Each method of a list is above the next one in almost all cells."""
    outcomes, texts = [], []
    for first, second in zip(options["order"], options["order"][1:], strict=False):
        metrics, datasets = options.get("metrics"), options.get("datasets")
        cells = list(cells_of(table, combination, (first, second), metrics, datasets))
        if not cells:
            return NO_DATA
        turned = options["reversed_on"]
        held = [
            (cell.numbers[first] > cell.numbers[second]) != (cell.dataset in turned)
            for cell in cells
        ]
        outcomes.append(grade(sum(held) / len(held)))
        shown = _show(cells, held, first, second, options["show"]) if "show" in options else ""
        counted = {"above": sum(held), "total": len(held), "shown": shown}
        texts.append(options["evidence"].format(first=first, second=second, **counted))
    outcome = next(o for o in ("fails", "partly", "holds") if o in outcomes)
    return outcome, "; ".join(texts) + notes(options, table)


def _show(cells, held, first, second, options) -> str:
    """Return the numbers behind a comparison: of each cell, each dataset or each metric."""
    wanted = options.get("metrics")
    pairs = [
        (cell, cell.numbers[first], cell.numbers[second], true)
        for cell, true in zip(cells, held, strict=True)
        if not wanted or cell.metric in wanted
    ]
    if options["per"] == "cell":
        shown = [
            {"dataset": cell.dataset, "metric": cell.metric.upper(), "one": one, "other": other}
            for cell, one, other, _ in pairs
        ]
    elif options["per"] == "dataset":
        points: dict[str, dict] = defaultdict(dict)
        for cell, one, other, _ in pairs:
            points[cell.dataset][cell.metric] = 100 * (one - other)
        shown = [{"dataset": dataset, **by_metric} for dataset, by_metric in points.items()]
    else:
        groups: dict[str, list] = defaultdict(list)
        for cell, *numbers in pairs:
            groups[cell.metric].append(numbers)
        shown = [
            {
                "metric": metric.upper(),
                "above": sum(true for *_, true in numbers),
                "total": len(numbers),
                "one": np.mean([one for one, _, _ in numbers]),
                "other": np.mean([other for _, other, _ in numbers]),
            }
            for metric, numbers in groups.items()
        ]
    return options["join"].join(options["text"].format(**values) for values in shown)


@form("significantly_above")
def significantly_above(table, combination, options):
    """One method is significantly better than another in almost all situations."""
    ours, other, level = options["method"], options["over"], options["level"]
    better = worse = even = 0
    for cell in cells_of(table, combination, (other, ours)):
        where = cell.dataset, cell.weighting
        samples = [table.values(*where, m, cell.metric, combination) for m in (other, ours)]
        p, difference = TESTS[options["test"]](*samples)
        if p >= level:
            even += 1
        elif difference > 0:
            better += 1
        else:
            worse += 1
    total = better + worse + even
    if not total:
        return NO_DATA
    return grade(better / total), (
        f"of {total} comparisons (dataset x representation x metric) {ours} is "
        f"significantly better in {better}, {other} in {worse}, neither in {even} "
        f"({options['test'].title()}, {100 * level:g} %)"
    )


# ---- A is stable ----------------------------------------------------------------------------


@form("stable_runs")
def stable_runs(table, combination, options):
    """The scores of a method hardly differ between its runs; weightings are evidence only."""
    method, metric, most = options["method"], options["metric"], options["within"]
    spreads, deviations = [], []
    for dataset in table.reachable():
        means = []
        for weighting in table.item["weightings"]:
            values = table.values(dataset, weighting, method, metric, combination)
            if len(values):
                means.append(np.mean(values))
                deviations.append(np.std(values, ddof=1) if len(values) > 1 else 0.0)
        if means:
            spreads.append(max(means) - min(means))
    if not spreads:
        return NO_DATA
    stable = np.mean(np.array(deviations) <= most)
    name = metric.upper()
    text = (
        f"the standard deviation of {name} over the runs is at most {most} in "
        f"{round(stable * len(deviations))} of {len(deviations)} situations (largest "
        f"{max(deviations):.3f})"
    )
    if len(table.item["weightings"]) > 1:
        text += (
            f"; between representations the mean {name} moves by "
            f"{np.median(spreads):.3f} at the median and {max(spreads):.3f} at most"
        )
    return grade(float(stable)), text
