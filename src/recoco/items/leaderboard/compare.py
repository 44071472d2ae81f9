"""A leaderboard: scores of every method on every dataset, ranks, tests, seconds and groups."""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from recoco.compare.answers import unreachable
from recoco.compare.comparison import Comparison
from recoco.compare.ranks import Ranking, bayes_pairs, friedman, nemenyi, rank_methods
from recoco.compare.table import Table
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.items.kind import analysis_path, analysis_rows, readings_path
from recoco.items.leaderboard.entries import CONSENSUS, FUSIONS, METHOD, SELECTIONS, entries_of
from recoco.items.ranks.compare import nemenyi_rows, wilcoxon_rows

# With 20,000 draws, shares are accurate to 0.01.
_DRAWS = 20_000
# Characteristics at whose median the datasets are halved: name, text and decimals of the median.
GROUPS = {
    "rows": ("size", "{} objects", 0),
    "classes": ("classes", "{} classes", 0),
    "balance": ("balance", "a balance of {}", 2),
    "sparsity_percent": ("sparsity", "{} % zeros", 1),
}


@dataclass(frozen=True)
class Board:
    """The cells of one leaderboard, and the rankings that follow from them."""

    name: str
    item: dict
    cells: pd.DataFrame
    records: dict[str, dict]

    @cached_property
    def scores(self) -> dict[tuple, pd.DataFrame]:
        """Scores by (weighting, selection, metric): datasets x methods, all kinds."""
        scored = self.cells[self.cells["status"].isin(["ok", "degenerate"])]
        return {
            (weighting, selection, metric): rows.pivot_table(
                selection, "dataset", "method", sort=False
            )
            for (weighting, metric), rows in scored.groupby(["weighting", "metric"], sort=False)
            for selection in SELECTIONS
        }

    def methods(self, kind: str = METHOD) -> list[str]:
        return list(dict.fromkeys(self.cells.loc[self.cells["kind"] == kind, "method"]))

    def ranking(self, weighting: str, selection: str, metric: str) -> Ranking | None:
        """Rank the methods that have a score on enough datasets; None if there are too few."""
        table = self.scores.get((weighting, selection, metric))
        if table is None:
            return None
        table = table.reindex(columns=[m for m in self.methods() if m in table])
        table = table.dropna(how="all")
        enough = table.notna().mean() >= self.item["coverage"]
        try:
            return rank_methods(table.loc[:, enough])
        except RecocoError:
            return None

    @cached_property
    def rankings(self) -> dict[tuple, Ranking | None]:
        keys = itertools.product(self.item["weightings"], SELECTIONS, self.item["metrics"])
        return {key: self.ranking(*key) for key in keys}


def compare_leaderboard(comparison: Comparison, name: str, item: dict) -> tuple[Board, dict]:
    """Return the board of an item and the rows of all outputs about it."""
    cells = pd.DataFrame(_cells(comparison, name, item))
    board = Board(name, item, cells, comparison.records)
    seconds = _seconds(comparison, board)
    outputs = {name: [] for name in ("standings", "tests", "bayes", "tradeoffs", "breakdown")}
    for key, ranking in board.rankings.items():
        same = {"item": board.name}
        same |= zip(("weighting", "selection", "metric"), key, strict=True)
        outputs["standings"] += _standings(board, key, ranking, same)
        outputs["tradeoffs"] += _tradeoffs(board, key, ranking, seconds, same)
        if ranking is not None:
            outputs["tests"] += _tests(board, ranking, same)
            outputs["bayes"] += _bayes(board, ranking, same)
            outputs["breakdown"] += _breakdown(board, ranking, same)
    return board, {"leaderboard": cells.to_dict("records"), **outputs}


# ---- cells ---------------------------------------------------------------------------------


def _cells(comparison: Comparison, name: str, item: dict) -> list[dict]:
    table = comparison.table(item)
    paper = comparison.config.papers[comparison.key]
    keys = ("dataset", "card", "weighting", "kind", "method")
    rows = []
    for entry in entries_of(comparison.config, paper, item):
        same = {"item": name, **{key: getattr(entry, key) for key in keys}}
        status, reason = _status(table, entry, comparison.records[entry.card])
        same |= {"trial": entry.setting.name, "status": status, "reason": reason}
        for metric in item["metrics"]:
            scored = status in ("ok", "degenerate")
            scores = _measured(table, entry.setting, metric) if scored else {}
            rows.append({**same, "metric": metric, **scores})
    return rows + _fused(comparison, name, item)


def _status(table: Table, entry, record: dict) -> tuple[str, str]:
    """Return the status of a method on a dataset, and the reason if it has no score."""
    if record["status"] != "ok":
        return "unreachable", unreachable(record).why
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


