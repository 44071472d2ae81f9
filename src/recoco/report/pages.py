"""What each page of the site shows, as plain values for the templates."""

import inspect
import itertools
import math

from markupsafe import Markup

from recoco.report import formats, tables
from recoco.report.inputs import Material, Paper, PrintedCell
from recoco.report.verdicts import VERDICTS, count_verdicts


def _grouped(values, key) -> dict:
    """Group by a key, in order of first appearance."""
    groups: dict = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


# ---- overview ----------------------------------------------------------------------------


def verdict_map(material: Material) -> list[dict]:
    """Return every printed cell, grouped by paper, item, dataset and weighting."""
    papers = []
    by_paper = _grouped(material.cells, lambda cell: cell.paper)
    for key in [*material.papers, *(k for k in by_paper if k not in material.papers)]:
        cells = by_paper.get(key, [])
        counts = count_verdicts(cell.verdict for cell in cells)
        papers.append(
            {
                "key": key,
                "title": material.titles.get(key, ""),
                "covered": key in material.papers,
                "cells": len(cells),
                "counts": {verdict: n for verdict, n in counts.items() if n},
                "entries": [
                    _map_item(material, key, item, group)
                    for item, group in _grouped(cells, lambda cell: cell.item).items()
                ],
            }
        )
    return papers


def _map_item(material: Material, paper: str, item: str, cells: list[PrintedCell]) -> dict:
    rows = [
        {
            "dataset": dataset,
            "groups": [
                {"weighting": weighting, "squares": [_square(cell) for cell in group]}
                for weighting, group in _grouped(of_dataset, lambda c: c.weighting).items()
            ],
        }
        for dataset, of_dataset in _grouped(cells, lambda cell: cell.dataset).items()
    ]
    shapes = {tuple((g["weighting"], len(g["squares"])) for g in row["groups"]) for row in rows}
    same = shapes.pop() if len(shapes) == 1 else ()
    return {
        "title": _item_title(material, paper, item),
        "cells": len(cells),
        "rows": rows,
        # Headings above the squares make sense only where all rows have the same groups.
        "heads": same if len(same) > 1 else (),
    }


def _item_title(material: Material, paper: str, item: str) -> str:
    if paper in material.papers:
        for key, block in material.papers[paper].config["items"].items():
            if item in {key, block.get("published")} and block["kind"] != "figure":
                return block["title"]
    return formats.item_name(item)


def _square(cell: PrintedCell) -> dict:
    verdict = VERDICTS[cell.verdict]
    says = f"{cell.name}: printed {cell.printed}"
    if cell.measured:
        says += f", measured {cell.measured}"
    if cell.answer and cell.answer["n_runs"]:
        says += f" on {_whole(cell.answer['n_runs'])} runs"
    return {
        "id": cell.id,
        "verdict": cell.verdict,
        "letter": verdict.letter,
        "says": f"{says}; {verdict.label}",
    }


def _whole(text) -> str:
    value = formats.as_float(text)
    return str(int(value)) if math.isfinite(value) else ""


# ---- the dialog of a cell ----------------------------------------------------------------


def dialog_data(material: Material) -> dict:
    """Return what the script shows about each cell, formatted here once."""
    return {
        "verdicts": {k: {"label": v.label, "letter": v.letter} for k, v in VERDICTS.items()},
        "combinations": {
            f"{key}:{block.get('published', item)}": {
                row["combination"]: [
                    row["text"],
                    formats.as_bool(row["printed"]),
                    formats.as_bool(row["best"]),
                ]
                for row in paper.of_item("combinations", item).to_dict("records")
            }
            for key, paper in material.papers.items()
            for item, block in paper.config["items"].items()
            if block["kind"] == "scores"
        },
        "cells": {cell.id: _dialog_cell(material, cell) for cell in material.cells},
    }


