"""Each view alone against all together, ensembles, topics, numbers of clusters, and gains."""

import itertools
import json
from pathlib import Path

import numpy as np

from recoco.compare.table import Table
from recoco.compare.verdicts import Answer
from recoco.graph_plan import order_settings, topic_settings, view_settings
from recoco.plan import setting_of
from recoco.store import read_json

# "about 25 points" is read as the nearest multiple of five
_ROUGHLY = 2.5


def compare_views(item: str, table: Table) -> list[dict]:
    """Return the scores of every method on the graph of each view, or on all: mean and best."""
    rows = []
    for setting, details in view_settings(table.block):
        if table.stopped(setting):
            continue
        for metric in table.block["metrics"]:
            mean = table.measure(setting, "mean", metric)
            rows.append(
                {
                    "item": item,
                    **details,
                    "metric": metric,
                    "measured": mean.value,
                    "measured_sd": mean.sd,
                    "best": table.measure(setting, "criterion", metric).value,
                    "n_runs": mean.runs,
                }
            )
    return rows


def compare_plain(item: str, table: Table) -> list[dict]:
    """Return all methods of a table that no printed number stands for, in all combinations."""
    block, rows = table.block, []
    for combination in table.combinations:
        for dataset in table.reachable():
            for weighting in block["weightings"]:
                for method in [*block["methods"], *block.get("extra_methods", {})]:
                    setting = setting_of(block, combination, dataset, weighting, method)
                    if table.stopped(setting):
                        continue
                    for metric in block["metrics"]:
                        found = table.measure(setting, combination.select, metric)
                        rows.append(
                            {
                                "item": item,
                                "dataset": dataset,
                                "card": setting.dataset,
                                "weighting": weighting,
                                "method": method,
                                "metric": metric,
                                "combination": combination.name,
                                "measured": found.value,
                                "measured_sd": found.sd,
                                "n_runs": found.runs,
                            }
                        )
    return rows


def twins(item: str, table: Table) -> list[dict]:
    """Return, for each pair of methods, how many runs from the same start end the same.

    Only methods whose starts are the same can be compared run by run.
    """
    block, rows, seen = table.block, [], set()
    methods = [*block["methods"], *block.get("extra_methods", {})]
    for combination, dataset, weighting in itertools.product(
        table.combinations, table.reachable(), block["weightings"]
    ):
        kept = {}
        for method in methods:
            setting = setting_of(block, combination, dataset, weighting, method)
            if not table.stopped(setting):
                kept[method] = (setting, table.runs(setting).set_index("seed"))
        for (first, (one, a)), (second, (other, b)) in itertools.combinations(kept.items(), 2):
            same, runs = _twin(a, b)
            if not runs or (one, other) in seen:
                continue
            seen.add((one, other))
            rows.append(
                {
                    "item": item,
                    "dataset": dataset,
                    "weighting": weighting,
                    "combination": combination.name,
                    "first": first,
                    "second": second,
                    "runs": runs,
                    "same": same,
                }
            )
    return rows


def _twin(a, b) -> tuple[int, int]:
    """Return how many runs of the same seed have the same scores, and how many there are."""
    common = a.index.intersection(b.index)
    scores = ["acc", "nmi", "ari", "n_clusters"]
    same = np.isclose(a.loc[common, scores], b.loc[common, scores], rtol=0, atol=1e-12)
    return int(same.all(axis=1).sum()), len(common)


def _rows_of(files: list[Path], key: str, item: str) -> list[tuple[str, dict]]:
    """Return (card, row) of an item from the files of a stage, named by card."""
    return [
        (path.stem, {name: value for name, value in row.items() if name != "paper"})
        for path in files
        for row in read_json(path)
        if (row["paper"], row["item"]) == (key, item)
    ]


def compare_ensembles(key: str, item: str, datasets: dict, files: list[Path]) -> list[dict]:
    """Return the consensus inside and across graphs, by printed dataset."""
    names = {card: name for name, card in datasets.items()}
    return [
        {"dataset": names[card], "card": card, **row}
        for card, row in _rows_of(files, key, item)
        if card in names
    ]


def compare_topics(key: str, item: str, block: dict, files: list[Path]) -> list[dict]:
    """Return topics and features on the axes, by printed dataset."""
    names = {details["card"]: details["dataset"] for _, details in topic_settings(block)}
    rows = []
    for card, row in _rows_of(files, key, item):
        inertia = " ".join(f"{share:.6g}" for share in row.pop("inertia"))
        rows.append({"dataset": names[card], "card": card, **row, "inertia": inertia})
    return rows


def compare_orders(item: str, table: Table) -> list[dict]:
    """Return the ICL of the best run for every number of clusters; the largest is chosen."""
    block, rows = table.block, []
    for setting, details in order_settings(table.config, block):
        if table.stopped(setting):
            continue
        runs = table.runs(setting).dropna(subset=["criterion"])
        best = runs.loc[runs["criterion"].idxmax()]
        rows.append(
            {
                "item": item,
                **details,
                "method": block["method"],
                "icl": json.loads(best["details"])["icl"],
                "nmi": best["nmi"],
                "acc": best["acc"],
                "filled": int(best["n_clusters"]),
                "classes": table.records[setting.dataset]["classes"],
                "n_runs": len(runs),
            }
        )
    largest = {row["dataset"]: row["icl"] for row in sorted(rows, key=lambda row: row["icl"])}
    return [row | {"chosen": row["icl"] == largest[row["dataset"]]} for row in rows]


def answer_gains(rows, table: Table, method: str):
    """Yield (printed row, verdict, answer, reason) of gains in points over the other methods.

    The gain is over the best of the others, the mean over all of them stands in the reason.
    """
    others = [m for m in (*table.block["methods"], *table.block["extra_methods"]) if m != method]
    weighting = next(iter(table.block["weightings"]))
    for row in rows.itertuples():
        record = table.records[table.block["datasets"][row.dataset]]
        if record["status"] != "ok":
            why = record.get("by_hand", "its data could not be had")
            yield row, "unreachable", Answer("unreachable", why=why), why
            continue
        metric = row.metric.removesuffix("_gain_points")
        means = {
            m: np.mean(values)
            for m in [method, *others]
            if len(values := table.values(row.dataset, weighting, m, metric))
        }
        if method not in means or len(means) < 2:
            why = "no run of these methods is at hand"
            yield row, "not-run", Answer("not-run", why=why), why
            continue
        ours = means.pop(method)
        best = max(means, key=means.get)
        gain, printed = 100 * float(ours - means[best]), float(row.value)
        within = abs(gain - printed) <= _ROUGHLY
        why = (
            f"{gain:+.1f} points over {best}, the best of {len(means)}, and "
            f"{100 * float(ours - np.mean(list(means.values()))):+.1f} over their mean, against "
            f"about {printed:g} printed"
        )
        runs = len(table.values(row.dataset, weighting, method, metric))
        said = "reproduced" if within else "better" if gain > printed else "worse"
        answer = Answer("ok", gain, None, None, None, runs, _ROUGHLY, within, why=why)
        yield row, said, answer, f"{why}."
