"""Answer a paper: every printed cell, every fixed combination of open choices, every claim."""

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from recoco.compare import (  # noqa: F401  they register claims
    claims_coclus,
    claims_tsplbm,
    claims_wcnmtf,
    graphs,
)
from recoco.compare.characteristics import compare_characteristics
from recoco.compare.claims import CLAIMS, try_claim
from recoco.compare.densities import compare_densities
from recoco.compare.examples import compute_example
from recoco.compare.outputs import MEASURED, OUTPUTS
from recoco.compare.published import read_published
from recoco.compare.table import Table
from recoco.compare.verdicts import Answer, verdict
from recoco.compare.words import answer_clusters, compare_words
from recoco.config import Config
from recoco.plan import Combination, card_of, null_setting, setting_of, sweep_settings
from recoco.store import read_json, write_text


@dataclass(frozen=True)
class Findings:
    """The files that the stages before have written for a paper."""

    scores: list[Path]
    records: list[Path]
    words: list[Path] = field(default_factory=list)
    coherence: list[Path] = field(default_factory=list)
    densities: list[Path] = field(default_factory=list)
    ensembles: list[Path] = field(default_factory=list)
    topics: list[Path] = field(default_factory=list)


def compare_paper(
    config: Config, key: str, found: Findings, published: Path, out: Path
) -> pd.DataFrame:
    """Write the comparison of a paper as CSV files into ``out``; return its cells."""
    paper = config.papers[key]
    loaded = {path.stem: read_json(path) for path in found.records}
    frames = [pd.read_parquet(path) for path in found.scores]
    # Columns without a value in one dataset would otherwise decide the type of the whole.
    runs = pd.concat([f.dropna(axis=1, how="all") for f in frames]) if frames else pd.DataFrame()
    printed = read_published(published / "published.csv")
    tables: dict[str, list] = {name: [] for name in OUTPUTS}
    cells = []
    first_table = None
    for item, block in paper["items"].items():
        rows = printed[(printed["paper"] == key) & (printed["item"] == block.get("published"))]
        rows = rows[rows["value"] != ""]  # a dash is printed where the authors have no number
        if "datasets" in block:  # a dataset taken out of the file takes its cells along
            rows = rows[rows["dataset"].isin(block["datasets"])]
        if block["kind"] == "scores":
            table = Table(config, block, runs, loaded)
            if not block.get("published"):
                tables["extra"] += graphs.compare_plain(item, table)
                tables["twins"] += graphs.twins(item, table)
                continue
            first_table = first_table or table
            cells += _scores_item(key, item, rows, table, tables)
        elif block["kind"] == "example":
            cells += _example_item(item, rows, block, published)
        elif block["kind"] == "characteristics":
            tables["characteristics"] += compare_characteristics(key, block["datasets"], loaded)
        elif block["kind"] == "sweep":
            tables["sweeps"] += _sweep_item(item, Table(config, block, runs, loaded))
        elif block["kind"] == "densities":
            tables["densities"] += compare_densities(
                key, item, block["datasets"], loaded, found.densities
            )
        elif block["kind"] == "words":
            cells += _words_item(config, item, block, rows, found, tables)
        elif block["kind"] in _GRAPHS:
            cells += _GRAPHS[block["kind"]](config, key, item, rows, runs, loaded, found, tables)
    if first_table:
        first_table.frames = tables
    tables["claims"] = _claims(key, first_table, published)
    tables["cells"] = cells
    for name, columns in OUTPUTS.items():
        frame = pd.DataFrame(tables[name]).reindex(columns=_columns(columns, tables[name]))
        write_text(out / f"{name}.csv", frame.to_csv(index=False, float_format="%.10g"))
    return pd.DataFrame(cells)


def _columns(columns: list[str], rows: list[dict]) -> list[str]:
    if columns[-1] != "choice_*":
        return columns
    chosen = sorted({key for row in rows for key in row if key.startswith("choice_")})
    return [*columns[:-1], *chosen]


def _numbers(answer: Answer) -> dict:
    values = (answer.measured, answer.sd, answer.low, answer.high, answer.runs, answer.tolerance)
    return dict(zip(MEASURED, values, strict=True))


def _scores_item(key: str, item: str, rows: pd.DataFrame, table: Table, out: dict) -> list[dict]:
    block = table.block
    table.printed = {
        (r.dataset, r.weighting, r.method, r.metric): r.value for r in rows.itertuples()
    }
    answers = {
        combination.name: {row.cell: table.answer(row, combination) for row in rows.itertuples()}
        for combination in table.combinations
    }
    variants = {row.cell: _variant(table, key, row) for row in rows.itertuples()}
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
                **_numbers(answer),
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
        cells.append(_cell(row, item, card, said, answer, reason, used))
    return cells


