"""How many clusters a method finds by itself, and whether its runs had come to rest."""

import json

import numpy as np
import pandas as pd

from recoco.compare.table import Table
from recoco.compare.verdicts import Answer, is_rounded
from recoco.plan import variant_settings

_METRICS = ("nmi", "ari")


def compare_clusters(item: str, table: Table) -> list[dict]:
    """Return a row per dataset, variant and side (rows, then every view of columns).

    ``histogram`` counts the runs by their number of clusters, e.g. ``4:61 5:39``. What is said
    of scores and iterations stands with the rows. ``chosen`` are the scores of the one run with
    the best criterion.
    """
    rows = []
    for setting, details in variant_settings(table.config, table.block):
        if table.stopped(setting):
            continue
        runs = table.runs(setting).dropna(subset=["n_clusters"])
        told = pd.DataFrame([json.loads(text) for text in runs["details"].fillna("{}")])
        counts = {"rows": runs["n_clusters"].to_numpy()}
        if "column_clusters" in told:
            views = np.array(told["column_clusters"].tolist()).reshape(len(told), -1)
            counts |= {f"view {k + 1}": view for k, view in enumerate(views.T)}
        same = {"item": item, **details, "method": table.block["method"]}
        same["classes"] = table.records[setting.dataset]["classes"]
        for side, numbers in counts.items():
            rows.append({**same, "side": side, **_distribution(numbers)})
            if side == "rows":
                rows[-1] |= _scores(table, setting) | _rest(runs, told)
    return rows


def _distribution(numbers: np.ndarray) -> dict:
    values, times = np.unique(np.asarray(numbers, dtype=int), return_counts=True)
    return {
        "n_runs": len(numbers),
        "mode": int(values[times.argmax()]),
        "mean": float(np.mean(numbers)),
        "sd": float(np.std(numbers, ddof=1)) if len(numbers) > 1 else None,
        "histogram": " ".join(f"{v}:{n}" for v, n in zip(values, times, strict=True)),
    }


def _scores(table: Table, setting) -> dict:
    found = {}
    for metric in _METRICS:
        mean = table.measure(setting, "mean", metric)
        found |= {metric: mean.value, f"{metric}_sd": mean.sd}
        found[f"{metric}_chosen"] = table.measure(setting, "criterion", metric).value
    return found


def _rest(runs: pd.DataFrame, told: pd.DataFrame) -> dict:
    """Return the iterations, the last that moved something, and how many runs were at rest."""
    found = {"n_iter": float(runs["n_iter"].mean())}
    if "last_move" in told:
        found["last_move"] = float(told["last_move"].mean())
    if "converged" in told:
        found["converged"] = int(told["converged"].sum())
    return found


def answer_clusters_found(rows: pd.DataFrame, block: dict, records: dict, found: list[dict]):
    """Yield (row, card, verdict, answer, reason) for every printed number of clusters.

    The first variant is the reading of the text.
    """
    first = next(iter(block.get("variants", {"": {}})))
    measured = {
        row["dataset"]: row for row in found if row["side"] == "rows" and row["variant"] == first
    }
    for row in rows.itertuples():
        card = block["datasets"][row.dataset]
        record = records[card]
        if record["status"] != "ok":
            why = record.get("by_hand", "its data could not be had")
            yield row, card, "unreachable", Answer("unreachable", why=why), why
            continue
        if row.dataset not in measured:
            why = "no run of this setting is at hand"
            yield row, card, "not-run", Answer("not-run", why=why), why
            continue
        numbers = measured[row.dataset]
        value = float(numbers[row.metric.removeprefix("n_clusters_")])
        within, tolerance = is_rounded(value, row.value)
        why = f"{value:g} against {row.value} printed, over {numbers['n_runs']} runs"
        answer = Answer(
            "ok", value, numbers["sd"], None, None, numbers["n_runs"], tolerance, within, why=why
        )
        nearer = "better" if value > float(row.value) else "worse"
        yield row, card, "reproduced" if within else nearer, answer, f"{why}."
