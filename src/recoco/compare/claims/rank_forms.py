"""Forms of claims about mean ranks: Friedman's test of all methods, Nemenyi's of pairs."""

import numpy as np

from recoco.compare.claims.registry import form
from recoco.items.ranks.compare import FAVOURED, MEASURED, PRINTED

NOTHING_RANKED = "open", "there are too few datasets to rank"


def _tests(table, test: str) -> list[dict]:
    """Return the rows of a test once: from the printed scores and from ours, read as printed."""
    rows = [row for row in table.frames.get("tests", []) if row["test"] == test]
    first = rows[0]["item"] if rows else None  # two items may rest on the same ranks
    names = {"", table.as_printed.name}
    return [row for row in rows if row["item"] == first and row["combination"] in names]


def _source(row: dict, favoured: str = "") -> str:
    which = {PRINTED: "printed", FAVOURED: f"printed, ties to {favoured},", MEASURED: "our"}
    return f"{which[row['source']]} {row['n_datasets']} datasets"


def _outcome(printed: list[bool], ours: list[bool]) -> str:
    """Return what holds from both, from one of them, or for some only."""
    if all(printed) and ours and all(ours):
        return "holds"
    return "partly" if any(printed) or any(ours) else "fails"


@form("friedman_rejects", once=True)
def friedman_rejects(table, _, options):
    """Friedman's test rejects that all methods are equal."""
    rows = [row for row in _tests(table, "friedman") if row["source"] != FAVOURED]
    if not rows:
        return NOTHING_RANKED
    parts = []
    for row in rows:
        limit = row["critical"]
        critical = f" (critical {limit:.2f})" if limit and np.isfinite(limit) else ""
        parts.append(
            f"{row['metric'].upper()}, {_source(row)}: Q = {row['value']:.2f}{critical}, "
            f"p = {row['p']:.2g}"
        )
    differs = {s: [r["differs"] for r in rows if r["source"] == s] for s in (PRINTED, MEASURED)}
    return _outcome(differs[PRINTED], differs[MEASURED]), "; ".join(parts)


@form("nemenyi_differs", once=True)
def nemenyi_differs(table, _, options):
    """One method is ranked better than others by more than the critical difference."""
    ours, claimed = options["method"], options["from"]
    held: dict[str, list[bool]] = {PRINTED: [], FAVOURED: [], MEASURED: []}
    parts = []
    for row in _tests(table, "nemenyi"):
        first = row["first"] == ours
        other = row["second"] if first else row["first"]
        if ours not in (row["first"], row["second"]) or other not in claimed.get(row["metric"], ()):
            continue
        apart = row["value"] if first else -row["value"]
        held[row["source"]].append(bool(row["differs"]) and apart > 0)
        if not held[row["source"]][-1]:
            near = f", {row['note']}" if row["note"] else ""
            parts.append(
                f"{row['metric'].upper()} against {other}, {_source(row, ours)}: mean ranks "
                f"{apart:.3f} apart, CD {row['critical']:.3f}{near}"
            )
    if not any(held.values()):
        return NOTHING_RANKED
    counts = [
        f"{sum(true)} of {len(true)} from {name}"
        for name, true in (("the printed means", held[PRINTED]), ("ours", held[MEASURED]))
        if true
    ]
    left = f"; not so: {'; '.join(parts)}" if parts else ""
    return _outcome(held[PRINTED], held[MEASURED]), (
        f"of the differences claimed come out {' and '.join(counts)}{left}"
    )
