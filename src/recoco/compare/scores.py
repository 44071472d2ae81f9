"""A printed table of scores: every cell, every fixed combination of open choices."""

from recoco.compare.comparison import Comparison, cell_of, numbers
from recoco.compare.table import Table
from recoco.compare.verdicts import verdict
from recoco.plan import Combination, card_of, null_setting, setting_of


def answer_scores(comparison: Comparison, item: str, block: dict, rows) -> list[dict]:
    """Return the cells of a table of scores: under every combination, and the verdict."""
    table, out = comparison.table(block), comparison.tables
    comparison.score_tables[item] = table
    table.printed = {
        (r.dataset, r.weighting, r.method, r.metric): r.value for r in rows.itertuples()
    }
    answers = {
        combination.name: {row.cell: table.answer(row, combination) for row in rows.itertuples()}
        for combination in table.combinations
    }
    variants = {row.cell: _variant(table, comparison.key, row) for row in rows.itertuples()}
    exact = [cell for cell, variant in variants.items() if not variant]
    counts = {
        name: (
            sum(given[cell].within for cell in exact),
            sum(given[cell].status == "ok" for cell in exact),
        )
        for name, given in answers.items()
    }
    best = max(table.combinations, key=lambda c: (counts[c.name][0], c.printed))
    table.best = best
    for combination in table.combinations:
        within, compared = counts[combination.name]
        out["combinations"].append(
            {
                "item": item,
                "combination": combination.name,
                "text": combination.text,
                "printed": combination.printed,
                "best": combination is best,
                "cells_within": within,
                "cells_compared": compared,
                **{f"choice_{choice}": option for choice, option in combination.options},
            }
        )
        out["measures"] += [
            {
                "cell": cell,
                "combination": combination.name,
                **numbers(answer),
                "within": answer.within,
                "status": answer.status,
                "trial": answer.trial,
            }
            for cell, answer in answers[combination.name].items()
        ]
    _add_nulls(item, table, out)
    _add_extra(item, table, best, out)
    cells = []
    for row in rows.itertuples():
        said, answer, reason = verdict(
            answers[table.as_printed.name][row.cell],
            answers[best.name][row.cell],
            best.text,
            variants[row.cell],
        )
        used = best if said == "explained" else table.as_printed
        card = card_of(block, used, row.dataset)
        as_printed = answers[table.as_printed.name][row.cell].measured
        cell = cell_of(row, item, card, said, answer, reason, used)
        cells.append({**cell, "as_printed": as_printed})
    return cells


def _variant(table: Table, key: str, row) -> str | None:
    record = table.records[table.block["datasets"][row.dataset]]
    known = record.get("variant", {}).get(key, {})
    return known.get("*") or known.get(row.weighting)


def _add_nulls(item: str, table: Table, out: dict) -> None:
    for null in table.block.get("nulls", []):
        for dataset in table.reachable():
            setting = null_setting(table.block, table.block["datasets"][dataset], null)
            if table.runs(setting) is None:
                continue
            for metric in table.block["metrics"]:
                found = table.measure(setting, "mean", metric)
                out["nulls"].append(
                    {
                        "item": item,
                        "dataset": dataset,
                        "weighting": "any",
                        "null": null,
                        "metric": metric,
                        "measured": found.value,
                        "measured_sd": found.sd,
                        "n_runs": found.runs,
                    }
                )


def _add_extra(item: str, table: Table, best: Combination, out: dict) -> None:
    """Add methods without a printed number, and the consensus of the runs of all methods."""
    block = table.block
    for combination in {c.name: c for c in (table.as_printed, best)}.values():
        for dataset in table.reachable():
            card = block["datasets"][dataset]
            for weighting in block["weightings"]:
                for method in block.get("extra_methods", {}):
                    setting = setting_of(block, combination, dataset, weighting, method)
                    if table.stopped(setting):
                        continue
                    for metric in block["metrics"]:
                        column = combination.metrics.get(metric, metric)
                        found = table.measure(
                            setting, combination.select_of(setting.method), column
                        )
                        out["extra"].append(
                            {
                                "item": item,
                                "dataset": dataset,
                                "card": card,
                                "weighting": weighting,
                                "method": method,
                                "metric": metric,
                                "combination": combination.name,
                                "measured": found.value,
                                "measured_sd": found.sd,
                                "n_runs": found.runs,
                            }
                        )
    out["consensus"] += _consensus(item, table)


def _consensus(item: str, table: Table) -> list[dict]:
    block, rows = table.block, []
    for dataset in table.reachable():
        for weighting in block["weightings"]:
            for method in [*block["methods"], *block.get("extra_methods", {})]:
                setting = setting_of(block, table.as_printed, dataset, weighting, method)
                found = table.consensus.get((setting.dataset, setting.weighting, setting.slug))
                if found is None:
                    continue
                rows.append(
                    {
                        "item": item,
                        "dataset": dataset,
                        "weighting": weighting,
                        "method": method,
                        "combination": table.as_printed.name,
                        "runs": int(found["run"]),
                        **{m: found[m] for m in ("acc", "nmi", "ari", "mean_agreement")},
                    }
                )
    return rows
