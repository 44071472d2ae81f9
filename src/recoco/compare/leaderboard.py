"""A leaderboard: every method on every dataset as cells, then ranks, tests, time and groups."""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from recoco.compare.comparison import Comparison
from recoco.compare.ranks import (
    Ranking,
    bayes_pairs,
    friedman,
    nemenyi,
    rank_methods,
    wilcoxon_pairs,
)
from recoco.compare.table import Table
from recoco.errors import RecocoError
from recoco.leaderboard_plan import CONSENSUS, FUSIONS, METHOD, entries_of
from recoco.store import read_json

# How one score is made of the runs: their mean, or the run of the best criterion.
SELECTIONS = ("mean", "best")
COVERAGE, ROPE, ALPHA = 0.75, 0.01, 0.05
# Shares of 20,000 draws are certain to less than 0.01.
_DRAWS = 20_000
# Characteristics of datasets by which ranks are told apart, and how their halves are called.
GROUPS = {
    "rows": ("size", "{} objects", 0),
    "classes": ("classes", "{} classes", 0),
    "balance": ("balance", "a balance of {}", 2),
    "sparsity_percent": ("sparsity", "{} % zeros", 1),
}


@dataclass(frozen=True)
class Board:
    """The cells of one leaderboard, and what their rankings are made of."""

    item: str
    block: dict
    cells: pd.DataFrame
    records: dict[str, dict]

    @cached_property
    def scores(self) -> dict[tuple, pd.DataFrame]:
        """Scores by (weighting, selection, metric): datasets x methods, all kinds."""
        scored = self.cells[self.cells["status"].isin(["ok", "degenerate"])]
        found = {}
        for (weighting, metric), rows in scored.groupby(["weighting", "metric"], sort=False):
            for selection in SELECTIONS:
                table = rows.pivot_table(selection, "dataset", "method", sort=False)
                found[weighting, selection, metric] = table
        return found

    def methods(self, kind: str = METHOD) -> list[str]:
        return list(dict.fromkeys(self.cells.loc[self.cells["kind"] == kind, "method"]))

    def ranking(self, weighting: str, selection: str, metric: str) -> Ranking | None:
        """Rank the methods that have a score on enough datasets; None if there is nothing to."""
        table = self.scores.get((weighting, selection, metric))
        if table is None:
            return None
        table = table.reindex(columns=[m for m in self.methods() if m in table])
        table = table.dropna(how="all")
        enough = table.notna().mean() >= self.block.get("coverage", COVERAGE)
        try:
            return rank_methods(table.loc[:, enough])
        except RecocoError:
            return None

    @cached_property
    def rankings(self) -> dict[tuple, Ranking | None]:
        keys = itertools.product(self.block["weightings"], SELECTIONS, self.block["metrics"])
        return {key: self.ranking(*key) for key in keys}


def compare_leaderboard(comparison: Comparison, item: str, block: dict) -> tuple[Board, dict]:
    """Return the board of an item and the rows of all outputs about it."""
    cells = pd.DataFrame(_cells(comparison, item, block))
    board = Board(item, block, cells, comparison.records)
    seconds = _seconds(comparison, board)
    made = {
        "leaderboard": cells.to_dict("records"),
        "standings": [],
        "tests": [],
        "bayes": [],
        "tradeoffs": [],
        "breakdown": [],
    }
    for key, ranking in board.rankings.items():
        same = dict(zip(("weighting", "selection", "metric"), key, strict=True))
        made["standings"] += _standings(board, key, ranking, same)
        made["tradeoffs"] += _tradeoffs(board, key, ranking, seconds, same)
        if ranking is not None:
            made["tests"] += _tests(board, ranking, same)
            made["bayes"] += _bayes(board, ranking, same)
            made["breakdown"] += _breakdown(board, ranking, same)
    return board, made


# ---- cells ---------------------------------------------------------------------------------


def _cells(comparison: Comparison, item: str, block: dict) -> list[dict]:
    table = comparison.table(block)
    paper = comparison.config.papers[comparison.key]
    rows = []
    for entry in entries_of(comparison.config, paper, block):
        about = {
            "item": item,
            "dataset": entry.dataset,
            "card": entry.card,
            "weighting": entry.weighting,
            "kind": entry.kind,
            "method": entry.method,
            "trial": entry.setting.name,
        }
        status, reason = _status(table, entry, comparison.records[entry.card])
        for metric in block["metrics"]:
            told = {"status": status, "reason": reason, "metric": metric}
            if status in ("ok", "degenerate"):
                told |= _measured(table, entry.setting, metric)
            rows.append({**about, **told})
    return rows + _fused(comparison, item, block)


def _status(table: Table, entry, record: dict) -> tuple[str, str]:
    """Return what became of a pair, and why it has no score if it has none."""
    if record["status"] != "ok":
        return "unreachable", record.get("by_hand", "its data could not be had")
    if entry.too_large:
        return "too-large", entry.too_large
    stopped = table.stopped(entry.setting)
    if stopped:
        return stopped.status, stopped.why
    ended = set(table.runs(entry.setting)["status"])
    if "degenerate" in ended:
        return "degenerate", "some runs end with fewer clusters than there are classes"
    return "ok", ""


