"""The content of each page of the site, as plain values for the templates."""

import itertools
import math
from collections import Counter

from markupsafe import Markup

from recoco.items.characteristics import MEASURED
from recoco.items.leaderboard import table as leaderboard
from recoco.items.scores.curves import starts_that_fit
from recoco.items.words import table as wordlists
from recoco.report import formats, items, tables
from recoco.report.inputs import Material, Paper
from recoco.report.overlay import tally

# ---- papers ------------------------------------------------------------------------------


def paper_pages(material: Material, made_tables: dict, made_figures: dict) -> list[dict]:
    """Return the page of each covered paper."""
    made = []
    for key, paper in material.papers.items():
        made.append(
            {
                "key": key,
                "config": paper.config,
                "tally": tally(material.cells_of(key)),
                "entries": [
                    {
                        "id": name,
                        "item": item,
                        "table": made_tables.get((key, name)),
                        "figure": Markup(made_figures.get((key, name), "")),
                        "words": wordlists.word_groups(material, paper, name),
                        "data": items.data_file(paper, name),
                        "board": leaderboard.board(material, paper, name),
                        "combinations": _combination_rows(paper, name),
                        "chance": _fitted(paper, name),
                    }
                    for name, item in paper.items.items()
                ],
                "claims": paper.frames["claims"].to_dict("records"),
                "consensus": _consensus_table(paper),
                "files": _files(paper),
                "boards": any(item["kind"] == "leaderboard" for item in paper.items.values()),
            }
        )
    return made


def _files(paper: Paper) -> list[str]:
    """Return the files of a paper that are not empty: cells, measures, combinations, others."""
    first = ["cells.csv", "measures.csv", "combinations.csv"]
    filled = {f"{name}.csv" for name, frame in paper.frames.items() if len(frame)}
    return [*(name for name in first if name in filled), *sorted(filled.difference(first))]


def _combination_rows(paper: Paper, name: str) -> list[dict]:
    if paper.items[name]["kind"] != "scores":
        return []
    rows = []
    for row in paper.rows_of("combinations", name):
        within, compared = (formats.as_float(row[c]) for c in ("cells_within", "cells_compared"))
        rows.append(
            {
                "name": row["combination"],
                "text": row["text"],
                "printed": formats.as_bool(row["printed"]),
                "best": formats.as_bool(row["best"]),
                "within": formats.whole(within) or "0",
                "compared": formats.whole(compared) or "0",
                "percent": round(100 * within / compared) if compared > 0 else 0,
                "likelihood": formats.number(row["log_likelihood"], 1),
            }
        )
    return rows


def _fitted(paper: Paper, name: str) -> list[str]:
    """Return what the printed numbers of a table say about its readings, in sentences."""
    lines = [_chance_text(row) for row in paper.rows_of("chance", name)]
    return [*lines, *filter(None, [starts_that_fit(paper.rows_of("curves", name))])]


def _chance_text(row: dict) -> str:
    """Return how many cells other readings explain, beside what chance would."""
    stays = formats.as_bool(row["stated"])
    chosen = "The stated reading stays" if stays else f"The reading {row['chosen']} is chosen"
    how = (
        "come out under a reading that was chosen without their data"
        if row["verdict"] == "explained"
        else "come out under the reading, which could only be chosen with their own data"
    )
    mean, high = (formats.number(row[key], 1) for key in ("by_chance", "by_chance_high"))
    return (
        f"{chosen} among {row['readings']} ({row['choices'].replace('+', ', ')}). Of "
        f"{row['cells']} cells that do not come out as stated, {row['explained']} {how}. Of "
        f"numbers that are as far off to a side that is drawn, {mean} do on average, at most "
        f"{high} in 97.5 % of 300 draws."
    )


def causes(material: Material) -> list[tuple[str, int]]:
    """Return how many cells have each cause, the most frequent first."""
    counts = Counter(c.answer["cause"] for c in material.cells if c.answer and c.answer["cause"])
    return counts.most_common()


def _consensus_table(paper: Paper) -> tables.Table | None:
    frame = paper.frames["consensus"]
    if frame.empty:
        return None
    headings = {
        "dataset": "Dataset",
        "weighting": "Weighting",
        "method": "Method",
        "combination": "Combination",
        "runs": "Runs",
        "acc": "ACC",
        "nmi": "NMI",
        "ari": "ARI",
        "mean_agreement": "Agreement of the runs",
    }
    # two figures of one paper may use the same runs
    frame = frame.drop_duplicates(list(headings))
    return tables.simple_table(f"{paper.key}_consensus", "Consensus", frame, headings)


# ---- datasets, errata, provenance --------------------------------------------------------

CHARACTERISTICS = tuple(MEASURED)


def dataset_cards(material: Material) -> list[dict]:
    """Return each dataset: its measured characteristics and those that every paper prints."""
    cards = []
    for name, record in sorted(material.datasets.items()):
        reached = record["status"] == "ok"
        measured = _measured_facts(record) if reached else {}
        printed = {
            paper: {key: row.get(key) for key in CHARACTERISTICS if row.get(key)}
            for paper, row in sorted((record.get("printed") or {}).items())
        }
        shown = [
            k for k in CHARACTERISTICS if k in measured or any(k in r for r in printed.values())
        ]
        cards.append(
            {
                "name": name,
                "title": record.get("title", name),
                "reached": reached,
                "status": "unreachable, its twin is drawn"
                if name in material.twins
                else record["status"],
                "source": _source_text(record),
                "by_hand": record.get("by_hand", ""),
                "tried": record.get("tried", []),
                "columns": shown,
                "measured": measured,
                "printed": printed,
                "class_sizes": record.get("class_sizes", {}),
                "dropped": record.get("dropped", []),
                "variant": record.get("variant", {}),
                "rebuilt": record.get("rebuilt", ""),
                "empty": (record.get("empty_rows", 0), record.get("empty_columns", 0)),
            }
        )
    return cards


def _measured_facts(record: dict) -> dict[str, str]:
    sparsity = record["sparsity_percent"]
    return {
        "documents": str(record["rows"]),
        "words": " | ".join(str(n) for n in record["columns"]),
        "clusters": str(record["classes"]),
        "sparsity_percent": formats.number(sparsity, 3),
        "nonzero_percent": formats.number(100 - sparsity, 3),
        "balance": formats.number(record["balance"], 3),
    }


def _source_text(record: dict) -> str:
    source = record.get("source") or {}
    if isinstance(source, str):
        return source
    return ", ".join(str(source[key]) for key in ("kind", "where") if source.get(key))


def stage_rows(material: Material) -> list[dict]:
    """Return jobs and seconds of each stage."""
    return [
        {
            "stage": stage["stage"],
            "jobs": stage.get("jobs", ""),
            "seconds": formats.number(stage.get("seconds"), 1),
        }
        for stage in material.provenance.get("stages", [])
    ]


def slowest_jobs(material: Material, most: int = 15) -> list[dict]:
    """Return the jobs that took longest."""
    rows = [
        row
        for row in material.timings.to_dict("records")
        if math.isfinite(formats.as_float(row.get("seconds")))
    ]
    rows.sort(key=lambda row: (-formats.as_float(row["seconds"]), row["stage"], row["name"]))
    return [
        {**row, "seconds": formats.number(row["seconds"], 1)}
        for row in itertools.islice(rows, most)
    ]
