"""A leaderboard on the page: rows for all rankings, of which the page shows those asked for."""

import math
from collections import defaultdict

from recoco.leaderboard_plan import CONSENSUS, METHOD
from recoco.report import formats
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table
from recoco.report.trials import address_of

SELECTIONS = {"mean": "mean of all starts", "best": "best start by the criterion"}
KINDS = {METHOD: "", "null": "null model", CONSENSUS: "consensus of all methods"}
STATES = {
    "too-large": "too large",
    "timeout": "timed out",
    "not-run": "not run",
    "degenerate": "fewer clusters",
}
# Halves of the datasets, as headings: below the median and above it.
HALVES = {
    "size": ("small", "large"),
    "classes": ("few", "many"),
    "balance": ("uneven", "even"),
    "sparsity": ("denser", "sparser"),
}
# From this chance on the Bayesian test has decided.
DECIDED = 0.95


def board(material: Material, paper: Paper, item: str) -> dict | None:
    """Return everything that the page shows of a leaderboard; None for any other item."""
    block = paper.config["items"][item]
    if block["kind"] != "leaderboard":
        return None
    cells = paper.of_item("leaderboard", item).to_dict("records")
    if not cells:
        return {"empty": True}
    standings = paper.of_item("standings", item).to_dict("records")
    seconds = _seconds(paper, item)
    tests = paper.of_item("tests", item).to_dict("records")
    return {
        "empty": False,
        "weightings": list(block["weightings"]),
        "selections": SELECTIONS,
        "metrics": block["metrics"],
        "datasets": list(dict.fromkeys(row["dataset"] for row in cells)),
        "methods": list(dict.fromkeys(row["method"] for row in cells)),
        "states": _states(cells),
        "remarks": [row["text"] for row in paper.of_item("remarks", item).to_dict("records")],
        "standings": _standings(standings, seconds),
        "overall": _overall(tests, standings),
        "breakdown": _breakdown(paper, item),
        "halves": HALVES,
        "duels": _duels(paper, item, tests, standings),
        "cells": _cells(cells, block["metrics"]),
        "transfer": _transfer(paper, item),
        "summary": _summary(cells),
    }


def _key(row: dict) -> tuple:
    return row["weighting"], row["selection"], row["metric"]


def _seconds(paper: Paper, item: str) -> dict[tuple, dict]:
    rows = paper.of_item("tradeoffs", item).to_dict("records")
    return {(*_key(row), row["method"]): row for row in rows}


def _standings(rows: list[dict], seconds: dict) -> list[dict]:
    made, places = [], defaultdict(int)
    for row in rows:
        time = seconds.get((*_key(row), row["method"]), {})
        ranked = row["kind"] == METHOD and row["mean_rank"]
        places[_key(row)] += bool(ranked)
        made.append(
            {key: row[key] for key in ("weighting", "selection", "metric", "kind", "method")}
            | {
                "about": KINDS.get(row["kind"], row["kind"]),
                "name": formats.NULLS.get(row["method"], row["method"]),
                "place": str(places[_key(row)]) if ranked else "",
                "rank": formats.number(formats.as_float(row["mean_rank"]), 2),
                "score": formats.number(formats.as_float(row["mean_score"]), 3),
                "sd": formats.spread(formats.as_float(row["mean_sd"]), 3),
                "seconds": seconds_text(formats.as_float(time.get("seconds"))),
                "front": formats.as_bool(time.get("front", "")),
                "datasets": formats.whole(row["n_datasets"]),
                "scored": f"{formats.whole(row['scored'])} of {formats.whole(row['tried'])}",
                "note": row["note"],
            }
        )
    return made


