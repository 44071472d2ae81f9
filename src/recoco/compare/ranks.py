"""Statistics on a table of mean scores, datasets x methods: ranks and tests between methods.

The unit of all tests is the dataset: N is the number of datasets, never of runs. A larger score
is better and rank 1 is the best.

References: Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 2006
(Friedman, Iman-Davenport, Nemenyi, Wilcoxon, Holm); Benavoli et al., A Bayesian Wilcoxon
signed-rank test based on the Dirichlet process, ICML 2014.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from recoco.core.errors import RecocoError
from recoco.core.seeds import generator_of

# Means that differ by less come from the order of a sum, not from the methods: a tie.
DECIMALS = 10
RESAMPLES = 50_000
# The most pairs of a state and a permutation that the exact distribution may take: about 2 s.
_EXACT_WORK = 4_000_000


@dataclass(frozen=True)
class Ranking:
    """The complete part of a table of scores, and the ranks of its methods."""

    scores: pd.DataFrame
    ranks: pd.DataFrame
    left_out: tuple[str, ...]

    @property
    def mean(self) -> pd.Series:
        """Mean rank of each method, the best first; equal ones in the order of the table."""
        return self.ranks.mean().sort_values(kind="stable")

    @property
    def n_datasets(self) -> int:
        return len(self.scores)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(self.scores.columns)


def rank_methods(table: pd.DataFrame) -> Ranking:
    """Rank the methods on each dataset, ties averaged.

    Parameters
    ----------
    table : mean scores, a row per dataset and a column per method. A dataset on which a method
        has no score (NaN) is left out and named in the result.
    """
    if table.columns.has_duplicates or table.index.has_duplicates:
        raise RecocoError("A table to be ranked names a method or a dataset twice: merge them.")
    if table.shape[1] < 2:
        raise RecocoError(
            f"Ranking needs at least 2 methods and the table has {table.shape[1]}: add a method."
        )
    scores = table.astype(float).round(DECIMALS)
    if np.isinf(scores.to_numpy()).any():
        raise RecocoError("A table to be ranked has an infinite score: give NaN where none is.")
    complete = scores.notna().all(axis=1)
    kept = scores[complete]
    if len(kept) < 2:
        advice = ": add a dataset."
        if not complete.all():
            gaps = scores.isna().sum()
            advice = (
                f" after leaving out {(~complete).sum()} with gaps: leave out a method instead, "
                f"{gaps.idxmax()} has no score on {gaps.max()}."
            )
        raise RecocoError(
            f"Ranking needs at least 2 datasets with a score of every method and has "
            f"{len(kept)}{advice}"
        )
    from scipy.stats import rankdata

    ranks = pd.DataFrame(rankdata(-kept.to_numpy(), axis=1), index=kept.index, columns=kept.columns)
    return Ranking(kept, ranks, tuple(table.index[~complete]))


@dataclass(frozen=True)
class Friedman:
    """Friedman's test that all methods are alike.

    ``q`` is the statistic by the formula without ties, as papers print it; ``chi_square`` is
    corrected for ties and ``f`` is Iman and Davenport's statistic derived from it, infinite if all
    datasets agree on the order. ``p`` is the p-value to use and ``how`` names its source.
    """

    n_methods: int
    n_datasets: int
    q: float
    chi_square: float
    p_chi_square: float
    f: float
    p_f: float
    p: float
    how: str


def friedman(ranking: Ranking, seed: int = 0, resamples: int = RESAMPLES) -> Friedman:
    """Test whether the methods differ at all.

    A small table (N <= 15 or k <= 4) has a p-value from all permutations within the datasets,
    given the ties, or from random ones where all are too many; a larger one has that of Iman
    and Davenport's F. If all methods tie on all datasets, p is 1.
    """
    from scipy.stats import chi2
    from scipy.stats import f as f_distribution

    rows = np.rint(2 * ranking.ranks.to_numpy()).astype(np.int64)
    n, k = rows.shape
    spread = int((rows.sum(axis=0) ** 2).sum())
    q = _statistic(spread, n, k)
    ties = sum(
        int((counts**3 - counts).sum())
        for counts in (np.unique(row, return_counts=True)[1] for row in rows)
    )
    if ties == n * (k**3 - k):
        return Friedman(k, n, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, "all methods tie on all datasets")
    chi_square = q / (1 - ties / (n * (k**3 - k)))
    rest = n * (k - 1) - chi_square
    certain = rest < 1e-9 * n * k
    f = math.inf if certain else (n - 1) * chi_square / rest
    p_f = 0.0 if certain else float(f_distribution.sf(f, k - 1, (k - 1) * (n - 1)))
    p, how = p_f, "Iman-Davenport F"
    if n <= 15 or k <= 4:
        exact = _distribution(rows)
        if exact is None:
            p = _random_tail(rows, spread, seed, resamples)
            how = f"{resamples} random permutations"
        else:
            p = min(1.0, float(exact[1][exact[0] >= spread].sum()))
            how = "exact permutations"
    p_chi_square = float(chi2.sf(chi_square, k - 1))
    return Friedman(k, n, q, chi_square, p_chi_square, f, p_f, p, how)


def _statistic(spread: int, n: int, k: int) -> float:
    """Return Q from the sum of the squares of the doubled sums of ranks."""
    return 3 * (spread - n * n * k * (k + 1) ** 2) / (n * k * (k + 1))


def _distribution(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the values of the sum of squared sums of ranks and their exact chances.

    The ranks of a row may be permuted at will, so only the sorted sums matter: a few thousand
    states for 4 methods and 9 datasets in place of 24 to the power of 9 tables. None if it is
    too much.
    """
    n, k = rows.shape
    base, work = 2 * n * k + 1, 0
    if k > 6 or base**k > 2**62:
        return None
    digits = base ** np.arange(k)
    states, chances = np.sort(rows[:1], axis=1), np.ones(1)
    for row in rows[1:]:
        orders = np.array(sorted(set(itertools.permutations(row.tolist()))))
        work += len(states) * len(orders)
        if work > _EXACT_WORK:
            return None
        sums = np.sort((states[:, None, :] + orders[None, :, :]).reshape(-1, k), axis=1)
        _, first, where = np.unique(sums @ digits, return_index=True, return_inverse=True)
        chances = np.bincount(where, np.repeat(chances, len(orders))) / len(orders)
        states = sums[first]
    spreads, where = np.unique((states**2).sum(axis=1), return_inverse=True)
    return spreads, np.bincount(where, chances)


