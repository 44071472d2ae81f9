"""A leaderboard in the report: the rows of all rankings, of which the page shows the chosen one."""

import itertools
import math
from collections import defaultdict

from recoco.items.leaderboard.entries import CONSENSUS, METHOD, SELECTIONS
from recoco.report import formats
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Table, entries, table_of, text_columns
from recoco.report.trials import address_of

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
# The least probability with which the Bayesian test decides.
DECIDED = 0.95


def board(material: Material, paper: Paper, name: str) -> dict | None:
    """Return everything that the page shows about a leaderboard; None for any other item."""
    item = paper.items[name]
    if item["kind"] != "leaderboard":
        return None
    cells = paper.rows_of("leaderboard", name)
    if not cells:
        return {"empty": True}
    standings, tests = paper.rows_of("standings", name), paper.rows_of("tests", name)
    return {
        "empty": False,
        "weightings": list(item["weightings"]),
        "selections": SELECTIONS,
        "metrics": item["metrics"],
        "datasets": list(dict.fromkeys(row["dataset"] for row in cells)),
        "methods": list(dict.fromkeys(row["method"] for row in cells)),
        "states": {row["status"]: _state(row["status"]) or "scored" for row in cells},
        "remarks": [row["text"] for row in paper.rows_of("remarks", name)],
        "standings": _standings(standings, paper.rows_of("tradeoffs", name)),
        "overall": _overall(tests, standings),
        "breakdown": _breakdown(paper.rows_of("breakdown", name)),
        "halves": HALVES,
        "duels": _duels(paper.rows_of("bayes", name), tests, standings),
        "cells": _cells(cells, item["metrics"]),
        "transfer": _transfer(paper.rows_of("transfer", name)),
        "summary": _summary(cells),
    }


_RANKING = ("weighting", "selection", "metric")


def _key(row: dict) -> tuple:
    return tuple(row[key] for key in _RANKING)


def _standings(rows: list[dict], tradeoffs: list[dict]) -> list[dict]:
    timed = {(*_key(row), row["method"]): row for row in tradeoffs}
    shown, places = [], defaultdict(int)
    for row in rows:
        time = timed.get((*_key(row), row["method"]), {"seconds": "", "front": ""})
        ranked = row["kind"] == METHOD and row["mean_rank"]
        places[_key(row)] += bool(ranked)
        shown.append(
            {key: row[key] for key in (*_RANKING, "kind", "method", "note")}
            | {
                "about": KINDS.get(row["kind"], row["kind"]),
                "name": formats.NULLS.get(row["method"], row["method"]),
                "place": str(places[_key(row)]) if ranked else "",
                "rank": formats.number(row["mean_rank"], 2),
                "score": formats.number(row["mean_score"], 3),
                "sd": formats.spread(row["mean_sd"], 3),
                "seconds": seconds_text(formats.as_float(time["seconds"])),
                "front": formats.as_bool(time["front"]),
                "datasets": formats.whole(row["n_datasets"]),
                "scored": f"{formats.whole(row['scored'])} of {formats.whole(row['tried'])}",
            }
        )
    return shown


def seconds_text(value: float) -> str:
    """Return seconds with about two significant digits."""
    if math.isnan(value):
        return ""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _overall(tests: list[dict], standings: list[dict]) -> list[dict]:
    """Return Friedman's test of each ranking in a sentence."""
    distances = {_key(row): row["cd"] for row in standings if row["cd"]}
    sentences = []
    for row in tests:
        if row["test"] != "friedman":
            continue
        key = (row["combination"], row["source"], row["metric"])
        differ = "differ" if formats.as_bool(row["differs"]) else "do not differ significantly"
        text = (
            f"Ranked over {formats.whole(row['n_datasets'])} datasets. Friedman: the methods "
            f"{differ} (p {formats.p_value(row['p'])}; {row['note']}). Nemenyi: two mean ranks "
            f"differ from {formats.number(distances.get(key), 2)} on."
        )
        sentences.append({**dict(zip(_RANKING, key, strict=True)), "text": text})
    return sentences


def _breakdown(rows: list[dict]) -> list[dict]:
    """Return a row per ranking and method with the mean rank on each half of the datasets."""
    ranks: dict[tuple, dict] = {}
    for row in rows:
        half = 0 if row["group"].startswith("up to") else 1
        ranks.setdefault((*_key(row), row["method"]), {})[row["by"], half] = (
            formats.number(row["mean_rank"], 2),
            f"{row['group']}: {formats.whole(row['n_datasets'])} datasets",
        )
    return [
        dict(zip((*_RANKING, "method"), key, strict=True))
        | {"ranks": [of_half.get((by, half), ("", "")) for by in HALVES for half in (0, 1)]}
        for key, of_half in ranks.items()
    ]