def seconds_text(value: float) -> str:
    """Return seconds with two digits that say something."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _overall(tests: list[dict], standings: list[dict]) -> list[dict]:
    """Return Friedman's test of each ranking in a sentence."""
    distances = {_key(row): row["cd"] for row in standings if row["cd"]}
    made = []
    for row in tests:
        if row["test"] != "friedman":
            continue
        key = (row["combination"], row["source"], row["metric"])
        differ = "differ" if formats.as_bool(row["differs"]) else "do not differ significantly"
        made.append(
            dict(zip(("weighting", "selection", "metric"), key, strict=True))
            | {
                "text": f"Ranked over {formats.whole(row['n_datasets'])} datasets. Friedman: the "
                f"methods {differ} (p {formats.p_value(formats.as_float(row['p']))}; "
                f"{row['note']}). Nemenyi: two mean ranks differ from "
                f"{formats.number(formats.as_float(distances.get(key)), 2)} on."
            }
        )
    return made


def _breakdown(paper: Paper, item: str) -> list[dict]:
    """Return a row per ranking and method with the mean rank on each half of the datasets."""
    rows: dict[tuple, dict] = {}
    for row in paper.of_item("breakdown", item).to_dict("records"):
        found = rows.setdefault((*_key(row), row["method"]), {})
        half = 0 if row["group"].startswith("up to") else 1
        found[row["by"], half] = (
            formats.number(formats.as_float(row["mean_rank"]), 2),
            f"{row['group']}: {formats.whole(row['n_datasets'])} datasets",
        )
    return [
        dict(zip(("weighting", "selection", "metric", "method"), key, strict=True))
        | {"ranks": [found.get((by, half), ("", "")) for by in HALVES for half in (0, 1)]}
        for key, found in rows.items()
    ]


def _duels(paper: Paper, item: str, tests: list[dict], standings: list[dict]) -> list[dict]:
    """Return who beats whom, by weighting and metric, of the means: a square of signs."""
    p_values = {
        (row["combination"], row["metric"], frozenset((row["first"], row["second"]))): row
        for row in tests
        if row["test"] == "wilcoxon-holm" and row["source"] == "mean"
    }
    chances: dict[tuple, dict] = defaultdict(dict)
    for row in paper.of_item("bayes", item).to_dict("records"):
        if row["selection"] == "mean":
            told = [formats.as_float(row[c]) for c in ("left", "rope", "right")]
            pair = chances[row["weighting"], row["metric"]]
            pair[row["first"], row["second"]] = told
            pair[row["second"], row["first"]] = told[::-1]
    made = []
    for (weighting, metric), pairs in chances.items():
        order = [
            row["method"]
            for row in standings
            if _key(row) == (weighting, "mean", metric) and row["cd"]
        ]
        lines = []
        for first in order:
            line = []
            for second in order:
                if first == second:
                    line.append(("", "", ""))
                    continue
                found = p_values[weighting, metric, frozenset((first, second))]
                line.append(_duel(first, second, pairs[first, second], found))
            lines.append((first, line))
        made.append({"weighting": weighting, "metric": metric, "order": order, "lines": lines})
    return made


def _duel(first: str, second: str, chances: list[float], test: dict) -> tuple[str, str, str]:
    left, rope, right = chances
    signs = (("▲", left, "good"), ("▼", right, "worse"), ("=", rope, "equal"))
    sign, state = next(((s, c) for s, chance, c in signs if chance >= DECIDED), ("·", ""))
    p = formats.p_value(formats.as_float(test["p"]))
    firm = " firm" if formats.as_bool(test["differs"]) else ""
    text = f"{first} / {second}: Wilcoxon-Holm p {p}; better {left:.2f}, equal {rope:.2f}, "
    return sign, f"{state}{firm}", f"{text}worse {right:.2f}"


def _cells(rows: list[dict], metrics: list[str]) -> list[dict]:
    """Return one line per dataset, weighting and method, with all metrics side by side."""
    lines: dict[tuple, dict] = {}
    for row in rows:
        key = (row["dataset"], row["weighting"], row["method"])
        line = lines.setdefault(
            key,
            {
                **{k: row[k] for k in ("dataset", "card", "weighting", "kind", "method", "status")},
                "name": formats.NULLS.get(row["method"], row["method"]),
                "state": STATES.get(row["status"], row["status"]) * (row["status"] != "ok"),
                "reason": row["reason"].removeprefix("RecocoError: "),  # a sentence of our own
                "runs": formats.whole(row["n_runs"]),
                "address": address_of(row["card"], _anchor(row)) if _has_trial(row) else "",
                "scores": {},
            },
        )
        mean, sd, best = (formats.as_float(row[c]) for c in ("mean", "sd", "best"))
        line["scores"][row["metric"]] = (
            formats.with_spread(mean, sd, 3),
            formats.number(best, 3),
        )
    return [
        {**line, "scores": [line["scores"].get(m, ("", "")) for m in metrics]}
        for line in lines.values()
    ]


