"""Clusters: how many clusters a method finds that is not given their number."""

import json
import math

from recoco.items.kind import Kind, plain_settings
from recoco.items.properties import DATASETS, METHOD, VARIANTS, WEIGHTINGS


class Clusters(Kind):
    name = "clusters"
    about = "How many clusters a method finds that is not given their number."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "variants": VARIANTS,
    }
    required = ("datasets", "weightings", "method")
    figures = ("recoco.items.clusters.report",)
    tables = {
        "clusters": [
            *("item", "dataset", "card", "variant", "method", "side", "classes", "n_runs", "mode"),
            *("mean", "sd", "histogram", "nmi", "nmi_sd", "nmi_chosen", "ari", "ari_sd"),
            *("ari_chosen", "n_iter", "last_move", "converged"),
        ],
    }
    drawing = "cluster_histograms"

    def described(self, config, item):
        from recoco.plan import with_params

        for plain, names in plain_settings(item):
            for variant, params in item["variants"].items():
                yield with_params(config, plain, params), {**names, "variant": variant}

    def compare(self, comparison, name, item, printed):
        from recoco.compare.comparison import cell_of

        rows = compare_clusters(name, comparison.table(item))
        comparison.add({"clusters": rows})
        answers = answer_clusters(printed, item, comparison.records, rows)
        return [cell_of(row, name, *rest) for row, *rest in answers]

    def table(self, material, paper, name):
        from recoco.items.clusters.report import clusters_table

        return clusters_table(material, paper, name)


def compare_clusters(name: str, table) -> list[dict]:
    """Return a row per dataset, variant and side (rows, then every view of columns).

    ``histogram`` counts the runs by their number of clusters, e.g. ``4:61 5:39``. Only the rows of
    side "rows" have scores and iterations. ``chosen`` are the scores of the run with the best
    criterion.
    """
    import numpy as np
    import pandas as pd

    rows = []
    for setting, settled in KIND.described(table.config, table.item):
        if table.stopped(setting):
            continue
        runs = table.runs(setting).dropna(subset=["n_clusters"])
        details = pd.DataFrame([json.loads(text) for text in runs["details"].fillna("{}")])
        counts = {"rows": runs["n_clusters"].to_numpy()}
        if "column_clusters" in details:
            views = np.array(details["column_clusters"].tolist()).reshape(len(details), -1)
            counts |= {f"view {k + 1}": view for k, view in enumerate(views.T)}
        same = {"item": name, **settled, "method": table.item["method"]}
        same["classes"] = table.records[setting.dataset]["classes"]
        for side, numbers in counts.items():
            rows.append({**same, "side": side, **_distribution(numbers)})
            if side == "rows":
                rows[-1] |= _scores(table, setting) | _iterations(runs, details)
    return rows


def _distribution(numbers) -> dict:
    import numpy as np

    values, times = np.unique(np.asarray(numbers, dtype=int), return_counts=True)
    return {
        "n_runs": len(numbers),
        "mode": int(values[times.argmax()]),
        "mean": float(np.mean(numbers)),
        "sd": float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None,
        "histogram": " ".join(f"{v}:{n}" for v, n in zip(values, times, strict=True)),
    }


def _scores(table, setting) -> dict:
    scores = {}
    for metric in ("nmi", "ari"):
        mean = table.measure(setting, "mean", metric)
        scores |= {metric: mean.value, f"{metric}_sd": mean.sd}
        scores[f"{metric}_chosen"] = table.measure(setting, "criterion", metric).value
    return scores


def _iterations(runs, details) -> dict:
    """Return the mean iterations, the mean last one with a move, and how many runs converged."""
    counts = {"n_iter": float(runs["n_iter"].mean())}
    if "last_move" in details:
        counts["last_move"] = float(details["last_move"].mean())
    if "converged" in details:
        counts["converged"] = int(details["converged"].sum())
    return counts


def answer_clusters(printed, item: dict, records: dict, rows: list[dict]):
    """Yield (row, card, verdict, answer, reason) for every printed number of clusters.

    The first variant is the reading of the text.
    """
    from recoco.compare.answers import (
        Answer,
        Printed,
        answer_number,
        exact_answer,
        unreachable,
    )
    from recoco.compare.measures import Measure
    from recoco.compare.table import NO_RUN

    first = next(iter(item["variants"]))
    measured = {
        row["dataset"]: row for row in rows if row["side"] == "rows" and row["variant"] == first
    }
    for row in printed.itertuples():
        card = item["datasets"][row.dataset]
        if records[card]["status"] != "ok":
            answer = unreachable(records[card])
            yield row, card, "unreachable", answer, answer.why
            continue
        if row.dataset not in measured:
            yield row, card, "not-run", Answer("not-run", why=NO_RUN), NO_RUN
            continue
        numbers = measured[row.dataset]
        value = float(numbers[row.metric.removeprefix("n_clusters_")])
        if row.metric.endswith("_mean"):
            error = 1.96 * numbers["sd"] / math.sqrt(numbers["n_runs"])
            ours = Measure(
                value, numbers["sd"], value - error, value + error, numbers["n_runs"], error / 1.96
            )
            tolerance = Printed.of(row.value).tolerance()
            answer = answer_number(Printed.of(row.value), ours, tolerance, tolerance / 2)
        else:
            why = f"{value:g} against {row.value} printed, over {numbers['n_runs']} runs"
            answer = exact_answer(value, row.value, why, runs=numbers["n_runs"], sd=numbers["sd"])
        yield row, card, answer.outcome, answer, f"{answer.why}."


KIND = Clusters()
