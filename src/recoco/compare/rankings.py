"""Mean ranks of methods and the tests between them, from printed and from measured scores."""

import itertools
from dataclasses import dataclass

import pandas as pd

from recoco.compare.ranks import (
    Ranking,
    bayes_pairs,
    friedman,
    friedman_critical,
    nemenyi,
    rank_methods,
    wilcoxon_pairs,
)
from recoco.compare.table import Table
from recoco.compare.verdicts import Answer, is_rounded
from recoco.errors import RecocoError
from recoco.plan import Combination, setting_of

# Sources of the scores that are ranked.
PRINTED, FAVOURED, MEASURED = "printed", "printed-favoured", "measured"
# The levels that hold where an item states none.
ALPHA, LEVEL = 0.05, 0.05


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
    printed : published values of the paper, as recoco.compare.published reads them
    """
    found = {}
    for block in paper["items"].values():
        if block["kind"] != "scores" or "published" not in block:
            continue
        rows = printed[printed["item"] == block["published"]]
        for metric in block["metrics"]:
            cells = rows[rows["metric"] == metric].astype({"value": float})
            if len(cells):
                table = cells.pivot_table("value", "dataset", "method", sort=False)
                found[metric] = table.reindex(columns=[m for m in block["methods"] if m in table])
    return found


def measured_scores(table: Table, metric: str, combination: Combination) -> pd.DataFrame:
    """Return our means under a combination; a cell that was not run has no number."""
    weighting = next(iter(table.block["weightings"]))
    rows = {}
    for dataset in table.reachable():
        rows[dataset] = {}
        for method in table.block["methods"]:
            setting = setting_of(table.block, combination, dataset, weighting, method)
            if not table.stopped(setting):
                column = combination.metrics.get(metric, metric)
                select = combination.select_of(setting.method)
                rows[dataset][method] = table.measure(setting, select, column).value
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(table.block["methods"]))


def sources_of(block: dict, table: Table, printed: dict[str, pd.DataFrame]) -> list[Source]:
    """Return all that an item ranks: the printed scores, ties decided, and ours."""
    found = []
    for metric in block["metrics"]:
        if metric in printed:
            scores, best = printed[metric], block.get("favour")
            found.append((PRINTED, "", metric, scores))
            if best:  # by less than any printed digit
                favoured = scores.assign(**{best: scores[best] + 1e-6})
                found.append((FAVOURED, "", metric, favoured))
        for combination in {c.name: c for c in (table.as_printed, table.best)}.values():
            scores = measured_scores(table, metric, combination)
            found.append((MEASURED, combination.name, metric, scores))
    ranked = []
    for name, combination, metric, scores in found:
        try:
            ranked.append(Source(name, combination, metric, rank_methods(scores)))
        except RecocoError:
            continue  # fewer than two datasets with a score of every method: nothing to rank
    return ranked


def compare_ranks(item: str, block: dict, sources: list[Source]) -> dict[str, list[dict]]:
    """Return the rows of the tables ``ranks`` and ``tests`` of an item."""
    out: dict[str, list[dict]] = {"ranks": [], "tests": []}
    for source in sources:
        ranking = source.ranking
        same = {"item": item, "source": source.name, "combination": source.combination}
        same |= {"metric": source.metric, "n_datasets": ranking.n_datasets}
        found = nemenyi(ranking, block.get("alpha", ALPHA))
        for method, rank in ranking.mean.items():
            one = {"method": method, "mean_rank": float(rank), "cd": found.cd}
            out["ranks"].append({**same, **one, "datasets": " ".join(ranking.scores.index)})
        out["tests"] += [{**same, **row} for row in _tests(block, source, found)]
    return out


def _tests(block: dict, source: Source, found):
    ranking, level = source.ranking, block.get("level", LEVEL)
    overall = friedman(ranking)
    critical = _critical(level, ranking)
    yield {
        "test": "friedman",
        "value": overall.q,
        "critical": critical,
        "p": overall.p,
        "differs": overall.p <= level,
        "note": f"level {level:g}; p from {overall.how}; Q is by the formula without ties, "
        f"with ties {overall.chi_square:.2f}; Iman-Davenport F {overall.f:.2f}, "
        f"p {overall.p_f:.2g}",
    }
    mean = ranking.mean
    for first, second in itertools.combinations(mean.index, 2):
        apart = float(mean[second] - mean[first])
        note = ""
        if apart < found.cd <= round(apart, 1):
            note = f"below CD, and above it only when rounded to {apart:.1f}"
        yield {
            "test": "nemenyi",
            "first": first,
            "second": second,
            "value": apart,
            "critical": found.cd,
            "p": float(found.p.loc[first, second]),
            "differs": apart >= found.cd,
            "note": note,
        }
    if source.name == FAVOURED:
        return  # ties of ranks matter to the tests before only
    bayes = {(r.first, r.second): r for r in bayes_pairs(ranking).itertuples()}
    for row in wilcoxon_pairs(ranking).itertuples():
        chances = bayes[row.first, row.second]
        yield {
            "test": "wilcoxon-holm",
            "first": row.first,
            "second": row.second,
            "value": row.difference,
            "p": row.p_holm,
            "differs": row.p_holm <= block.get("alpha", ALPHA),
            "note": f"Bayesian chances of first / within 0.01 / second: {chances.left:.2f} / "
            f"{chances.rope:.2f} / {chances.right:.2f}",
        }


def _critical(level: float, ranking: Ranking) -> float | None:
    try:
        return friedman_critical(level, len(ranking.methods), ranking.n_datasets)
    except RecocoError:
        return None  # too many tables to go through


def _values(block: dict, source: Source) -> dict[tuple[str, str], float]:
    """Return every number that a paper may print of a ranking, by (metric, method)."""
    ranking, metric = source.ranking, source.metric
    mean, found = ranking.mean, nemenyi(ranking, block.get("alpha", ALPHA))
    pairs = itertools.permutations(ranking.methods, 2)
    return {
        ("q_alpha", ""): found.q,
        ("cd", ""): found.cd,
        ("friedman_critical", ""): _critical(block.get("level", LEVEL), ranking),
        (f"friedman_q_{metric}", ""): friedman(ranking).q,
        **{(f"avg_rank_{metric}", method): float(mean[method]) for method in mean.index},
        **{(f"rank_diff_{metric}", f"{a} vs {b}"): float(mean[a] - mean[b]) for a, b in pairs},
    }


def answer_ranks(rows: pd.DataFrame, block: dict, sources: list[Source]):
    """Yield (row, verdict, answer, reason, measures) for every printed number of a ranking.

    A number comes out if the scores that the paper prints give it, ties averaged. What our
    scores give is said beside it: they may rest on other datasets. ``measures`` are the values
    by source.
    """
    found: dict[tuple, dict[str, float]] = {}
    shown: dict[str, str] = {}
    for source in sources:
        shown[source.key] = f"{source.ranking.n_datasets} datasets"
        for key, value in _values(block, source).items():
            if value is not None:
                found.setdefault(key, {})[source.key] = value
    said = {(row.metric, row.method): row.value for row in rows.itertuples()}
    for row in rows.itertuples():
        key = (row.metric, row.method)
        values = found.get(key) or found.get((row.metric, ""), {})
        if PRINTED not in values:
            why = "the scores that it is made of are not printed"
            yield row, "not-run", Answer("not-run", why=why), why, values
            continue
        value = values[PRINTED]
        # Ranks are printed to one decimal, without it where it is 0.
        text = row.value if "." in row.value else f"{row.value}.0"
        within, tolerance = is_rounded(value, text)
        why = f"{value:.3f} from the {shown[PRINTED]} that the paper prints, against {row.value}"
        verdict = "reproduced" if within else "worse"
        if not within and FAVOURED in values and is_rounded(values[FAVOURED], text)[0]:
            verdict = "explained"
            why += f"; {values[FAVOURED]:.3f} if ties go to {block['favour']}"
        elif not within and row.metric.startswith("rank_diff_"):
            pair = [said.get((row.metric.replace("rank_diff", "avg_rank"), m)) for m in _two(row)]
            if None not in pair and round(float(pair[0]) - float(pair[1]), 1) == float(row.value):
                verdict = "explained"
                why += f"; it is {pair[0]} - {pair[1]}, of the mean ranks as rounded"
        ours = [f"{values[k]:.3f} ({shown[k]}, {k})" for k in values if k.startswith(MEASURED)]
        if ours:
            why += f". Our scores give {' and '.join(ours)}"
        answer = Answer("ok", value, None, None, None, None, tolerance, within, why=why)
        yield row, verdict, answer, f"{why}.", values


def _two(row) -> list[str]:
    return row.method.split(" vs ")