def _duels(bayes: list[dict], tests: list[dict], standings: list[dict]) -> list[dict]:
    """Return which method is better than which, by weighting and metric: a square of signs."""
    p_values = {
        (row["combination"], row["metric"], frozenset((row["first"], row["second"]))): row
        for row in tests
        if row["test"] == "wilcoxon-holm" and row["source"] == "mean"
    }
    chances: dict[tuple, dict] = defaultdict(dict)
    for row in bayes:
        if row["selection"] == "mean":
            shares = [formats.as_float(row[c]) for c in ("left", "rope", "right")]
            pairs = chances[row["weighting"], row["metric"]]
            pairs[row["first"], row["second"]] = shares
            pairs[row["second"], row["first"]] = shares[::-1]
    squares = []
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
                test = p_values[weighting, metric, frozenset((first, second))]
                line.append(_duel(first, second, pairs[first, second], test))
            lines.append((first, line))
        squares.append({"weighting": weighting, "metric": metric, "order": order, "lines": lines})
    return squares


def _duel(first: str, second: str, chances: list[float], test: dict) -> tuple[str, str, str]:
    left, rope, right = chances
    signs = (("▲", left, "good"), ("▼", right, "worse"), ("=", rope, "equal"))
    sign, state = next(((s, c) for s, chance, c in signs if chance >= DECIDED), ("·", ""))
    p = formats.p_value(test["p"])
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
                "state": _state(row["status"]),
                "reason": row["reason"].removeprefix("RecocoError: "),
                "runs": formats.whole(row["n_runs"]),
                "address": _address(row),
                "scores": {},
            },
        )
        mean, best = formats.with_spread(row["mean"], row["sd"], 3), formats.number(row["best"], 3)
        line["scores"][row["metric"]] = (mean, best)
    return [
        {**line, "scores": [line["scores"].get(m, ("", "")) for m in metrics]}
        for line in lines.values()
    ]


def _state(status: str) -> str:
    """Return a status in words; empty for a method that has scores."""
    return "" if status == "ok" else STATES.get(status, status)


def _address(row: dict) -> str:
    """Return the address of the runs behind a cell; empty if there are none."""
    if row["status"] in {"unreachable", "too-large", "not-run"}:
        return ""
    anchor = "consensus" if row["kind"] == CONSENSUS else row["trial"].partition("/")[2]
    return address_of(row["card"], anchor)


def _summary(rows: list[dict]) -> str:
    """Return a sentence on how many pairs have scores, and why the others have none."""
    pairs = {(r["dataset"], r["weighting"], r["method"]): r["status"] for r in rows}
    counts = defaultdict(int)
    for status in pairs.values():
        counts["ok" if status in {"ok", "degenerate"} else status] += 1
    parts = [f"{counts.pop('ok', 0):,} have scores"]
    parts += [f"{n:,} {_state(s)}" for s, n in sorted(counts.items(), key=lambda c: -c[1])]
    return f"{len(pairs):,} pairs of a method and a dataset by weighting: {', '.join(parts)}."


def _transfer(rows: list[dict]) -> list[dict]:
    """Return mean ranks of the papers' methods: printed, on their own data, on other data."""
    shown, taus = [], {}
    for row in rows:
        key = (row["paper"], row["metric"], row["weighting"])
        if not row["method"]:  # the row of the whole order comes first
            taus[key] = [formats.number(row[f"tau_{data}"], 2) for data in ("own", "other")]
            continue
        sources = ("printed", "own", "other")
        shown.append(
            {
                **{k: row[k] for k in ("paper", "metric", "weighting", "method")},
                "own": formats.as_bool(row["own"]),
                "ranks": [formats.number(row[f"{source}_rank"], 2) for source in sources],
                "counts": [formats.whole(row[f"n_{source}"]) for source in sources],
                "taus": taus[key],
            }
        )
    return shown


def standings_table(material: Material, paper: Paper, name: str) -> Table | None:
    """Return the mean ranks of all methods by weighting and metric, for the files."""
    item = paper.items[name]
    rows = [row for row in paper.rows_of("standings", name) if row["selection"] == "mean"]
    if not rows:
        return None
    across = list(itertools.product(item["weightings"], item["metrics"]))
    columns = text_columns("Method")
    columns += [Column((weighting, formats.metric_name(metric))) for weighting, metric in across]
    ranks = {(r["method"], r["weighting"], r["metric"]): r["mean_rank"] for r in rows}
    lines: dict[bool, list] = {True: [], False: []}
    for method, kind in {row["method"]: row["kind"] for row in rows}.items():
        texts = [formats.number(ranks.get((method, *place)), 2) for place in across]
        shown = formats.NULLS.get(method, method)
        lines[kind == METHOD].append(entries(shown, *(t or formats.NOTHING for t in texts)))
    counts = sorted({formats.whole(row["n_datasets"]) for row in rows if row["cd"]})
    notes = [
        f"Mean ranks of the mean scores over {' to '.join(counts[:1] + counts[1:][-1:])} datasets. "
        "Below: the rank that null models and the consensus of all methods would have."
    ]
    return table_of(paper, name, columns, lines[True], notes, lines[False])