def _sweep_item(item: str, table: Table) -> list[dict]:
    """Return the scores along the values of one parameter."""
    block, rows = table.block, []
    weighting = next(iter(block["weightings"]))
    for setting, details in sweep_settings(table.config, block):
        if table.stopped(setting):
            continue
        for metric in block["metrics"]:
            found = table.measure(setting, "mean", metric)
            rows.append(
                {
                    "item": item,
                    **details,
                    "weighting": weighting,
                    "method": block["method"],
                    "parameter": block["parameter"],
                    "metric": metric,
                    "measured": found.value,
                    "measured_sd": found.sd,
                    "n_runs": found.runs,
                }
            )
    return rows


def _words_item(config, item, block, rows, found: Findings, tables: dict) -> list[dict]:
    coherence = {path.stem: path for path in found.coherence}
    made = compare_words(config, item, block, set(found.words), coherence)
    for name, added in made.items():
        tables[name] += added
    return [
        _cell(row, item, block["datasets"][row.dataset], said, answer, reason)
        for row, said, answer, reason in answer_clusters(rows, made["words"], made["coherence"])
    ]


def _views_item(config, key, item, rows, runs, loaded, found, tables) -> list[dict]:
    block = config.papers[key]["items"][item]
    tables["views"] += graphs.compare_views(item, Table(config, block, runs, loaded))
    return []


def _ensembles_item(config, key, item, rows, runs, loaded, found, tables) -> list[dict]:
    items = config.papers[key]["items"]
    datasets = items[items[item]["of"]]["datasets"]
    tables["ensembles"] += graphs.compare_ensembles(key, item, datasets, found.ensembles)
    return []


def _topics_item(config, key, item, rows, runs, loaded, found, tables) -> list[dict]:
    block = config.papers[key]["items"][item]
    tables["topics"] += graphs.compare_topics(key, item, block, found.topics)
    return []


def _orders_item(config, key, item, rows, runs, loaded, found, tables) -> list[dict]:
    block = config.papers[key]["items"][item]
    tables["orders"] += graphs.compare_orders(item, Table(config, block, runs, loaded))
    return []


def _gains_item(config, key, item, rows, runs, loaded, found, tables) -> list[dict]:
    items = config.papers[key]["items"]
    of = items[items[item]["of"]]
    table = Table(config, of, runs, loaded)
    rows = rows[rows["dataset"].isin(of["datasets"])]
    return [
        _cell(row, item, of["datasets"][row.dataset], said, answer, reason)
        for row, said, answer, reason in graphs.answer_gains(rows, table, items[item]["method"])
    ]


_GRAPHS = {
    "views": _views_item,
    "ensembles": _ensembles_item,
    "topics": _topics_item,
    "orders": _orders_item,
    "gains": _gains_item,
}


def _cell(row, item, card, said, answer, reason, combination=None) -> dict:
    printed = float(row.value)
    return {
        **{
            k: getattr(row, k)
            for k in ("cell", "paper", "dataset", "weighting", "method", "metric")
        },
        "item": item,
        "card": card,
        "printed": row.value,
        "printed_sd": row.sd,
        "printed_note": row.note,
        **_numbers(answer),
        "difference": None if answer.measured is None else answer.measured - printed,
        "combination": combination.name if combination else "as-printed",
        "combination_text": combination.text if combination else "as printed",
        "verdict": said,
        "within": answer.within,
        "reason": reason,
    }


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
                        found = table.measure(setting, combination.select, column)
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


def _example_item(item: str, rows: pd.DataFrame, block: dict, published: Path) -> list[dict]:
    """Check a worked example: exact arithmetic, so only the printed rounding is allowed."""
    values = compute_example(block["example"], published)
    cells = []
    for row in rows.itertuples():
        found = values[row.note.split(":")[0]]
        digits = len(row.value.partition(".")[2])
        tolerance = 0.5 * 10.0**-digits
        within = abs(found - float(row.value)) <= tolerance + 1e-12
        why = f"{found:.{digits + 2}f} computed against {row.value} printed"
        answer = Answer("ok", found, None, None, None, 1, tolerance, within, why=why)
        said = "reproduced" if within else "better" if found > float(row.value) else "worse"
        cells.append(_cell(row, item, "", said, answer, f"{why}."))
    return cells


def _claims(key: str, table: Table | None, published: Path) -> list[dict]:
    listed = pd.read_csv(published / "claims.csv", dtype=str, keep_default_na=False)
    rows = []
    for row in listed[listed["paper"] == key].itertuples():
        outcome, evidence = (
            try_claim(row.id, table) if table and row.id in CLAIMS else ("open", "not tried here")
        )
        rows.append(
            {
                "id": row.id,
                "claim": row.claim,
                "outcome": outcome,
                "evidence": evidence,
                "scope": row.scope,
            }
        )
    return rows