def _has_trial(row: dict) -> bool:
    return row["status"] not in {"unreachable", "too-large", "not-run"}


def _anchor(row: dict) -> str:
    if row["kind"] == CONSENSUS:
        return "consensus"
    return row["trial"].partition("/")[2]


def _states(rows: list[dict]) -> dict[str, str]:
    found = dict.fromkeys(row["status"] for row in rows)
    return {status: STATES.get(status, "scored" if status == "ok" else status) for status in found}


def _summary(rows: list[dict]) -> str:
    """Say how many pairs there are and what became of those without a score."""
    pairs = {(r["dataset"], r["weighting"], r["method"]): r["status"] for r in rows}
    counts = defaultdict(int)
    for status in pairs.values():
        counts["ok" if status in {"ok", "degenerate"} else status] += 1
    parts = [f"{counts.pop('ok', 0):,} have scores"]
    parts += [f"{n:,} {STATES.get(s, s)}" for s, n in sorted(counts.items(), key=lambda c: -c[1])]
    return f"{len(pairs):,} pairs of a method and a dataset by weighting: {', '.join(parts)}."


def _transfer(paper: Paper, item: str) -> list[dict]:
    """Return mean ranks of the papers' methods: printed, on their own data, on other data."""
    made = []
    orders = {}
    for row in paper.of_item("transfer", item).to_dict("records"):
        key = (row["paper"], row["metric"], row["weighting"])
        if not row["method"]:
            orders[key] = row
            continue
        whole = orders[key]
        made.append(
            {
                **{k: row[k] for k in ("paper", "metric", "weighting", "method")},
                "own": formats.as_bool(row["own"]),
                "ranks": [
                    (formats.number(formats.as_float(row[f"{name}_rank"]), 2))
                    for name in ("printed", "own", "other")
                ],
                "counts": [formats.whole(row[f"n_{n}"]) for n in ("printed", "own", "other")],
                "taus": [
                    formats.number(formats.as_float(whole[f"tau_{n}"]), 2) for n in ("own", "other")
                ],
            }
        )
    return made


def standings_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the mean ranks of all methods, by weighting and metric: the table of the files."""
    block = paper.config["items"][item]
    rows = [
        row
        for row in paper.of_item("standings", item).to_dict("records")
        if row["selection"] == "mean"
    ]
    if not rows:
        return None
    across = [(w, m) for w in block["weightings"] for m in block["metrics"]]
    columns = [Column(("Method",), numeric=False)]
    columns += [Column((w, formats.metric_name(m))) for w, m in across]
    found = {(row["method"], row["weighting"], row["metric"]): row for row in rows}
    kinds = {row["method"]: row["kind"] for row in rows}
    made: dict[bool, list] = {True: [], False: []}
    for method, kind in kinds.items():
        row = [Entry(formats.NULLS.get(method, method))]
        for weighting, metric in across:
            rank = formats.as_float(found.get((method, weighting, metric), {}).get("mean_rank"))
            row.append(Entry(formats.number(rank, 2) or formats.NOTHING))
        made[kind == METHOD].append(row)
    counts = sorted({formats.whole(row["n_datasets"]) for row in rows if row["cd"]})
    notes = [
        f"Mean ranks of the mean scores over {' to '.join(counts[:1] + counts[1:][-1:])} datasets. "
        "Below: the rank that null models and the consensus of all methods would have."
    ]
    name, caption = f"{paper.key}_{item}", block.get("caption", "")
    return Table(name, block["title"], caption, columns, made[True], made[False], notes)
