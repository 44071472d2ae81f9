"""Whether the order of methods that a paper prints holds on data that it did not use."""

import numpy as np
import pandas as pd

from recoco.items.leaderboard.compare import Board

# The least Kendall's tau with which an order counts as held; a negative one is reversed.
HOLDS = 0.5


def transfer_rows(board: Board, papers: dict[str, dict], printed: pd.DataFrame) -> list[dict]:
    """Return a row per paper, metric and method, and one (without method) for the whole order.

    Parameters
    ----------
    papers : what `printed_tables` returns
    printed : all published cells, as recoco.compare.published reads them
    """
    ranked = {ours: name for name, ours in board.item["methods"].items()}
    rows = []
    for key, paper in papers.items():
        for item in paper["tables"].values():
            listed = item["methods"].items()
            methods = {name: ranked[ours] for name, ours in listed if ours in ranked}
            if len(methods) < 2:
                continue
            own = {ranked[ours] for _, ours in listed if ours == key and ours in ranked}
            cells = printed[(printed["paper"] == key) & (printed["item"] == item["published"])]
            for metric in item["metrics"]:
                for weighting, names in _weightings(board, item).items():
                    some = cells[cells["metric"].eq(metric) & cells["weighting"].isin(names)]
                    same = {"item": board.name, "paper": key}
                    same |= {"metric": metric, "weighting": weighting}
                    rows += _compare(board, some, methods, item, own, same)
    return rows


def _weightings(board: Board, item: dict) -> dict[str, list[str]]:
    """Return the rankings that a printed table is compared with, and its weightings for each.

    If no ranking has a weighting of the paper, such as graphs, its methods use their own one in
    every ranking, and the first is taken.
    """
    ranked = {ours: name for name, ours in board.item["weightings"].items()}
    names: dict[str, list[str]] = {}
    for name, ours in item["weightings"].items():
        if ours in ranked:
            names.setdefault(ranked[ours], []).append(name)
    return names or {next(iter(ranked.values())): list(item["weightings"])}


def _compare(board: Board, cells, methods: dict, item: dict, own: set, same: dict) -> list[dict]:
    table = board.scores.get((same["weighting"], "mean", same["metric"]))
    cells = cells[cells["value"] != ""].astype({"value": float})
    if table is None or cells.empty:
        return []
    printed = cells.pivot_table("value", "dataset", "method", sort=False)
    printed = printed.reindex(columns=[m for m in methods if m in printed])
    printed = printed.rename(columns=methods)
    ours = table.reindex(columns=list(printed.columns)).dropna()
    used = set(item["datasets"].values())
    mine = [name for name in ours.index if board.item["datasets"][name] in used]
    ranks = {
        "printed": _mean_ranks(printed.dropna()),
        "own": _mean_ranks(ours.loc[mine]),
        "other": _mean_ranks(ours.drop(index=mine)),
    }
    if ranks["printed"] is None or (ranks["own"] is None and ranks["other"] is None):
        return []
    counts = {"n_printed": len(printed.dropna()), "n_own": len(mine)}
    same = {**same, **counts, "n_other": len(ours) - len(mine)}
    taus = {f"tau_{name}": _tau(ranks["printed"], ranks[name]) for name in ("own", "other")}
    rows = [{**same, "method": "", "n_methods": len(printed.columns), **taus}]
    for method in printed.columns:
        of_method = {
            f"{name}_rank": None if mean is None else float(mean[method])
            for name, mean in ranks.items()
        }
        rows.append({**same, "method": method, "own": method in own, **of_method})
    return rows


def _mean_ranks(table: pd.DataFrame) -> pd.Series | None:
    from scipy.stats import rankdata

    if table.empty:
        return None
    ranks = rankdata(-table.round(10).to_numpy(), axis=1)
    return pd.Series(ranks.mean(axis=0), index=table.columns)


def _tau(first: pd.Series | None, second: pd.Series | None) -> float | None:
    from scipy.stats import kendalltau

    if first is None or second is None:
        return None
    tau = kendalltau(first, second[first.index]).statistic
    return float(tau) if np.isfinite(tau) else None


# ---- in words ------------------------------------------------------------------------------

_NAMES = {"nmi": "NMI", "ari": "ARI", "acc": "ACC", "purity": "purity"}