def _dialog_cell(material: Material, cell: PrintedCell) -> dict:
    shown = {
        "paper": cell.paper,
        "item": _item_title(material, cell.paper, cell.item),
        "name": cell.name,
        "printed": cell.printed,
        "note": "" if cell.note.strip() == "<" else cell.note,
        "verdict": cell.verdict,
    }
    answer = cell.answer
    if answer is None:
        return shown
    tolerance = formats.as_float(answer["tolerance"])
    return shown | {
        "reason": answer["reason"],
        "facts": [
            ["measured", cell.measured or "no number"],
            ["95 % interval", _interval(cell, answer)],
            ["difference", _signed(formats.as_float(answer["difference"]), cell.places)],
            ["tolerance", formats.number(tolerance, cell.places)],
            ["within tolerance", _yes(answer["within"]) if cell.measured else ""],
            ["runs", _whole(answer["n_runs"])],
            ["under", answer["combination_text"] or answer["combination"]],
        ],
        "used": answer["combination"],
        "among": f"{cell.paper}:{cell.item}",
        "value": _finite(formats.as_float(cell.value)),
        "band": _finite(tolerance),
        "plot": not cell.metric.startswith("pvalue"),
        "measures": _dialog_measures(
            cell, material.papers[cell.paper].measures_of.get(answer["cell"], []), answer
        ),
    }


def _dialog_measures(cell: PrintedCell, rows: list[dict], answer: dict) -> list[list]:
    """Return a row per different outcome: a choice that does not touch the cell adds none."""
    distinct: dict[tuple, dict] = {}
    for row in rows:
        outcome = (row["trial"], row["status"], row["measured"], row["ci_low"], row["ci_high"])
        if outcome not in distinct or row["combination"] == answer["combination"]:
            distinct[outcome] = row
    return [_dialog_measure(cell, row) for row in distinct.values()]


def _dialog_measure(cell: PrintedCell, row: dict) -> list:
    numbers = [formats.as_float(row[c]) for c in ("measured", "ci_low", "ci_high")]
    return [
        row["combination"],
        cell.answer_text(row),
        _interval(cell, row),
        _whole(row["n_runs"]),
        _yes(row["within"]) if math.isfinite(numbers[0]) else "",
        row["status"],
        row["trial"],
        *(_finite(number) for number in numbers),
    ]


def _interval(cell: PrintedCell, row: dict) -> str:
    low, high = (formats.as_float(row[c]) for c in ("ci_low", "ci_high"))
    return formats.interval_text(low, high, cell.places)


def _signed(value: float, places: int) -> str:
    text = formats.number(value, places)
    return text.replace("-", "−") if value < 0 or not text else f"+{text}"


def _yes(text) -> str:
    return "yes" if formats.as_bool(text) else "no"


