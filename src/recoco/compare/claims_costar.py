"""The claims of the CoStar paper."""

import numpy as np

from recoco.compare.claims import claim, grade, grade_every
from recoco.compare.rankings import FAVOURED, MEASURED, PRINTED, measured_scores

OURS = "CoStar"
# A time that grows with at most this power of a size is called linear.
LINEAR = 1.25
NOTHING = "open", "no dataset of the table is at hand"
# Groups of the datasets by what they are made of.
TEXTS = ("bbc2", "bbcsport2", "bbc4", "T1", "T2", "T3")
IMAGES = ("I1", "I2", "I3")
# Number of clusters that the paper reports to be found most often, or the corpora that T1 to T3
# are mixed of, which it calls super-classes.
FOUND = {"bbc2": 5, "bbcsport2": 5, "T1": 2, "T2": 2, "T3": 3, "I1": 7, "I2": 6, "I3": 9}


def _means(table, metric: str, combination):
    """Return our means, the datasets with all methods only; None if there are none."""
    scores = measured_scores(table, metric, combination)
    if scores.empty:
        return None
    scores = scores.dropna()
    return scores if len(scores) else None


def _best_on(table, metric: str, combination, expected=lambda dataset: True):
    scores = _means(table, metric, combination)
    if scores is None:
        return NOTHING
    asked = [dataset for dataset in scores.index if expected(dataset)]
    first = [d for d in asked if scores.loc[d].idxmax() == OURS]
    ahead = [
        f"{scores.loc[d].idxmax()} by {scores.loc[d].max() - scores.loc[d, OURS]:.3f} on {d}"
        for d in asked
        if d not in first
    ]
    text = f"{OURS} has the best mean {metric.upper()} on {len(first)} of {len(asked)} datasets"
    text += f"; ahead of it: {', '.join(ahead)}" if ahead else ""
    return grade_every(len(first), len(asked)), text


@claim("S1")
def best_nmi(table, combination):
    outcome, text = _best_on(table, "nmi", combination)
    if outcome == "open":
        return outcome, text
    scores = _means(table, "nmi", combination)
    beaten = int((scores[OURS] > scores["SRC"]).sum())
    return outcome, f"{text}; it is above SRC on {beaten} of {len(scores)}"


@claim("S2")
def best_ari(table, combination):
    return _best_on(table, "ari", combination, lambda dataset: dataset != "I3")


@claim("S3")
def comraf_on_texts(table, combination):
    parts, held, total = [], 0, 0
    for metric in ("nmi", "ari"):
        scores = _means(table, metric, combination)
        if scores is None:
            return NOTHING
        texts = scores.loc[[d for d in scores.index if d in TEXTS]]
        if texts.empty:
            continue
        above = texts.index[texts["NMF"] > texts["Comraf"]]
        held, total = held + len(above), total + len(texts)
        parts.append(
            f"on texts NMF is above Comraf in {metric.upper()} on {len(above)} of {len(texts)} "
            f"(mean {texts['NMF'].mean():.2f} against {texts['Comraf'].mean():.2f})"
        )
    images = [d for d in IMAGES if d in table.reachable()]
    if not images:
        parts.append("the images are not at hand, so nothing is said about them")
    if not total:
        return "open", "; ".join(parts)
    return grade(held / total), "; ".join(parts)


def _tests(table, test: str) -> list[dict]:
    """Return the rows of a test once: from the printed scores and from ours, read as printed."""
    rows = [row for row in table.frames.get("tests", []) if row["test"] == test]
    first = rows[0]["item"] if rows else None  # two items may rest on the same ranks
    names = {"", table.as_printed.name}
    return [row for row in rows if row["item"] == first and row["combination"] in names]


def _source(row: dict) -> str:
    which = {PRINTED: "printed", FAVOURED: "printed, ties to CoStar,", MEASURED: "our"}
    return f"{which[row['source']]} {row['n_datasets']} datasets"


def _outcome(printed: list[bool], ours: list[bool]) -> str:
    """Return what holds from both, from one of them, or for some only."""
    if all(printed) and ours and all(ours):
        return "holds"
    return "partly" if any(printed) or any(ours) else "fails"


@claim("S4", once=True)
def friedman_rejects(table, _):
    rows = [row for row in _tests(table, "friedman") if row["source"] != FAVOURED]
    if not rows:
        return "open", "there are too few datasets to rank"
    parts = []
    for row in rows:
        limit = row["critical"]
        known = f" (critical {limit:.2f})" if limit and np.isfinite(limit) else ""
        parts.append(
            f"{row['metric'].upper()}, {_source(row)}: Q = {row['value']:.2f}{known}, "
            f"p = {row['p']:.2g}"
        )
    found = {s: [r["differs"] for r in rows if r["source"] == s] for s in (PRINTED, MEASURED)}
    return _outcome(found[PRINTED], found[MEASURED]), "; ".join(parts)