def remarks(board: Board, papers: dict[str, dict], rows: list[dict]) -> list[dict]:
    """Return the answer in sentences: first over all papers, then paper by paper."""
    orders = [row for row in rows if not row["method"]]
    elsewhere = [row for row in orders if row["tau_other"] is not None]
    if not elsewhere:
        texts = ["No paper has two ranked methods here and datasets that it did not use."]
    else:
        texts = [_overall(elsewhere, rows)]
        texts += [_paper_text(paper, orders, rows) for paper in papers.values()]
    return [
        {"item": board.name, "place": place, "text": text}
        for place, text in enumerate(filter(None, texts))
    ]


def _overall(orders: list[dict], rows: list[dict]) -> str:
    taus = np.array([row["tau_other"] for row in orders])
    both = [row for row in orders if row["tau_own"] is not None]
    kept, turned = int((taus >= HOLDS).sum()), int((taus < 0).sum())
    papers = len({row["paper"] for row in orders})
    answer = "Yes" if kept == len(taus) else "No" if kept < len(taus) / 2 else "Only in part"
    text = (
        f"{answer}: of {_count(len(taus), 'printed order')} ({_count(papers, 'paper')}, by metric "
        f"and weighting) {kept} {'holds' if kept == 1 else 'hold'} on data that the paper did not "
        f"use (Kendall's tau of at least {HOLDS:g} between the printed mean ranks and ours) and "
        f"{turned} {'is' if turned == 1 else 'are'} turned round; tau is {taus.mean():.2f} on "
        "average there"
    )
    if both:
        text += f", and {np.mean([row['tau_own'] for row in both]):.2f} on the papers' own data"
    first = {"printed": 0, "own": 0, "other": 0}
    of = {"own": 0, "other": 0}
    for row in orders:
        of_methods = [r for r in rows if r["method"] and _same(r, row)]
        for name in first:
            ranks = {r["method"]: r[f"{name}_rank"] for r in of_methods}
            mine = [r["method"] for r in of_methods if r["own"]]
            if not mine or None in ranks.values():
                continue
            if name != "printed":
                of[name] += 1
            first[name] += min(ranks.values()) == ranks[mine[0]]
    return (
        f"{text}. The paper's own method has the best mean rank in {first['printed']} of these "
        f"orders as printed, in {first['own']} of {of['own']} when measured here on the paper's "
        f"data, and in {first['other']} of {of['other']} on other data."
    )


def _paper_text(paper: dict, orders: list[dict], rows: list[dict]) -> str:
    parts = []
    for row in orders:
        if row["paper"] != paper["key"]:
            continue
        text = f"{_NAMES.get(row['metric'], row['metric'])}, {row['weighting']}"
        taus = [
            f"{row[f'tau_{name}']:.2f} on {_count(row[f'n_{name}'], words)}"
            for name, words in (("own", "dataset of the paper"), ("other", "other"))
            if row[f"tau_{name}"] is not None
        ]
        text += f": tau {' and '.join(taus) or 'not available'}"
        for other in rows:
            if other["method"] and other["own"] and _same(other, row):
                ranks = [
                    f"{other[f'{name}_rank']:.2f} {words}"
                    for name, words in (
                        ("printed", "as printed"),
                        ("own", "on the paper's data"),
                        ("other", "on other data"),
                    )
                    if other[f"{name}_rank"] is not None
                ]
                text += f", mean rank of {other['method']} {', '.join(ranks)}"
                text += f" (of {row['n_methods']})"
        parts.append(text)
    if not parts:
        return ""
    where = " ".join(str(paper[key]) for key in ("venue", "year") if paper[key])
    return f"{paper['key']} ({where}): {'; '.join(parts)}."


def _same(one: dict, other: dict) -> bool:
    return all(one[key] == other[key] for key in ("item", "paper", "metric", "weighting"))


def _count(number: int, what: str) -> str:
    if number == 1:
        return f"1 {what}"
    plural = what.replace("dataset of", "datasets of") if " of " in what else f"{what}s"
    return f"{number} {plural}"


def printed_tables() -> dict[str, dict]:
    """Return the printed tables of scores of every paper that has a folder.

    A paper counts whether or not it is part of this reproduction.
    """
    from recoco.config.papers import all_papers

    keys = ("published", "datasets", "weightings", "methods", "metrics")
    papers = {}
    for paper in (paper.config for paper in all_papers().values()):
        tables = {
            name: {key: item[key] for key in keys}
            for name, item in paper["items"].items()
            if item["kind"] == "scores" and item["published"]
        }
        if tables:
            reference = {key: paper[key] for key in ("key", "title", "venue", "year")}
            papers[paper["key"]] = {**reference, "tables": tables}
    return papers
