"""Tables of scores: printed cells under every combination of choices, and unprinted scores."""

import itertools

import numpy as np

from recoco.compare.comparison import Comparison, cell_of, numbers
from recoco.compare.rebuilt import marked
from recoco.compare.table import Table
from recoco.compare.verdicts import verdict
from recoco.plan import Combination, card_of, null_setting, setting_of


def answer_scores(comparison: Comparison, name: str, item: dict, rows) -> list[dict]:
    """Return the cells of a printed table of scores, each with its verdict."""
    table = comparison.table(item)
    comparison.score_tables[name] = table
    table.printed = {
        (r.dataset, r.weighting, r.method, r.metric): r.value for r in rows.itertuples()
    }
    answers = {
        combination.name: {row.cell: table.answer(row, combination) for row in rows.itertuples()}
        for combination in table.combinations
    }
    variants = {row.cell: _variant(table, comparison.key, row) for row in rows.itertuples()}
    comparison.add(_combinations(name, table, answers, variants))
    comparison.add(
        {
            "nulls": list(_nulls(name, table)),
            "extra": list(_extra(name, table)),
            "consensus": list(_consensus(name, table)),
        }
    )
    as_printed, best = (answers[c.name] for c in (table.as_printed, table.best))
    cells = []
    for row in rows.itertuples():
        outcome, answer, reason = verdict(
            as_printed[row.cell], best[row.cell], table.best.text, variants[row.cell]
        )
        used = table.best if outcome == "explained" else table.as_printed
        card = card_of(item, used, row.dataset)
        reason = marked(reason, outcome, table.records[card])
        cell = cell_of(row, name, card, outcome, answer, reason, used)
        cells.append({**cell, "as_printed": as_printed[row.cell].measured})
    return cells


def _combinations(name: str, table: Table, answers: dict, variants: dict) -> dict[str, list]:
    """Choose the table's best combination; return the rows of all combinations and measures."""
    exact = [cell for cell, variant in variants.items() if not variant]
    counts = {
        combination: (
            sum(of_cell[cell].within for cell in exact),
            sum(of_cell[cell].status == "ok" for cell in exact),
        )
        for combination, of_cell in answers.items()
    }
    table.best = max(table.combinations, key=lambda c: (counts[c.name][0], c.printed))
    combinations = [
        {
            "item": name,
            "combination": combination.name,
            "text": combination.text,
            "printed": combination.printed,
            "best": combination is table.best,
            "cells_within": counts[combination.name][0],
            "cells_compared": counts[combination.name][1],
            **{f"choice_{choice}": option for choice, option in combination.options},
        }
        for combination in table.combinations
    ]
    measures = [
        {
            "cell": cell,
            "combination": combination,
            **numbers(answer),
            "within": answer.within,
            "status": answer.status,
            "trial": answer.trial,
        }
        for combination, of_cell in answers.items()
        for cell, answer in of_cell.items()
    ]
    return {"combinations": combinations, "measures": measures}


def _variant(table: Table, key: str, row) -> str | None:
    """Return how our data differ from the paper's, if they do."""
    record = table.records[table.item["datasets"][row.dataset]]
    texts = record.get("variant", {}).get(key, {})
    return texts.get("*") or texts.get(row.weighting)


def _nulls(name: str, table: Table):
    item = table.item
    for null, dataset in itertools.product(item["nulls"], table.reachable()):
        setting = null_setting(item, item["datasets"][dataset], null)
        if table.runs(setting) is None:
            continue
        for metric in item["metrics"]:
            names = {"item": name, "dataset": dataset, "weighting": "any", "null": null}
            yield {**names, "metric": metric, **table.measured(setting, metric)}


def _extra(name: str, table: Table):
    """Yield the methods without a printed number, as printed and under the best combination."""
    for combination in {c.name: c for c in (table.as_printed, table.best)}.values():
        for row in _unprinted(name, table, combination, table.item["extra_methods"]):
            yield {**row, "card": table.item["datasets"][row["dataset"]]}


def compare_plain(name: str, table: Table) -> list[dict]:
    """Return the scores of all methods of an item without printed numbers, in all combinations."""
    return [
        row
        for combination in table.combinations
        for row in _unprinted(name, table, combination, table.methods)
    ]


def _unprinted(name: str, table: Table, combination: Combination, methods):
    for dataset, weighting, method, setting in table.settings(combination, methods):
        select = combination.select_of(setting.method)
        if table.stopped(setting, select):
            continue
        for metric in table.item["metrics"]:
            column = combination.metrics.get(metric, metric)
            yield {
                "item": name,
                "dataset": dataset,
                "card": setting.dataset,
                "weighting": weighting,
                "method": method,
                "metric": metric,
                "combination": combination.name,
                **table.measured(setting, column, select),
            }


def _consensus(name: str, table: Table):
    """Yield the scores of the consensus of the runs of each method, in the printed reading."""
    settings = table.settings(table.as_printed, table.methods)
    for dataset, weighting, method, setting in settings:
        medoid = table.consensus.get((setting.dataset, setting.weighting, setting.slug))
        if medoid is not None:
            yield {
                "item": name,
                "dataset": dataset,
                "weighting": weighting,
                "method": method,
                "combination": table.as_printed.name,
                "runs": int(medoid["run"]),
                **{m: medoid[m] for m in ("acc", "nmi", "ari", "mean_agreement")},
            }


def twins(name: str, table: Table) -> list[dict]:
    """Return, for each pair of methods, how many runs from the same start end the same.

    Only methods whose starts are the same can be compared run by run.
    """
    item, rows, seen = table.item, [], set()
    for combination, dataset, weighting in itertools.product(
        table.combinations, table.reachable(), item["weightings"]
    ):
        runs = {}
        for method in table.methods:
            setting = setting_of(item, combination, dataset, weighting, method)
            if not table.stopped(setting):
                runs[method] = (setting, table.runs(setting).set_index("seed"))
        for (first, (one, a)), (second, (other, b)) in itertools.combinations(runs.items(), 2):
            same, total = _same_runs(a, b)
            if not total or (one, other) in seen:
                continue
            seen.add((one, other))
            rows.append(
                {
                    "item": name,
                    "dataset": dataset,
                    "weighting": weighting,
                    "combination": combination.name,
                    "first": first,
                    "second": second,
                    "runs": total,
                    "same": same,
                }
            )
    return rows


def _same_runs(a, b) -> tuple[int, int]:
    """Return how many runs of the same seed have the same scores, and how many there are."""
    common = a.index.intersection(b.index)
    scores = ["acc", "nmi", "ari", "n_clusters"]
    same = np.isclose(a.loc[common, scores], b.loc[common, scores], rtol=0, atol=1e-12)
    return int(same.all(axis=1).sum()), len(common)
