"""Tables of scores: printed cells under every combination of choices, and unprinted scores."""

import itertools
from dataclasses import replace

import numpy as np

from recoco.compare.answers import Answer
from recoco.compare.comparison import Comparison, cell_of, numbers
from recoco.compare.published import printed_rows
from recoco.compare.rebuilt import marked
from recoco.compare.table import Table
from recoco.compare.verdicts import verdict
from recoco.items.scores.curves import curve_rows
from recoco.items.scores.fits import ItemFit, fit_tables
from recoco.items.scores.reasons import cause_of, readings_tried
from recoco.plan import Combination, card_of, null_setting, setting_of


def answer_scores(comparison: Comparison, name: str, item: dict, rows) -> list[dict]:
    """Return the cells of a printed table of scores, each with its verdict."""
    fitted = fits_of(comparison)[name]
    table = fitted.table
    comparison.score_tables[name] = table
    table.best = table.combination(fitted.best())
    answers = {
        combination.name: {row.cell: table.answer(row, combination) for row in rows.itertuples()}
        for combination in table.combinations
    }
    variants = {row.cell: _variant(table, comparison.key, row) for row in rows.itertuples()}
    comparison.add(
        {
            "combinations": _combinations(name, fitted, answers, variants),
            "measures": _measures(answers),
            "curves": curve_rows(name, table, rows),
            "chance": _chance(name, fitted, comparison.config.master_seed),
            "nulls": list(_nulls(name, table)),
            "extra": list(_extra(name, table)),
            "consensus": list(_consensus(name, table)),
        }
    )
    as_printed = answers[table.as_printed.name]
    cells = []
    for row in rows.itertuples():
        stated, variant = as_printed[row.cell], variants[row.cell]
        other, options, out_of_sample = _other(fitted, row)
        erratum = comparison.misprints.get(row.cell)
        outcome, answer, reason = verdict(stated, other, out_of_sample, variant, erratum)
        used, why = table.as_printed, {}
        if outcome in ("explained", "fits"):
            used = table.combination(options)
            why = cause_of(table, row, options, stated, other)
        elif outcome in ("higher", "lower", "close"):
            why = {"tried": readings_tried(table, row, answers)}
        if outcome in ("higher", "lower", "close") and table.best.name != used.name:
            reason += _in_sample_only(table, row)
        card = card_of(item, used.at(row.dataset, row.method), row.dataset)
        reason = marked(reason, outcome, table.records[card])
        cell = cell_of(row, name, card, outcome, answer, reason, used)
        cells.append({**cell, **why, "as_printed": stated.measured})
    return cells


def fits_of(comparison: Comparison) -> dict[str, ItemFit]:
    """Return the fits of all printed tables of scores of a paper, made when first needed."""
    if comparison.fits is None:
        tables, rows = {}, {}
        for name, item in comparison.items.items():
            if item["kind"] != "scores" or not item["published"]:
                continue
            tables[name] = table = comparison.table(item)
            rows[name] = list(printed_rows(comparison, item).itertuples())
            table.printed = {
                (r.dataset, r.weighting, r.method, r.metric): r.value for r in rows[name]
            }
        left_out = set(comparison.misprints) | {
            row.cell
            for name, of_item in rows.items()
            for row in of_item
            if _variant(tables[name], comparison.key, row)
        }
        comparison.fits = fit_tables(tables, rows, left_out, comparison.config.master_seed)
    return comparison.fits


def _methods_of(table: Table, row) -> list[str]:
    """Return the printed methods behind a cell: a test has two."""
    return table.item["test"]["methods"] if row.metric.startswith("pvalue_") else [row.method]


def _other(fitted: ItemFit, row) -> tuple[Answer | None, dict, bool]:
    """Return the answer of the reading chosen for a cell, if it is not the stated one."""
    table = fitted.table
    options, out_of_sample = fitted.chosen_for(row.dataset, _methods_of(table, row))
    combination = table.combination(options)
    if combination.name == table.as_printed.name:
        return None, options, out_of_sample
    answer = table.answer(row, combination)
    return replace(answer, why=f"{combination.text}: {answer.why}"), options, out_of_sample


def _in_sample_only(table: Table, row) -> str:
    """Return that a cell comes out under the reading that it helped to choose, if it does."""
    if not table.answer(row, table.best).within:
        return ""
    return (
        f" It comes out under the reading that fits the table best ({table.best.text}), but that "
        "is not chosen without the data of this cell."
    )


def _combinations(name: str, fitted: ItemFit, answers: dict, variants: dict) -> list[dict]:
    """Return a row per combination: how many cells agree under it, and how likely it is."""
    table, rows = fitted.table, []
    exact = [cell for cell, variant in variants.items() if not variant]
    stated = dict(table.as_printed.options)
    chosen = [options for options in fitted.chosen() if options != stated] or [stated]
    for combination in table.combinations:
        of_cell, options = answers[combination.name], dict(combination.options)
        gains = [
            part.choice.gain[part.options.index({c: options[c] for c in part.part.choices})]
            for part in fitted.parts
            if part.choice
        ]
        rows.append(
            {
                "item": name,
                "combination": combination.name,
                "text": combination.text,
                "printed": combination.printed,
                "best": options in chosen,
                "cells_within": sum(of_cell[cell].within for cell in exact),
                "cells_compared": sum(of_cell[cell].status == "ok" for cell in exact),
                "log_likelihood": float(sum(gains)),
                **{f"choice_{choice}": option for choice, option in combination.options},
            }
        )
    return rows


def _measures(answers: dict) -> list[dict]:
    return [
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


def _chance(name: str, fitted: ItemFit, master: int) -> list[dict]:
    """Return for each part of the choices how many cells it explains, and how many by chance."""
    rows = []
    for part in fitted.parts:
        found = part.chance(name, master)
        if found is None:
            continue
        chosen = part.best()
        rows.append(
            {
                "item": name,
                "choices": "+".join(part.part.choices),
                "readings": len(part.options),
                "chosen": "+".join(chosen.values()),
                "stated": chosen == part.options[0],
                "log_likelihood": float(part.choice.gain[part.choice.best]),
                "verdict": "fits" if part.evidence.fold is None else "explained",
                "cells": found.open,
                "explained": found.explained,
                "by_chance": float(found.by_chance.mean()),
                "by_chance_high": float(np.percentile(found.by_chance, 97.5)),
            }
        )
    return rows


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
        at = combination.at(dataset, method)
        select = at.select_of(setting.method)
        if table.stopped(setting, select):
            continue
        for metric in table.item["metrics"]:
            column = at.metrics.get(metric, metric)
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