def _measured(table: Table, setting, metric: str) -> dict:
    mean = table.measure(setting, "mean", metric)
    best = table.measure(setting, "criterion", metric)
    # runs that are all the same differ by how a sum is rounded
    sd = 0.0 if mean.sd is not None and mean.sd < 1e-12 else mean.sd
    return {"mean": mean.value, "sd": sd, "best": best.value, "n_runs": mean.runs}


def _fused(comparison: Comparison, item: str, block: dict) -> list[dict]:
    """Return the cells of the consensus of all methods, by each of its functions."""
    names = {card: name for name, card in block["datasets"].items()}
    rows = []
    for path in comparison.found.fusions:
        told = [
            row
            for row in read_json(path)
            if (row["paper"], row["item"]) == (comparison.key, item) and path.stem in names
        ]
        if not told:
            continue
        groups = pd.DataFrame(told).groupby(["weighting", "function"], sort=False)
        for (weighting, function), found in groups:
            about = {
                "item": item,
                "dataset": names[path.stem],
                "card": path.stem,
                "weighting": weighting,
                "kind": CONSENSUS,
                "method": FUSIONS[function],
                "trial": f"{comparison.key}/{item}/{weighting}/{function}",
            }
            good = found[found["status"] == "ok"]
            single = good[good["run"] != "best"]
            if single.empty or len(single) == len(good):
                why = found.loc[found["status"] != "ok", "error"].iloc[0]
                told = {"status": "failed", "reason": why}
                rows += [{**about, **told, "metric": metric} for metric in block["metrics"]]
                continue
            for metric in block["metrics"]:
                values = single[metric].astype(float)
                rows.append(
                    {**about, "status": "ok", "reason": "", "metric": metric}
                    | {"mean": values.mean(), "n_runs": len(values)}
                    | {"sd": values.std(ddof=1) if len(values) > 1 else None}
                    | {"best": float(good.loc[good["run"] == "best", metric].iloc[0])}
                )
    return rows


# ---- ranks and tests -----------------------------------------------------------------------


def _standings(board: Board, key: tuple, ranking: Ranking | None, same: dict):
    """Yield a row per method, the best first; what is not ranked comes last.

    Null models and consensus take no part in the ranking: theirs is the rank that each would
    have had among the methods.
    """
    table = board.scores.get(key)
    if table is None:
        return
    rows = board.cells[
        (board.cells["weighting"] == key[0]) & (board.cells["metric"] == key[2])
    ].groupby(["kind", "method"], sort=False)
    within = nemenyi(ranking, board.block.get("alpha", ALPHA)) if ranking else None
    made = []
    for (kind, method), found in rows:
        rank, note, datasets = _rank_of(method, kind, ranking, table, found)
        scores = table.loc[datasets, method] if method in table else pd.Series(dtype=float)
        spread = found.set_index("dataset")["sd"].reindex(datasets).astype(float)
        made.append(
            {
                "item": board.item,
                **same,
                "kind": kind,
                "method": method,
                "mean_rank": rank,
                "cd": within.cd if within and kind == METHOD and rank is not None else None,
                "n_datasets": len(datasets),
                "mean_score": scores.mean() if len(scores) else None,
                "mean_sd": spread.mean() if spread.notna().any() else None,
                "scored": int(found["status"].isin(["ok", "degenerate"]).sum()),
                "tried": len(found),
                "note": note,
            }
        )
    made.sort(key=lambda row: (row["mean_rank"] is None, row["mean_rank"] or 0))
    yield from made


def _rank_of(method: str, kind: str, ranking, table, found) -> tuple[float | None, str, list]:
    if ranking is None:
        why = "fewer than two methods or datasets to rank"
        return None, why, list(table.index[table[method].notna()]) if method in table else []
    datasets = list(ranking.scores.index)
    if kind == METHOD and method in ranking.methods:
        return float(ranking.mean[method]), "", datasets
    own = table[method].dropna() if method in table else pd.Series(dtype=float)
    if kind == METHOD:
        gaps = found.loc[~found["status"].isin(["ok", "degenerate"]), "status"].value_counts()
        why = ", ".join(f"{status.replace('-', ' ')} on {n}" for status, n in gaps.items())
        return None, f"not ranked: {why}", list(own.index)
    shared = [name for name in datasets if name in own.index]
    if not shared:
        return None, "no score on the ranked datasets", []
    others = ranking.scores.loc[shared].to_numpy()
    mine = own[shared].to_numpy()[:, None]
    places = 1 + (others > mine).sum(axis=1) + 0.5 * (others == mine).sum(axis=1)
    return float(places.mean()), "the rank it would have among the methods", shared