def _fused(comparison: Comparison, name: str, item: dict) -> list[dict]:
    """Return the cells of the consensus of all methods, by each of its functions."""
    written = analysis_rows(comparison, "fusions", item["datasets"], name)
    if not written:
        return []
    keys = ["dataset", "card", "weighting", "function"]
    rows = []
    for key, runs in pd.DataFrame(written).groupby(keys, sort=False):
        same = {"item": name, "kind": CONSENSUS, **dict(zip(keys, key, strict=True))}
        function = same.pop("function")
        same["method"] = FUSIONS[function]
        same["trial"] = f"{comparison.key}/{name}/{same['weighting']}/{function}"
        good = runs[runs["status"] == "ok"]
        single = good[good["run"] != "best"]
        if single.empty or len(single) == len(good):
            why = runs.loc[runs["status"] != "ok", "error"].iloc[0]
            same |= {"status": "failed", "reason": why}
            rows += [{**same, "metric": metric} for metric in item["metrics"]]
            continue
        for metric in item["metrics"]:
            values = single[metric].astype(float)
            rows.append(
                {**same, "status": "ok", "reason": "", "metric": metric}
                | {"mean": values.mean(), "n_runs": len(values)}
                | {"sd": values.std(ddof=1) if len(values) > 1 else None}
                | {"best": float(good.loc[good["run"] == "best", metric].iloc[0])}
            )
    return rows


# ---- ranks and tests -----------------------------------------------------------------------


def _standings(board: Board, key: tuple, ranking: Ranking | None, same: dict):
    """Yield a row per method, the best first; methods that are not ranked come last.

    Null models and the consensus are not ranked themselves: theirs is the rank that each would
    have among the methods.
    """
    table = board.scores.get(key)
    if table is None:
        return
    rows = board.cells[
        (board.cells["weighting"] == key[0]) & (board.cells["metric"] == key[2])
    ].groupby(["kind", "method"], sort=False)
    pairs = nemenyi(ranking, board.item["alpha"]) if ranking else None
    standings = []
    for (kind, method), cells in rows:
        rank, note, datasets = _rank_of(method, kind, ranking, table, cells)
        scores = table.loc[datasets, method] if method in table else pd.Series(dtype=float)
        spread = cells.set_index("dataset")["sd"].reindex(datasets).astype(float)
        standings.append(
            {
                **same,
                "kind": kind,
                "method": method,
                "mean_rank": rank,
                "cd": pairs.cd if pairs and kind == METHOD and rank is not None else None,
                "n_datasets": len(datasets),
                "mean_score": scores.mean() if len(scores) else None,
                "mean_sd": spread.mean() if spread.notna().any() else None,
                "scored": int(cells["status"].isin(["ok", "degenerate"]).sum()),
                "tried": len(cells),
                "note": note,
            }
        )
    standings.sort(key=lambda row: (row["mean_rank"] is None, row["mean_rank"] or 0))
    yield from standings


def _rank_of(method: str, kind: str, ranking, table, cells) -> tuple[float | None, str, list]:
    if ranking is None:
        why = "fewer than two methods or datasets to rank"
        return None, why, list(table.index[table[method].notna()]) if method in table else []
    datasets = list(ranking.scores.index)
    if kind == METHOD and method in ranking.methods:
        return float(ranking.mean[method]), "", datasets
    own = table[method].dropna() if method in table else pd.Series(dtype=float)
    if kind == METHOD:
        gaps = cells.loc[~cells["status"].isin(["ok", "degenerate"]), "status"].value_counts()
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
    alpha = board.item["alpha"]
    same = {
        "item": board.name,
        "source": same["selection"],
        "combination": same["weighting"],
        "metric": same["metric"],
        "n_datasets": ranking.n_datasets,
    }
    overall = friedman(ranking)
    yield {**same, "test": "friedman", "value": overall.q, "p": overall.p} | {
        "differs": overall.p <= alpha,
        "note": f"p from {overall.how}; Iman-Davenport F {_finite(overall.f)}",
    }
    pairs = nemenyi_rows(ranking, nemenyi(ranking, alpha)), wilcoxon_rows(ranking, alpha)
    yield from ({**same, **row} for row in itertools.chain(*pairs))


def _finite(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "beyond all bounds"


def _bayes(board: Board, ranking: Ranking, same: dict):
    rope = board.item["rope"]
    for row in bayes_pairs(ranking, rope, samples=_DRAWS).itertuples():
        yield {**same, "first": row.first, "second": row.second} | {
            "left": row.left,
            "rope": row.rope,
            "right": row.right,
            "width": rope,
            "n_datasets": ranking.n_datasets,
        }


# ---- time and groups -----------------------------------------------------------------------


def _seconds(comparison: Comparison, board: Board) -> pd.DataFrame:
    """Return seconds of a run and of all runs of every (dataset, weighting, method).

    Those of a consensus include a run of each of its methods.
    """
    took: dict[str, list] = {}
    for card in board.item["datasets"].values():
        path = analysis_path(comparison.key, "fusions", f"{card}.json")
        if path in comparison.analyses and readings_path(path).is_file():
            for name, spent in read_json(readings_path(path)).items():
                # the names of settings start with the dataset, those of fusions do not
                of_setting = name.startswith(f"{card}/")
                took[name if of_setting else f"{card}:{comparison.key}/{name}"] = spent
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
    """Yield score and seconds of each method, and whether no other is both better and faster.

    The seconds of the best of many starts are those of all starts.
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
        yield {**same, "kind": kinds[method], "method": method} | {
            "score": score,
            "seconds": spent,
            "n_datasets": ranking.n_datasets,
            "front": not beaten,
        }


def _breakdown(board: Board, ranking: Ranking, same: dict):
    """Yield mean ranks over the halves of the datasets, cut at the median of a characteristic."""
    cards = board.item["datasets"]
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
                yield {**same, "by": by, "group": group} | {
                    "n_datasets": len(members),
                    "method": method,
                    "mean_rank": float(rank),
                }