def _random_tail(rows: np.ndarray, spread: int, seed: int, resamples: int) -> float:
    generator = generator_of(seed, "friedman permutations")
    reached, left = 0, resamples
    while left:
        drawn = min(left, 2_000)
        tables = generator.permuted(np.broadcast_to(rows, (drawn, *rows.shape)), axis=2)
        reached += int(((tables.sum(axis=1) ** 2).sum(axis=1) >= spread).sum())
        left -= drawn
    return (1 + reached) / (1 + resamples)


def friedman_critical(alpha: float, n_methods: int, n_datasets: int) -> float:
    """Return the smallest Q whose exact chance of being reached without ties is at most alpha."""
    _check_alpha(alpha)
    distribution = _distribution(np.tile(2 * np.arange(1, n_methods + 1), (n_datasets, 1)))
    if distribution is None:
        raise RecocoError(
            f"The exact distribution of Friedman's Q is too large for {n_methods} methods and "
            f"{n_datasets} datasets: use the p-value of the test."
        )
    spreads, chances = distribution
    reached = np.cumsum(chances[::-1])[::-1] <= alpha
    if not reached.any():
        return math.inf
    return _statistic(int(spreads[np.argmax(reached)]), n_datasets, n_methods)


@dataclass(frozen=True)
class Nemenyi:
    """All pairs of methods: the critical difference of mean ranks, and the groups within it."""

    alpha: float
    q: float
    cd: float
    p: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]


def nemenyi(ranking: Ranking, alpha: float = 0.05) -> Nemenyi:
    """Compare all pairs of methods: they differ if their mean ranks do by at least ``cd``."""
    from scipy.stats import studentized_range

    mean, n, k = ranking.mean, ranking.n_datasets, len(ranking.methods)
    q = nemenyi_q(alpha, k)
    error = math.sqrt(k * (k + 1) / (6 * n))
    apart = np.abs(mean.to_numpy()[:, None] - mean.to_numpy()[None, :])
    values, where = np.unique(apart.round(DECIMALS), return_inverse=True)
    p = np.clip(studentized_range.sf(values * math.sqrt(2) / error, k, np.inf), 0, 1)
    p[values == 0] = 1.0
    frame = pd.DataFrame(p[where].reshape(k, k), index=mean.index, columns=mean.index)
    cd = q * error
    return Nemenyi(alpha, q, cd, frame, groups_within(mean, cd))


def nemenyi_q(alpha: float, n_methods: int) -> float:
    """Return the critical value of the studentized range, infinite freedom, divided by sqrt(2)."""
    from scipy.stats import studentized_range

    _check_alpha(alpha)
    return float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise RecocoError(f"The level of a test is {alpha}: give a number between 0 and 1.")