def _tests(board: Board, ranking: Ranking, same: dict):
    """Yield Friedman over all methods, then Nemenyi and Wilcoxon with Holm over all pairs."""
    alpha = board.block.get("alpha", ALPHA)
    about = {
        "item": board.item,
        "source": same["selection"],
        "combination": same["weighting"],
        "metric": same["metric"],
        "n_datasets": ranking.n_datasets,
    }
    overall = friedman(ranking)
    yield {**about, "test": "friedman", "value": overall.q, "p": overall.p} | {
        "differs": overall.p <= alpha,
        "note": f"p from {overall.how}; Iman-Davenport F {_finite(overall.f)}",
    }
    found, mean = nemenyi(ranking, alpha), ranking.mean
    for first, second in itertools.combinations(mean.index, 2):
        apart = float(mean[second] - mean[first])
        p = float(found.p.loc[first, second])
        yield {**about, "test": "nemenyi", "first": first, "second": second} | {
            "value": apart,
            "critical": found.cd,
            "p": p,
            "differs": apart >= found.cd,
        }
    for row in wilcoxon_pairs(ranking).itertuples():
        yield {**about, "test": "wilcoxon-holm", "first": row.first, "second": row.second} | {
            "value": row.difference,
            "p": row.p_holm,
            "differs": row.p_holm <= alpha,
        }


def _finite(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "beyond all bounds"


def _bayes(board: Board, ranking: Ranking, same: dict):
    rope = board.block.get("rope", ROPE)
    for row in bayes_pairs(ranking, rope, samples=_DRAWS).itertuples():
        yield {"item": board.item, **same, "first": row.first, "second": row.second} | {
            "left": row.left,
            "rope": row.rope,
            "right": row.right,
            "width": rope,
            "n_datasets": ranking.n_datasets,
        }


# ---- time and groups -----------------------------------------------------------------------


def _seconds(comparison: Comparison, board: Board) -> pd.DataFrame:
    """Return seconds of a run and of all runs of every (dataset, weighting, method).

    A consensus costs a run of each of its methods, and the fusing.
    """
    took: dict[str, list] = {}
    for path in comparison.found.fusions:
        file = path.with_suffix(".seconds.json")
        if file.is_file():
            for name, spent in read_json(file).items():
                # what was fused has no dataset in its name
                known = name.startswith(f"{path.stem}/")
                took[name if known else f"{path.stem}:{name}"] = spent
    rows = []
    for row in board.cells.drop_duplicates(["card", "weighting", "method"]).itertuples():
        name = row.trial if row.kind != CONSENSUS else f"{row.card}:{row.trial}"
        total, runs = took.get(name, (0.0, 0))
        if runs:
            rows.append((row.dataset, row.weighting, row.kind, row.method, total / runs, total))
    names = ["dataset", "weighting", "kind", "method", "mean", "best"]
    frame = pd.DataFrame(rows, columns=names)
    members = frame[frame["kind"] == METHOD].groupby(["dataset", "weighting"])[["mean", "best"]]
    every = members.sum()
    for place, row in frame[frame["kind"] == CONSENSUS].iterrows():
        spent = every.loc[(row["dataset"], row["weighting"])]
        frame.loc[place, "mean"] = row["mean"] + spent["mean"]
        frame.loc[place, "best"] = row["mean"] + spent["best"]
    return frame


def _tradeoffs(board: Board, key: tuple, ranking: Ranking | None, seconds, same: dict):
    """Yield score and seconds of each method, and whether none is both better and faster.

    The best of many starts has cost all of them.
    """
    table = board.scores.get(key)
    if table is None or ranking is None:
        return
    took = seconds[seconds["weighting"] == key[0]].pivot_table(key[1], "dataset", "method")
    kinds = dict(zip(board.cells["method"], board.cells["kind"], strict=True))
    points = {}
    for method in table.columns:
        if method not in took or (kinds[method] == METHOD and method not in ranking.methods):
            continue
        both = pd.concat([table[method], took[method]], axis=1).reindex(ranking.scores.index)
        if both.notna().all(axis=None):
            points[method] = tuple(both.mean())
    for method, (score, spent) in points.items():
        beaten = any(
            s >= score and t <= spent and (s, t) != (score, spent) for s, t in points.values()
        )
        yield {"item": board.item, **same, "kind": kinds[method], "method": method} | {
            "score": score,
            "seconds": spent,
            "n_datasets": ranking.n_datasets,
            "front": not beaten,
        }


def _breakdown(board: Board, ranking: Ranking, same: dict):
    """Yield mean ranks over the halves of the datasets, cut at the median of a characteristic."""
    cards = board.block["datasets"]
    for fact, (by, words, places) in GROUPS.items():
        values = pd.Series(
            {name: board.records[cards[name]].get(fact) for name in ranking.scores.index},
            dtype=float,
        ).dropna()
        if values.nunique() < 2:
            continue
        cut = float(np.median(values))
        if (values > cut).sum() == 0:
            continue
        text = words.format(f"{cut:,.{places}f}")
        for group, members in (
            (f"up to {text}", values.index[values <= cut]),
            (f"above {text}", values.index[values > cut]),
        ):
            for method, rank in ranking.ranks.loc[members].mean().items():
                yield {"item": board.item, **same, "by": by, "group": group} | {
                    "n_datasets": len(members),
                    "method": method,
                    "mean_rank": float(rank),
                }
