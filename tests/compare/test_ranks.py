"""Ranks and tests between methods, against hand counts, tables, brute force and scipy."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from recoco.compare import ranks
from recoco.compare.ranks import (
    bayes_pairs,
    friedman,
    friedman_critical,
    groups_within,
    holm,
    nemenyi,
    nemenyi_q,
    rank_methods,
    signed_rank,
    wilcoxon_pairs,
)
from recoco.core.errors import RecocoError

# Ranks of four trees on 14 datasets, Demsar 2006, Table 6; one dataset ties all of them.
DEMSAR = pd.DataFrame(
    [
        (4, 3, 2, 1),
        (1, 2, 3, 4),
        (4, 1, 2, 3),
        (4, 1, 3, 2),
        (4, 2, 3, 1),
        (1, 2.5, 4, 2.5),
        (3, 2, 4, 1),
        (2.5, 2.5, 4, 1),
        (4, 3, 2, 1),
        (2.5, 2.5, 2.5, 2.5),
        (4, 2.5, 1, 2.5),
        (3, 2, 4, 1),
        (4, 1, 2, 3),
        (3, 1, 4, 2),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def _scores(n: int, k: int, seed: int, decimals: int = 6, step: float = 0.0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n, k)) + step * np.arange(k)
    names = [f"m{j}" for j in range(k)]
    return pd.DataFrame(values.round(decimals), [f"d{i}" for i in range(n)], names)


# Ranks


def test_larger_is_better_and_ties_are_averaged():
    table = pd.DataFrame(
        {"a": [0.9, 0.5, 0.2], "b": [0.1, 0.5, 0.2], "c": [0.5, 0.1, 0.2]}, index=["x", "y", "z"]
    )
    found = rank_methods(table)
    assert found.ranks.to_numpy().tolist() == [[1, 3, 2], [1.5, 1.5, 3], [2, 2, 2]]
    assert found.mean.to_dict() == pytest.approx({"a": 4.5 / 3, "b": 6.5 / 3, "c": 7 / 3})
    assert list(found.mean.index) == ["a", "b", "c"] and found.left_out == ()


def test_the_last_bits_of_a_mean_do_not_break_a_tie():
    table = pd.DataFrame({"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.5], "c": [0.3 + 1e-6, 0.4]})
    assert table.loc[0, "a"] != table.loc[0, "b"]
    assert rank_methods(table).ranks.to_numpy().tolist() == [[2.5, 2.5, 1], [1.5, 1.5, 3]]


def test_gaps_leave_out_datasets_by_name():
    table = _scores(5, 3, 0)
    table.loc["d1", "m2"] = table.loc["d3", "m0"] = math.nan
    found = rank_methods(table)
    assert found.left_out == ("d1", "d3") and found.n_datasets == 3
    pd.testing.assert_frame_equal(found.ranks, rank_methods(table.drop(["d1", "d3"])).ranks)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (_scores(4, 1, 0), "at least 2 methods"),
        (_scores(1, 3, 0), "at least 2 datasets"),
        (_scores(4, 3, 0).assign(m1=math.nan), "m1 has no score on 4"),
        (_scores(4, 3, 0).assign(m1=math.inf), "infinite"),
        (pd.concat([_scores(3, 2, 0), _scores(1, 2, 1)]), "twice"),
    ],
)
def test_what_cannot_be_ranked_is_a_sentence(table, words):
    with pytest.raises(RecocoError, match=words):
        rank_methods(table)


# Friedman


def test_demsar_by_hand():
    found = friedman(rank_methods(-DEMSAR))
    mean = rank_methods(-DEMSAR).mean
    assert mean.round(3).to_dict() == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.0,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }
    by_hand = 12 * 14 / 20 * ((44**2 + 28**2 + 40.5**2 + 27.5**2) / 14**2 - 25)
    assert found.q == pytest.approx(by_hand)
    # He prints 9.28 from rounded ranks.
    assert found.q == pytest.approx(9.28, abs=0.005)
    assert 13 * found.q / (14 * 3 - found.q) == pytest.approx(3.69, abs=0.005)
    assert found.n_datasets == 14 and found.how == "exact permutations" and found.p < 0.05


@pytest.mark.parametrize("decimals", [0, 6])
@pytest.mark.parametrize(("n", "k"), [(5, 3), (9, 4), (20, 7), (40, 12)])
def test_chi_square_is_that_of_scipy(n, k, decimals):
    table = _scores(n, k, n, decimals, step=0.2)
    found = friedman(rank_methods(table), resamples=100)
    expected = stats.friedmanchisquare(*table.to_numpy().T)
    assert found.chi_square == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p_chi_square == pytest.approx(expected.pvalue, rel=1e-8)


def test_f_is_the_analysis_of_variance_of_the_ranks():
    ranking = rank_methods(_scores(8, 5, 3, decimals=0))
    r = ranking.ranks.to_numpy()
    rows, columns = r.mean(axis=1, keepdims=True), r.mean(axis=0, keepdims=True)
    between = 8 * ((columns - r.mean()) ** 2).sum() / 4
    within = ((r - rows - columns + r.mean()) ** 2).sum() / (4 * 7)
    found = friedman(ranking, resamples=100)
    assert found.f == pytest.approx(between / within)
    assert found.p_f == pytest.approx(stats.f.sf(between / within, 4, 28))


@pytest.mark.parametrize(("n", "k", "decimals"), [(4, 3, 6), (4, 3, 0), (3, 4, 6), (3, 4, 0)])
def test_exact_chance_is_that_of_all_tables(n, k, decimals):
    ranking = rank_methods(_scores(n, k, 5, decimals))
    rows = ranking.ranks.to_numpy()
    spread = (rows.sum(axis=0) ** 2).sum()
    reached = [
        (np.sum(table, axis=0) ** 2).sum() >= spread - 1e-9
        for table in itertools.product(*(list(itertools.permutations(row)) for row in rows))
    ]
    found = friedman(ranking)
    assert found.how == "exact permutations" and found.p == pytest.approx(np.mean(reached))


def test_random_permutations_come_near_the_exact_chance(monkeypatch):
    ranking = rank_methods(_scores(8, 4, 2, decimals=1, step=0.5))
    exact = friedman(ranking)
    monkeypatch.setattr(ranks, "_EXACT_WORK", 0)
    found = friedman(ranking, seed=1)
    assert found.how == "50000 random permutations" and exact.how == "exact permutations"
    assert 0.001 < exact.p < 0.5
    assert found.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / 50_000))
    assert found == friedman(ranking, seed=1) != friedman(ranking, seed=2)


@pytest.mark.parametrize(
    ("n", "k", "how"),
    [
        (9, 4, "exact permutations"),
        (9, 20, "200 random permutations"),
        (16, 5, "Iman-Davenport F"),
        (30, 20, "Iman-Davenport F"),
        (300, 4, "200 random permutations"),
    ],
)
def test_the_size_chooses_the_p_value(n, k, how):
    found = friedman(rank_methods(_scores(n, k, 1)), resamples=200)
    assert found.how == how
    assert found.p == found.p_f or how != "Iman-Davenport F"


def test_all_tied_and_all_agreed_are_defined():
    tied = friedman(rank_methods(pd.DataFrame(0.5, range(5), list("abc"))))
    assert (tied.q, tied.chi_square, tied.f, tied.p) == (0, 0, 0, 1) and "tie" in tied.how
    agreed = friedman(rank_methods(pd.DataFrame(np.tile([3.0, 2, 1], (5, 1)))))
    assert agreed.q == agreed.chi_square == 10 and agreed.f == math.inf and agreed.p_f == 0
    assert agreed.p == pytest.approx(6 / 6**5)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(2, 8), st.integers(0, 10**6))
def test_nothing_is_ever_nan(n, k, seed):
    table = pd.DataFrame(np.random.default_rng(seed).integers(0, 3, size=(n, k)))
    ranking = rank_methods(table)
    found = friedman(ranking, resamples=20)
    numbers = [found.q, found.chi_square, found.p_chi_square, found.f, found.p_f, found.p]
    assert not np.isnan(numbers).any() and 0 < found.p <= 1
    assert not nemenyi(ranking).p.isna().any(axis=None)
    assert not wilcoxon_pairs(ranking).isna().any(axis=None)
    assert not bayes_pairs(ranking, samples=20).isna().any(axis=None)


def test_critical_values_of_the_tables():
    # Tables of Friedman's exact test without ties: k = 3 and 4 methods.
    assert friedman_critical(0.05, 3, 6) == pytest.approx(7.0)
    assert friedman_critical(0.05, 3, 10) == pytest.approx(6.2)
    assert friedman_critical(0.05, 4, 4) == pytest.approx(7.8)
    assert friedman_critical(0.01, 4, 9) == pytest.approx(10.73, abs=0.005)
    assert friedman_critical(0.01, 3, 2) == math.inf
    with pytest.raises(RecocoError, match="too large"):
        friedman_critical(0.05, 9, 5)


# Nemenyi


@pytest.mark.parametrize(
    ("alpha", "table"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_q_values_of_demsar(alpha, table):
    assert [nemenyi_q(alpha, k) for k in range(2, 11)] == pytest.approx(table, abs=1.01e-3)


def test_q_values_up_to_fifty_methods_rise():
    values = [nemenyi_q(0.05, k) for k in range(2, 51)]
    assert np.all(np.diff(values) > 0) and np.isfinite(values).all()
    # By the definition: the largest of 50 normal values less the smallest.
    drawn = np.random.default_rng(0).normal(size=(100_000, 50))
    reached = np.ptp(drawn, axis=1) >= values[-1] * math.sqrt(2)
    assert reached.mean() == pytest.approx(0.05, abs=0.003)


def test_demsar_groups():
    ranking = rank_methods(-DEMSAR)
    assert nemenyi(ranking, 0.05).cd == pytest.approx(1.25, abs=0.005)
    found = nemenyi(ranking, 0.10)
    assert found.cd == pytest.approx(1.12, abs=0.005)
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_p_values_agree_with_the_critical_difference():
    ranking = rank_methods(_scores(12, 8, 4, step=0.3))
    found = nemenyi(ranking, 0.05)
    mean = ranking.mean
    for a, b in itertools.permutations(mean.index, 2):
        assert found.p.loc[a, b] == found.p.loc[b, a]
        assert (found.p.loc[a, b] <= 0.05) == (abs(mean[a] - mean[b]) >= found.cd)
    assert (found.p <= 0.05).any(axis=None)
    assert (np.diag(found.p) == 1).all()


def test_p_values_are_those_of_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    table = _scores(12, 6, 4, decimals=1, step=0.3)
    expected = posthocs.posthoc_nemenyi_friedman(table)
    found = nemenyi(rank_methods(table)).p
    np.testing.assert_allclose(found.loc[table.columns, table.columns], expected, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(2, 14), min_size=2, max_size=7), st.integers(1, 14))
def test_groups_are_all_maximal_sets(doubled, twice_cd):
    # Halves on purpose: ties, and differences of exactly CD, which are differences.
    mean = pd.Series(np.array(doubled) / 2, [f"m{i}" for i in range(len(doubled))])
    cd = twice_cd / 2
    alike = [
        frozenset(some)
        for size in range(2, len(mean) + 1)
        for some in itertools.combinations(mean.index, size)
        if np.ptp(mean[list(some)]) < cd
    ]
    maximal = {some for some in alike if not any(some < other for other in alike)}
    found = groups_within(mean, cd)
    assert len(found) == len(maximal) and {frozenset(group) for group in found} == maximal


@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_a_level_outside_is_a_sentence(alpha):
    with pytest.raises(RecocoError, match="between 0 and 1"):
        nemenyi(rank_methods(_scores(3, 3, 0)), alpha)


# Wilcoxon and Holm


def test_holm_by_hand():
    # 4 x 0.01, 3 x 0.02 = 0.06, then 2 x 0.025 = 0.05 which may not fall, and 1 x 0.5.
    assert holm([0.02, 0.5, 0.01, 0.025]) == pytest.approx([0.06, 0.5, 0.04, 0.06])
    assert holm([0.9, 0.8]).tolist() == [1, 1]


def test_signed_ranks_of_demsar():
    # C4.5+m less C4.5, Demsar 2006, Table 2. Without the two zeros there are 12 differences:
    # the two of 0.005 share rank 1.5, 0.008 has rank 5.
    z = np.array([5, -8, 17, 33, 6, -5, 7, 0, 63, 0, 22, 47, 9, 21]) / 1000
    plus, minus, n, p = signed_rank(z)
    assert (plus, minus, n) == (71.5, 6.5, 12)
    assert p < 0.05


@pytest.mark.parametrize("n", [3, 8, 25])
def test_signed_rank_is_that_of_scipy(n):
    z = np.random.default_rng(n).normal(0.3, size=n).round(6)
    expected = stats.wilcoxon(z, method="exact")
    plus, minus, count, p = signed_rank(z)
    assert min(plus, minus) == expected.statistic and count == n
    assert p == pytest.approx(expected.pvalue)


def test_signed_rank_with_ties_counts_all_signs():
    z = np.array([1, 1, -1, 2, 2, 2, -3, 4, 0, 0]) / 10
    kept = z[z != 0]
    size = stats.rankdata(np.abs(kept))
    seen = abs(size[kept > 0].sum() - size[kept < 0].sum())
    signs = np.array(list(itertools.product([1, -1], repeat=len(kept))))
    assert signed_rank(z)[3] == pytest.approx(np.mean(np.abs(signs @ size) >= seen - 1e-9))


def test_pairs_without_a_difference_have_p_one():
    table = _scores(6, 3, 0)
    pairs = wilcoxon_pairs(rank_methods(table.assign(m1=table["m0"])))
    same = pairs.set_index(["first", "second"]).loc[("m0", "m1")]
    assert (same["n"], same["p"], same["p_holm"], same["difference"]) == (0, 1, 1, 0)
    assert len(pairs) == 3


def test_pairs_hold_the_order_and_the_correction():
    table = _scores(10, 3, 1, step=1.0)
    pairs = wilcoxon_pairs(rank_methods(table))
    for row in pairs.itertuples():
        z = table[row.first] - table[row.second]
        assert row.difference == pytest.approx(z.mean())
        assert row.p == pytest.approx(stats.wilcoxon(z, method="exact").pvalue)
    assert pairs["p_holm"].tolist() == holm(pairs["p"]).tolist()


# The Bayesian test


def _by_definition(z, rope, prior, samples, generator):
    """Return the three probabilities by the double sum over all pairs, one draw at a time."""
    z = np.concatenate([[0.0], z])
    wins = np.zeros(3)
    for w in generator.dirichlet([prior, *[1] * (len(z) - 1)], samples):
        share = np.zeros(3)
        for (wi, zi), (wj, zj) in itertools.product(zip(w, z, strict=True), repeat=2):
            middle = (zi + zj) / 2
            share[0 if middle > rope else 2 if middle < -rope else 1] += wi * wj
        wins[np.argmax(share)] += 1
    return wins / samples


def test_bayes_is_the_double_sum_of_the_definition():
    # No middle of two differences lies on the edge of the region, where the last bit decides.
    table = pd.DataFrame({"a": [0.523, 0.63, 0.4, 0.71], "b": [0.5, 0.58, 0.46, 0.703]})
    row = bayes_pairs(rank_methods(table), rope=0.01, seed=3, prior=0.5, samples=400).iloc[0]
    generator = ranks.generator_of(3, "bayes 4 datasets")
    expected = _by_definition((table["a"] - table["b"]).to_numpy(), 0.01, 0.5, 400, generator)
    assert [row["left"], row["rope"], row["right"]] == pytest.approx(expected)
    assert expected.min() > 0


def test_bayes_with_two_equal_differences_by_hand():
    # z_0 = 0, z_1 = z_2 = 1, rope 0.4: only the pair of z_0 with itself lies inside, so the left
    # wins if w_0^2 < 1/2. The weight w_0 is Beta(s, 2) and with s = 1 P(w_0 < x) = 1 - (1 - x)^2.
    table = pd.DataFrame({"a": [1.0, 1.0], "b": [0.0, 0.0]})
    row = bayes_pairs(rank_methods(table), rope=0.4, prior=1.0, samples=200_000).iloc[0]
    expected = 1 - (1 - math.sqrt(0.5)) ** 2
    assert row["left"] == pytest.approx(expected, abs=0.003)
    assert row["right"] == 0 and row["left"] + row["rope"] == pytest.approx(1)


def test_bayes_sides_regions_and_seeds():
    table = pd.DataFrame(
        {"low": np.linspace(0.1, 0.2, 10), "high": np.linspace(0.6, 0.8, 10)}
    ).assign(same=lambda t: t["high"] + 0.004)
    ranking = rank_methods(table)
    pairs = bayes_pairs(ranking, rope=0.01).set_index(["first", "second"])
    assert pairs.loc[("low", "high"), "right"] > 0.99
    assert pairs.loc[("high", "same"), "rope"] == 1
    assert pairs.to_numpy().sum(axis=1) == pytest.approx(1)
    turned = bayes_pairs(rank_methods(table[["high", "low"]]), rope=0.01).iloc[0]
    assert turned["left"] == pairs.loc[("low", "high"), "right"]
    pd.testing.assert_frame_equal(bayes_pairs(ranking, seed=5), bayes_pairs(ranking, seed=5))


def test_a_difference_of_exactly_the_region_is_inside():
    table = pd.DataFrame({"a": [0.58] * 5, "b": [0.57] * 5})
    assert (table["a"] - table["b"]).iloc[0] > 0.01
    for names in (["a", "b"], ["b", "a"]):
        found = bayes_pairs(rank_methods(table[names]), rope=0.01, samples=50)
        assert found.iloc[0]["rope"] == 1


@pytest.mark.parametrize("wrong", [{"rope": -0.1}, {"rope": math.nan}, {"prior": 0}])
def test_bayes_refuses_what_makes_no_sense(wrong):
    with pytest.raises(RecocoError, match="strength above 0"):
        bayes_pairs(rank_methods(_scores(3, 2, 0)), **wrong)