def groups_within(mean: pd.Series, cd: float) -> tuple[tuple[str, ...], ...]:
    """Return the maximal groups of methods whose mean ranks lie within less than ``cd``.

    Groups overlap, none is part of another, and a method that differs from all is in none.
    """
    mean = mean.sort_values(kind="stable")
    values = mean.to_numpy()
    groups, reached = [], 0
    for first in range(len(values)):
        end = int(np.searchsorted(values - values[first], cd, side="left"))
        if end > reached and end - first > 1:
            groups.append(tuple(mean.index[first:end]))
        reached = max(reached, end)
    return tuple(groups)


def holm(p_values) -> np.ndarray:
    """Return p-values adjusted by Holm's step-down rule for all of them being tried."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def signed_rank(differences) -> tuple[float, float, int, float]:
    """Return Wilcoxon's sums of positive and negative ranks, how many differ, and p.

    Zeros are dropped, as Wilcoxon did. The two-sided p-value is exact also with ties: it counts
    the signs that are as far from even. If nothing differs, p is 1.
    """
    from scipy.stats import rankdata

    z = np.round(np.asarray(differences, dtype=float), DECIMALS)
    z = z[z != 0]
    doubled = np.rint(2 * rankdata(np.abs(z))).astype(int)
    plus, total = int(doubled[z > 0].sum()), int(doubled.sum())
    chances = np.ones(1)
    for rank in doubled:
        # A sum grows by the rank or not, with even chances.
        grown = np.zeros(len(chances) + rank)
        grown[: len(chances)] += chances / 2
        grown[rank:] += chances / 2
        chances = grown
    p = min(1.0, 2 * float(chances[: min(plus, total - plus) + 1].sum()))
    return plus / 2, (total - plus) / 2, len(z), p


def wilcoxon_pairs(ranking: Ranking) -> pd.DataFrame:
    """Return Wilcoxon's signed-rank test of every pair of methods, with Holm's correction.

    ``difference`` is the mean of the first method's scores less the second's; ``n`` counts the
    datasets on which the two differ.
    """
    rows = []
    for first, second in itertools.combinations(ranking.methods, 2):
        z = (ranking.scores[first] - ranking.scores[second]).to_numpy()
        plus, minus, n, p = signed_rank(z)
        rows.append((first, second, float(z.mean()), n, plus, minus, p))
    columns = ["first", "second", "difference", "n", "w_plus", "w_minus", "p"]
    pairs = pd.DataFrame(rows, columns=columns)
    return pairs.assign(p_holm=holm(pairs["p"]))


def bayes_pairs(
    ranking: Ranking,
    rope: float = 0.01,
    seed: int = 0,
    prior: float = 0.5,
    samples: int = RESAMPLES,
) -> pd.DataFrame:
    """Return the Bayesian signed-rank test of every pair of methods.

    The differences z_1..z_N of the scores have a Dirichlet process prior of strength ``prior`` on
    one pseudo-difference z_0 = 0. Weights w ~ Dir(prior, 1, ..., 1) make three shares: of pairs
    with (z_i + z_j) / 2 beyond the region on either side, and inside it. ``left`` is the
    probability that the share of "the first is better by more than rope" is the largest,
    ``rope`` that of practical equality, ``right`` that of "the second is better".
    """
    if not (math.isfinite(rope) and rope >= 0 and math.isfinite(prior) and prior > 0):
        raise RecocoError(
            f"The Bayesian test has rope {rope} and prior strength {prior}: give a region of at "
            "least 0 and a strength above 0."
        )
    n = ranking.n_datasets
    # All pairs share one set of weights: adding a method does not change the other pairs.
    weights = generator_of(seed, f"bayes {n} datasets").dirichlet([prior, *[1] * n], samples)
    pairs = list(itertools.combinations(ranking.methods, 2))
    i, j = np.triu_indices(n + 1)
    beyond = []
    for first, second in pairs:
        z = np.concatenate([[0], ranking.scores[first] - ranking.scores[second]])
        sums = (z[i] + z[j]).round(DECIMALS)
        edge = round(2 * rope, DECIMALS)
        beyond.append((sums > edge, sums < -edge))
    # (side, pair of differences, pair of methods); those off the diagonal count twice.
    beyond = np.array(beyond, dtype=float).transpose(1, 2, 0) * np.where(i == j, 1, 2)[:, None]
    wins = np.zeros((3, len(pairs)))
    for some in np.array_split(weights, -(-samples // 1_000)):
        left, right = ((some[:, i] * some[:, j]) @ side for side in beyond)
        shares = np.stack([left, 1 - left - right, right]).round(DECIMALS)
        most = shares == shares.max(axis=0)
        wins += (most / most.sum(axis=0)).sum(axis=1)
    chances = dict(zip(("left", "rope", "right"), wins / samples, strict=True))
    return pd.DataFrame(pairs, columns=["first", "second"]).assign(**chances)
