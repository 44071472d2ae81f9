"""Every printed cell beside what was measured: the map of all, and the dialog of each."""

import math

from recoco.compare.twins import MARK
from recoco.compare.verdicts import SPREADS, VERDICTS
from recoco.report import formats
from recoco.report.inputs import Material, PrintedCell
from recoco.report.overlay import LABEL, Known, tally


def _grouped(values, key) -> dict:
    """Group by a key, in order of first appearance."""
    groups: dict = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


# ---- the map ----------------------------------------------------------------------------


def verdict_map(material: Material) -> list[dict]:
    """Return every printed cell, grouped by paper, item, dataset and weighting or metric."""
    papers = []
    by_paper = _grouped(material.cells, lambda cell: cell.paper)
    for key in [*material.papers, *(k for k in by_paper if k not in material.papers)]:
        cells = by_paper.get(key, [])
        if not cells:
            continue  # a benchmark prints nothing
        papers.append(
            {
                "key": key,
                "title": material.titles.get(key, ""),
                "covered": key in material.papers,
                "cells": len(cells),
                "tally": tally(cells),
                "entries": [
                    _map_item(material, key, item, group)
                    for item, group in _grouped(cells, lambda cell: cell.item).items()
                ],
            }
        )
    return papers


def _map_item(material: Material, paper: str, item: str, cells: list[PrintedCell]) -> dict:
    # With one weighting, the squares of a row are grouped by metric instead.
    by_weighting = len({cell.weighting for cell in cells}) > 1

    def name(cell: PrintedCell) -> str:
        return cell.weighting if by_weighting else formats.metric_name(cell.metric)

    rows = [
        {
            "dataset": dataset,
            "groups": [
                {"head": head, "squares": [_square(cell) for cell in group]}
                for head, group in _grouped(of_dataset, name).items()
            ],
        }
        for dataset, of_dataset in _grouped(cells, lambda cell: cell.dataset).items()
    ]
    shapes = {tuple((g["head"], len(g["squares"])) for g in row["groups"]) for row in rows}
    same = shapes.pop() if len(shapes) == 1 else ()
    return {
        "title": _item_title(material, paper, item),
        "cells": len(cells),
        "rows": rows,
        # Headings are shown only if all rows have the same groups and no heading is much wider
        # than the squares below it.
        "heads": same if len(same) > 1 and all(len(h) <= max(3, 3.2 * n) for h, n in same) else (),
    }


def _item_title(material: Material, paper: str, name: str) -> str:
    if paper in material.papers:
        for own_name, item in material.papers[paper].items.items():
            if name in {own_name, item["published"]} and item["kind"] != "figure":
                return item["title"]
    return formats.item_name(name)


def _square(cell: PrintedCell) -> dict:
    """Return what a square shows: the verdict here, or the reference's, with the one here."""
    own = _shown(cell, cell.verdict, cell.answer) | {"own": None}
    if not cell.known:
        return own
    known = _shown(cell, cell.known.verdict, cell.known.row)
    return known | {"says": f"{known['says']}, {LABEL}", "own": own}


def _shown(cell: PrintedCell, verdict: str, row: dict | None) -> dict:
    says = f"{cell.name}: printed {cell.printed}"
    if row and (measured := cell.answer_text(row)):
        says += f", measured {measured}"
    if row and row["n_runs"]:
        says += f" on {formats.whole(row['n_runs'])} runs"
    return {
        "id": cell.id,
        "verdict": verdict,
        "letter": VERDICTS[verdict].letter,
        "says": f"{says}; {VERDICTS[verdict].label}",
    }


# ---- the dialog of a cell ----------------------------------------------------------------