def _finite(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None


# ---- papers ------------------------------------------------------------------------------


def paper_pages(material: Material, made_tables: dict, made_figures: dict) -> list[dict]:
    """Return the page of each covered paper."""
    made = []
    for key, paper in material.papers.items():
        config = paper.config
        counts = count_verdicts(cell.verdict for cell in material.cells_of(key))
        made.append(
            {
                "key": key,
                "config": config,
                "counts": {verdict: n for verdict, n in counts.items() if n},
                "entries": [
                    {
                        "id": item,
                        "block": block,
                        "table": made_tables.get((key, item)),
                        "figure": Markup(made_figures.get((key, item), "")),
                        "combinations": _combination_rows(paper, item),
                        "choices": block.get("choices", {}),
                    }
                    for item, block in config["items"].items()
                ],
                "claims": paper.frames["claims"].to_dict("records"),
                "consensus": _consensus_table(paper),
            }
        )
    return made


def _combination_rows(paper: Paper, item: str) -> list[dict]:
    block = paper.config["items"][item]
    if block["kind"] != "scores":
        return []
    rows = []
    for row in paper.of_item("combinations", item).to_dict("records"):
        within, compared = (formats.as_float(row[c]) for c in ("cells_within", "cells_compared"))
        rows.append(
            {
                "name": row["combination"],
                "text": row["text"],
                "printed": formats.as_bool(row["printed"]),
                "best": formats.as_bool(row["best"]),
                "within": _whole(within) or "0",
                "compared": _whole(compared) or "0",
                "percent": round(100 * within / compared) if compared > 0 else 0,
            }
        )
    return rows


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
    return tables.simple_table(f"{paper.key}_consensus", "Consensus", frame, headings)


# ---- datasets, methods, errata, provenance -----------------------------------------------

CHARACTERISTICS = (
    "documents",
    "words",
    "clusters",
    "sparsity_percent",
    "nonzero_percent",
    "balance",
)


def dataset_cards(material: Material) -> list[dict]:
    """Return each dataset: measured beside what every paper prints about it."""
    cards = []
    for name, document in sorted(material.datasets.items()):
        reached = document["status"] == "ok"
        measured = _measured_facts(document) if reached else {}
        printed = {
            paper: {key: row.get(key) for key in CHARACTERISTICS if row.get(key)}
            for paper, row in sorted((document.get("printed") or {}).items())
        }
        shown = [
            k for k in CHARACTERISTICS if k in measured or any(k in r for r in printed.values())
        ]
        cards.append(
            {
                "name": name,
                "title": document.get("title", name),
                "reached": reached,
                "status": document["status"],
                "source": _source_text(document),
                "by_hand": document.get("by_hand", ""),
                "tried": document.get("tried", []),
                "columns": shown,
                "measured": measured,
                "printed": printed,
                "class_sizes": document.get("class_sizes", {}),
                "dropped": document.get("dropped", []),
                "variant": document.get("variant", {}),
                "empty": (document.get("empty_rows", 0), document.get("empty_columns", 0)),
            }
        )
    return cards


def _measured_facts(document: dict) -> dict[str, str]:
    sparsity = document["sparsity_percent"]
    return {
        "documents": str(document["rows"]),
        "words": " | ".join(str(n) for n in document["columns"]),
        "clusters": str(document["classes"]),
        "sparsity_percent": formats.number(sparsity, 3),
        "nonzero_percent": formats.number(100 - sparsity, 3),
        "balance": formats.number(document["balance"], 3),
    }


def _source_text(document: dict) -> str:
    source = document.get("source") or {}
    if isinstance(source, str):
        return source
    return ", ".join(str(source[key]) for key in ("kind", "where") if source.get(key))


def method_cards(material: Material) -> list[dict]:
    """Return what the registered and the configured methods say about themselves."""
    from recoco.methods import METHODS, get_method

    cards = []
    for name in dict.fromkeys([*METHODS, *material.methods]):
        configured = material.methods.get(name) or {}
        where = configured.get("class", METHODS.get(name, name))
        method = get_method(where)
        parameters = inspect.signature(method.__init__).parameters
        cards.append(
            {
                "name": name,
                "title": getattr(method, "title", name),
                "reference": getattr(method, "reference", ""),
                "notes": getattr(method, "equation_notes", ""),
                "monotone": getattr(method, "monotone", False),
                "larger": getattr(method, "larger_is_better", True),
                "views": getattr(method, "views", "one"),
                "where": where.replace(":", "."),
                "parameters": [
                    (key, "required" if p.default is p.empty else repr(p.default))
                    for key, p in parameters.items()
                    if key != "self"
                ],
                "configured": sorted(configured.get("params", {}).items()),
            }
        )
    return cards


def errata_rows(material: Material) -> list[dict]:
    return material.errata.to_dict("records")


def stage_rows(material: Material) -> list[dict]:
    """Return jobs and seconds of each stage."""
    return [
        {
            "stage": stage["stage"],
            "jobs": stage.get("jobs", ""),
            "seconds": formats.number(formats.as_float(stage.get("seconds")), 1),
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
        {**row, "seconds": formats.number(formats.as_float(row["seconds"]), 1)}
        for row in itertools.islice(rows, most)
    ]