@claim("S5", once=True)
def nemenyi_pairs(table, _):
    said = {"nmi": ("NMF", "Comraf", "SRC"), "ari": ("Comraf", "SRC")}
    held: dict[str, list[bool]] = {PRINTED: [], FAVOURED: [], MEASURED: []}
    parts = []
    for row in _tests(table, "nemenyi"):
        first = row["first"] == OURS
        other = row["second"] if first else row["first"]
        if OURS not in (row["first"], row["second"]) or other not in said.get(row["metric"], ()):
            continue
        apart = row["value"] if first else -row["value"]
        held[row["source"]].append(bool(row["differs"]) and apart > 0)
        if not held[row["source"]][-1]:
            close = f", {row['note']}" if row["note"] else ""
            parts.append(
                f"{row['metric'].upper()} against {other}, {_source(row)}: mean ranks "
                f"{apart:.3f} apart, CD {row['critical']:.3f}{close}"
            )
    if not any(held.values()):
        return "open", "there are too few datasets to rank"
    counts = [
        f"{sum(found)} of {len(found)} from {name}"
        for name, found in (("the printed means", held[PRINTED]), ("ours", held[MEASURED]))
        if found
    ]
    left = f"; not so: {'; '.join(parts)}" if parts else ""
    return _outcome(held[PRINTED], held[MEASURED]), (
        f"of the differences claimed come out {' and '.join(counts)}{left}"
    )


@claim("S6", once=True)
def finds_the_number(table, _):
    rows = [row for row in table.frames.get("clusters", []) if row["side"] == "rows"]
    if not rows:
        return "open", "no run of CoStar is at hand"
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    parts, shares = [], []
    for variant in variants:
        here = [row for row in rows if row["variant"] == variant and row["dataset"] in FOUND]
        right = [row for row in here if row["mode"] == FOUND[row["dataset"]]]
        shares.append(len(right) / len(here) if here else 0.0)
        shown = ", ".join(f"{r['dataset']} {r['mode']} ({FOUND[r['dataset']]})" for r in here)
        parts.append(
            f"{variant}: the most frequent number is that of the paper on {len(right)} of "
            f"{len(here)} ({shown})"
        )
    outcome = grade(shares[0])
    if outcome == "fails" and max(shares) >= 0.5:
        outcome = "partly"
    return outcome, "; ".join(parts) + "; the number of the paper is in brackets"


@claim("S7", once=True)
def linear_time(table, _):
    curves = {(r["item"], r["variant"], r["curve"]): r for r in table.frames.get("scaling", [])}
    if not curves:
        return "open", "the times were not measured in this pass"
    linear: dict[str, list[bool]] = {}
    parts = []
    for along, variant in dict.fromkeys((r["along"], r["variant"]) for r in curves.values()):
        here = [r for r in curves.values() if (r["along"], r["variant"]) == (along, variant)]
        slopes, steps = ([r[key] for r in here] for key in ("slope", "slope_iteration"))
        linear.setdefault(variant, []).extend(slope <= LINEAR for slope in slopes)
        parts.append(
            f"with the number of {along}{f' ({variant})' if variant else ''} the time of a run "
            f"grows with the power {min(slopes):.1f} to {max(slopes):.1f}, that of one iteration "
            f"with {min(steps):.1f} to {max(steps):.1f}"
        )
    shares = [float(np.mean(found)) for found in linear.values()]
    outcome = grade(shares[0])
    if outcome == "fails" and max(shares) >= 0.5:
        outcome = "partly"
    return outcome, "; ".join(parts)


@claim("S8", once=True)
def stable_early(table, _):
    rows = table.frames.get("stability", [])
    if not rows:
        return "open", "the runs on planted blocks were not followed in this pass"
    early = [row["rest_mean"] <= 0.5 * row["limit"] for row in rows]
    alike = [(row["last_sd"] or 0.0) <= 0.05 for row in rows]
    shown = "; ".join(
        f"p = {100 * row['flip']:g} %: at rest after {row['rest_mean']:.0f} of {row['limit']} "
        f"iterations on average ({row['rest_most']} at most), last indicator {row['last']:.3f} "
        f"± {row['last_sd'] or 0:.3f}"
        for row in rows
    )
    return grade(float(np.mean(np.array(early) & np.array(alike)))), shown + _real_data(table)


def _real_data(table) -> str:
    """Say when the last move was on the datasets, as a share of the iterations."""
    shares: dict[str, list[float]] = {}
    for row in table.frames.get("clusters", []):
        if row.get("last_move") is not None:
            shares.setdefault(row["variant"], []).append(row["last_move"] / row["n_iter"])
    return "".join(
        f"; on the datasets ({variant}) the last move is at {100 * min(found):.0f} to "
        f"{100 * max(found):.0f} % of the iterations done"
        for variant, found in shares.items()
    )
