"""Figure 12 of the CoStar paper, recomputed from the values that it prints."""

import itertools

import pandas as pd

from recoco.compare.ranks import Ranking, friedman, friedman_critical, nemenyi, rank_methods

# What section 5.3.2 of the CoStar paper says to be different from CoStar at the level 0.10.
_SAID = {"ari": ("Comraf", "SRC"), "nmi": ("NMF", "Comraf", "SRC")}


def costar_figure12(printed: pd.DataFrame) -> list[dict]:
    """Recompute Figure 12 of the CoStar paper and its tests from its Figures 10 and 11.

    Parameters
    ----------
    printed : the published values, as recoco.compare.published reads them

    Returns
    -------
    A row per printed number and per pair said to differ or not. ``averaged`` has the ties of the
    printed scores averaged, ``favoured`` has those with CoStar decided in its favour; ``agrees``
    says which of them gives what is printed: "both", "averaged", "favoured" or "neither".
    """
    paper = printed[printed["paper"] == "costar"]
    found: dict[tuple, list[float]] = {}
    rows = []
    for metric, item in (("ari", "fig11"), ("nmi", "fig10")):
        cells = paper[paper["item"] == item].astype({"value": float})
        scores = cells.pivot_table(index="dataset", columns="method", values="value")
        favoured = scores.assign(CoStar=scores["CoStar"] + 1e-6)
        both = [_figure12_values(rank_methods(table), metric) for table in (scores, favoured)]
        found |= {key: [values[key] for values in both] for key in both[0]}
        rows += [_figure12_pair(metric, method, found) for method in ("NMF", "Comraf", "SRC")]
    listed = paper[paper["item"].isin(["fig12", "text-5.3.2"])].to_dict("records")
    ranks = {(row["metric"], row["method"]): row["value"] for row in listed}
    for row in listed:
        name, method = row["metric"], row["method"]
        values = found[name, method if row["item"] == "fig12" else ""]
        digits = 1 if row["item"] == "fig12" else len(row["value"].partition(".")[2])
        fits = [abs(v - float(row["value"])) <= 0.5 * 10.0**-digits + 1e-9 for v in values]
        if name.startswith("rank_diff") and not any(fits):
            pair = [ranks[name.replace("rank_diff", "avg_rank"), m] for m in method.split(" vs ")]
            if round(float(pair[0]) - float(pair[1]), 1) == float(row["value"]):
                row["note"] = f"{row['note']}; {pair[0]} - {pair[1]} as rounded".lstrip("; ")
        rows.append(_figure12_row(row, values, fits))
    return rows


def _figure12_values(ranking: Ranking, metric: str) -> dict[tuple[str, str], float]:
    mean, found = ranking.mean, nemenyi(ranking, 0.10)
    pairs = itertools.permutations(ranking.methods, 2)
    return {
        ("q_alpha", ""): found.q,
        ("cd", ""): found.cd,
        ("friedman_critical", ""): friedman_critical(0.01, len(mean), ranking.n_datasets),
        (f"friedman_q_{metric}", ""): friedman(ranking).q,
        **{(f"avg_rank_{metric}", method): float(mean[method]) for method in mean.index},
        **{(f"rank_diff_{metric}", f"{a} vs {b}"): float(mean[a] - mean[b]) for a, b in pairs},
    }


def _figure12_pair(metric: str, method: str, found: dict) -> dict:
    apart, (cd, _) = found[f"rank_diff_{metric}", f"{method} vs CoStar"], found["cd", ""]
    said = method in _SAID[metric]
    note = f"rank difference {apart[0]:.3f} (ties averaged) or {apart[1]:.3f}, CD {cd:.3f}"
    if said and apart[1] < cd <= round(apart[1], 1):
        note += f": below CD, and above it only when rounded to {apart[1]:.1f}"
    row = {"item": "text-5.3.2", "method": f"{method} vs CoStar", "metric": f"differs_{metric}"}
    row |= {"value": "different" if said else "not different", "note": note}
    return _figure12_row(row, apart, [(value >= cd) == said for value in apart])


def _figure12_row(row: dict, values: list[float], fits: list[bool]) -> dict:
    agrees = {(1, 1): "both", (1, 0): "averaged", (0, 1): "favoured", (0, 0): "neither"}
    return {
        **{key: row.get(key, "") for key in ("cell", "item", "method", "metric")},
        "printed": row["value"],
        "averaged": values[0],
        "favoured": values[1],
        "agrees": agrees[tuple(int(fit) for fit in fits)],
        "note": row["note"],
    }
