"""Mean ranks of methods and the tests between them, from printed and from measured scores."""

import contextlib
import itertools
from dataclasses import dataclass

import pandas as pd

from recoco.compare.answers import Answer, agrees, exact_answer
from recoco.compare.ranks import (
    Nemenyi,
    Ranking,
    bayes_pairs,
    friedman,
    friedman_critical,
    nemenyi,
    rank_methods,
    wilcoxon_pairs,
)
from recoco.compare.table import Table
from recoco.core.errors import RecocoError
from recoco.plan import Combination, setting_of

# Sources of the scores that are ranked.
PRINTED, FAVOURED, MEASURED = "printed", "printed-favoured", "measured"


@dataclass(frozen=True)
class Source:
    """A table of scores of one metric that is ranked, and where it is from."""

    name: str
    combination: str
    metric: str
    ranking: Ranking

    @property
    def key(self) -> str:
        """Name of the source with its combination of choices, where it has one."""
        return f"{self.name}: {self.combination}" if self.combination else self.name


def printed_scores(paper: dict, printed: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return, by metric, the printed means of a paper's score tables, datasets x methods.

    Parameters
    ----------
    paper : configuration of the paper
    printed : published values of the paper, as recoco.compare.published reads them
    """
    scores = {}
    for item in paper["items"].values():
        if item["kind"] != "scores" or not item["published"]:
            continue
        rows = printed[printed["item"] == item["published"]]
        for metric in item["metrics"]:
            cells = rows[rows["metric"] == metric].astype({"value": float})
            if len(cells):
                table = cells.pivot_table("value", "dataset", "method", sort=False)
                scores[metric] = table.reindex(columns=[m for m in item["methods"] if m in table])
    return scores


def measured_scores(table: Table, metric: str, combination: Combination) -> pd.DataFrame:
    """Return our means under a combination; a cell that was not run has no number."""
    weighting = next(iter(table.item["weightings"]))
    rows = {}
    for dataset in table.reachable():
        rows[dataset] = {}
        for method in table.item["methods"]:
            place = (dataset, weighting, method)
            setting = setting_of(table.item, combination, *place)
            select = combination.at(dataset, method).select_of(setting.method)
            if not table.stopped(setting, select):
                rows[dataset][method] = table.figure(*place, metric, combination)
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(table.item["methods"]))


def sources_of(item: dict, table: Table, printed: dict[str, pd.DataFrame]) -> list[Source]:
    """Return all rankings of an item: of the printed scores, with ties decided, and of ours."""
    tables = []
    for metric in item["metrics"]:
        if metric in printed:
            scores, favoured = printed[metric], item["favour"]
            tables.append((PRINTED, "", metric, scores))
            if favoured:  # by less than any printed digit
                decided = scores.assign(**{favoured: scores[favoured] + 1e-6})
                tables.append((FAVOURED, "", metric, decided))
        for combination in {c.name: c for c in (table.as_printed, table.best)}.values():
            scores = measured_scores(table, metric, combination)
            tables.append((MEASURED, combination.name, metric, scores))
    ranked = []
    for name, combination, metric, scores in tables:
        # there is nothing to rank with fewer than two datasets that have a score of every method
        with contextlib.suppress(RecocoError):
            ranked.append(Source(name, combination, metric, rank_methods(scores)))
    return ranked


def compare_ranks(name: str, item: dict, sources: list[Source]) -> dict[str, list[dict]]:
    """Return the rows of the tables ``ranks`` and ``tests`` of an item."""
    out: dict[str, list[dict]] = {"ranks": [], "tests": []}
    for source in sources:
        ranking = source.ranking
        same = {"item": name, "source": source.name, "combination": source.combination}
        same |= {"metric": source.metric, "n_datasets": ranking.n_datasets}
        pairs = nemenyi(ranking, item["alpha"])
        for method, rank in ranking.mean.items():
            row = {"method": method, "mean_rank": float(rank), "cd": pairs.cd}
            out["ranks"].append({**same, **row, "datasets": " ".join(ranking.scores.index)})
        out["tests"] += [{**same, **row} for row in _tests(item, source, pairs)]
    return out


def _tests(item: dict, source: Source, pairs: Nemenyi):
    ranking, level = source.ranking, item["level"]
    overall = friedman(ranking)
    yield {
        "test": "friedman",
        "value": overall.q,
        "critical": _critical(level, ranking),
        "p": overall.p,
        "differs": overall.p <= level,
        "note": f"level {level:g}; p from {overall.how}; Q is by the formula without ties, "
        f"with ties {overall.chi_square:.2f}; Iman-Davenport F {overall.f:.2f}, "
        f"p {overall.p_f:.2g}",
    }
    for row in nemenyi_rows(ranking, pairs):
        apart, note = row["value"], ""
        if apart < pairs.cd <= round(apart, 1):
            note = f"below CD, and above it only when rounded to {apart:.1f}"
        yield {**row, "note": note}
    if source.name == FAVOURED:
        return  # ties do not matter to the other tests
    bayes = {(r.first, r.second): r for r in bayes_pairs(ranking).itertuples()}
    for row in wilcoxon_rows(ranking, item["alpha"]):
        chances = bayes[row["first"], row["second"]]
        note = (
            f"Bayesian chances of first / within 0.01 / second: {chances.left:.2f} / "
            f"{chances.rope:.2f} / {chances.right:.2f}"
        )
        yield {**row, "note": note}


def nemenyi_rows(ranking: Ranking, pairs: Nemenyi):
    """Yield Nemenyi's test of every pair of methods, as columns of the table ``tests``."""
    mean = ranking.mean
    for first, second in itertools.combinations(mean.index, 2):
        apart = float(mean[second] - mean[first])
        yield {"test": "nemenyi", "first": first, "second": second, "value": apart} | {
            "critical": pairs.cd,
            "p": float(pairs.p.loc[first, second]),
            "differs": apart >= pairs.cd,
        }


def wilcoxon_rows(ranking: Ranking, alpha: float):
    """Yield Wilcoxon's test with Holm's correction of every pair of methods in the same way."""
    for row in wilcoxon_pairs(ranking).itertuples():
        yield {"test": "wilcoxon-holm", "first": row.first, "second": row.second} | {
            "value": row.difference,
            "p": row.p_holm,
            "differs": row.p_holm <= alpha,
        }


def _critical(level: float, ranking: Ranking) -> float | None:
    try:
        return friedman_critical(level, len(ranking.methods), ranking.n_datasets)
    except RecocoError:
        return None  # there are too many tables to enumerate


def _values(item: dict, source: Source) -> dict[tuple[str, str], float | None]:
    """Return every number that a paper may print about a ranking, by (metric, method)."""
    ranking, metric = source.ranking, source.metric
    mean, test = ranking.mean, nemenyi(ranking, item["alpha"])
    pairs = itertools.permutations(ranking.methods, 2)
    return {
        ("q_alpha", ""): test.q,
        ("cd", ""): test.cd,
        ("friedman_critical", ""): _critical(item["level"], ranking),
        (f"friedman_q_{metric}", ""): friedman(ranking).q,
        **{(f"avg_rank_{metric}", method): float(mean[method]) for method in mean.index},
        **{(f"rank_diff_{metric}", f"{a} vs {b}"): float(mean[a] - mean[b]) for a, b in pairs},
    }


def answer_ranks(rows: pd.DataFrame, item: dict, sources: list[Source]):
    """Yield (row, verdict, answer, reason, measures) for every printed number of a ranking.

    A number is reproduced if it follows from the scores that the paper prints, with ties averaged.
    The reason also states the number from our scores, which may be of other datasets. ``measures``
    are the values by source.
    """
    by_source: dict[tuple, dict[str, float]] = {}
    shown: dict[str, str] = {}
    for source in sources:
        shown[source.key] = f"{source.ranking.n_datasets} datasets"
        for key, value in _values(item, source).items():
            if value is not None:
                by_source.setdefault(key, {})[source.key] = value
    printed = {(row.metric, row.method): row.value for row in rows.itertuples()}
    for row in rows.itertuples():
        key = (row.metric, row.method)
        values = by_source.get(key) or by_source.get((row.metric, ""), {})
        if PRINTED not in values:
            why = "the scores that it is made of are not printed"
            yield row, "not-run", Answer("not-run", why=why), why, values
            continue
        value = values[PRINTED]
        # Ranks are printed to one decimal, without it where it is 0.
        text = row.value if "." in row.value else f"{row.value}.0"
        why = f"{value:.3f} from the {shown[PRINTED]} that the paper prints, against {row.value}"
        answer = exact_answer(value, text, why, runs=None)
        verdict = answer.outcome
        if not answer.within and FAVOURED in values and agrees(values[FAVOURED], text):
            verdict = "fits"
            why += f"; {values[FAVOURED]:.3f} if ties go to {item['favour']}"
        elif not answer.within and row.metric.startswith("rank_diff_"):
            mean_rank = row.metric.replace("rank_diff", "avg_rank")
            pair = [printed.get((mean_rank, method)) for method in row.method.split(" vs ")]
            if None not in pair and round(float(pair[0]) - float(pair[1]), 1) == float(row.value):
                verdict = "fits"
                why += f"; it is {pair[0]} - {pair[1]}, of the mean ranks as rounded"
        ours = [f"{values[k]:.3f} ({shown[k]}, {k})" for k in values if k.startswith(MEASURED)]
        if ours:
            why += f". Our scores give {' and '.join(ours)}"
        yield row, verdict, answer, f"{why}.", values