def dialog_data(material: Material) -> dict:
    """Return the data of the dialogs for the script, with all numbers formatted."""
    return {
        "label": LABEL,
        "verdicts": {k: {"label": v.label, "letter": v.letter} for k, v in VERDICTS.items()},
        "combinations": {
            f"{key}:{item['published'] or name}": {
                row["combination"]: [
                    row["text"],
                    formats.as_bool(row["printed"]),
                    formats.as_bool(row["best"]),
                ]
                for row in paper.rows_of("combinations", name)
            }
            for key, paper in material.papers.items()
            for name, item in paper.items.items()
            if item["kind"] in {"scores", "words"}
        },
        "cells": {cell.id: _dialog_cell(material, cell) for cell in material.cells},
        "trials": sorted(path.stem for path in material.score_files),
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
    if formats.is_bracket(cell.metric):
        shown["about"] = (
            "In brackets in the paper: what the run with the lowest criterion of all runs scores, "
            "not a mean over them."
        )
    answer = cell.answer
    if answer is None:
        return shown
    if cell.known:
        shown["known"] = _dialog_known(cell, cell.known)
    return shown | {
        "cause": answer["cause"],
        "evidence": answer["evidence"],
        "reason": answer["reason"] if answer["reason"] != answer["evidence"] else "",
        "facts": [*_facts(cell, answer), *_on_twin(cell), *_rebuilt(material, answer)],
        "used": answer["combination"],
        "among": f"{cell.paper}:{cell.item}",
        "value": _finite(formats.as_float(cell.value)),
        "band": _finite(formats.as_float(answer["tolerance"])),
        "plot": not cell.metric.startswith("pvalue"),
        "curve": _dialog_curve(cell, material.papers[cell.paper].curves_of.get(cell.id, [])),
        "measures": _dialog_measures(
            cell, material.papers[cell.paper].measures_of.get(answer["cell"], []), answer
        ),
    }


def _dialog_curve(cell: PrintedCell, rows: list[dict]) -> str:
    """Return what the best of n starts scores, for every n, and which n fit."""
    if len(rows) < 2:
        return ""
    shown = ", ".join(
        f"{row['n']}: {formats.number(row['measured'], cell.places)}"
        + ("" if formats.as_bool(row["enough"]) else "°")
        for row in rows
    )
    fit = [row["n"] for row in rows if formats.as_bool(row["fits"])]
    small = "" if formats.as_bool(rows[-1]["enough"]) else "; ° the pool is too small"
    return f"{shown}; within tolerance: {', '.join(fit) or 'none'}{small}"


def _facts(cell: PrintedCell, row: dict) -> list[list[str]]:
    """Return names and values of the numbers in a row of ``cells.csv``, the measured one first."""
    measured = cell.answer_text(row)
    return [
        ["measured", measured or "no number"],
        ["95 % interval", _interval(cell, row)],
        ["difference", _signed(formats.as_float(row["difference"]), cell.places)],
        ["tolerance", formats.number(row["tolerance"], cell.places)],
        ["within tolerance", _yes(row["within"]) if measured else ""],
        ["spread", SPREADS.get(row.get("spread"), "")],
        ["runs", formats.whole(row["n_runs"])],
        ["under", row["combination_text"] or row["combination"]],
    ]


def _dialog_known(cell: PrintedCell, known: Known) -> dict:
    """Return what the reference run has on a cell, with the data and the commit behind it."""
    return {
        "verdict": known.verdict,
        "reason": known.row["reason"],
        "facts": [
            *_facts(cell, known.row),
            ["data", known.row["card"]],
            ["SHA-256 of the data", " ".join(known.sha256)],
            ["commit", known.commit],
        ],
    }


def _on_twin(cell: PrintedCell) -> list[list[str]]:
    """Return what was measured on the twin of the data, if there is one."""
    return [["twin", f"{cell.twin} ({MARK})"]] if cell.twin else []


def _rebuilt(material: Material, answer: dict) -> list[list[str]]:
    """Return the fact that the data is rebuilt, with how close it is, if so."""
    text = material.datasets.get(answer["card"], {}).get("rebuilt")
    return [["data", f"rebuilt: {text}"]] if text else []


def _dialog_measures(cell: PrintedCell, rows: list[dict], answer: dict) -> list[list]:
    """Return a row per different outcome: choices that do not change the cell add none."""
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
        formats.whole(row["n_runs"]),
        _yes(row["within"]) if math.isfinite(numbers[0]) else "",
        row["status"],
        row["trial"],
        *(_finite(number) for number in numbers),
    ]


def _interval(cell: PrintedCell, row: dict) -> str:
    return formats.interval_text(row["ci_low"], row["ci_high"], cell.places)


def _signed(value: float, places: int) -> str:
    text = formats.number(value, places)
    return text.replace("-", "−") if value < 0 or not text else f"+{text}"


def _yes(text) -> str:
    return "yes" if formats.as_bool(text) else "no"


def _finite(value: float) -> float | None:
    return round(value, 5) if math.isfinite(value) else None
