"""Block consensus on factors against Algorithm 1 on the dense consensus matrix."""

import itertools
import tracemalloc
from inspect import signature

import numba
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recoco.consensus.bases import check_bases
from recoco.consensus.blocks import (
    base_modularities,
    block_consensus,
    consensus_matrix,
    consensus_modularity,
    ensemble_clustering,
)
from recoco.core.errors import RecocoError
from recoco.kernels import bundles
from recoco.kernels import ebco as kernel
from recoco.kernels.dcc import uniform
from recoco.methods import get_method
from recoco.methods.checks import check_matrix
from recoco.methods.ebco import EBCO
from recoco.metrics import accuracy, canonical
from support import twins, twins_ebco

generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def random_bases(rng, n, d, numbers):
    """Co-clusterings in which every co-cluster has rows and columns."""
    rows = [rng.permutation(np.r_[np.arange(k), rng.integers(k, size=n - k)]) for k in numbers]
    columns = [rng.permutation(np.r_[np.arange(k), rng.integers(k, size=d - k)]) for k in numbers]
    return rows, columns


def planted_bases(rng, n=120, d=90, numbers=(2, 3, 3, 4, 5, 6, 3)):
    rows, columns = np.arange(n) % 3, np.arange(d) % 3
    return (
        rows,
        columns,
        twins_ebco.noisy_partitions(rng, rows, numbers),
        twins_ebco.noisy_partitions(rng, columns, numbers),
    )


@settings(max_examples=60, deadline=None)
@given(generators, st.integers(8, 30), st.integers(8, 30), st.integers(1, 4), st.integers(0, 6))
def test_agrees_with_the_dense_matrix(rng, n, d, g, stochastic):
    rows, columns = random_bases(rng, n, d, (4, 5, 6, 7))
    M = twins_ebco.consensus_matrix(rows, columns)
    bases = check_bases(rows, columns)
    assert consensus_matrix(bases) == pytest.approx(M)
    z, w = rng.integers(g, size=n), rng.integers(g, size=d)
    stream = int(rng.integers(2**63))
    steps = list(twins_ebco.conscience(M, z, w, g, stream, 8, stochastic))
    for t in (1, 4, 8):
        equal, lead = twins_ebco.best_iterates(steps[:t])
        assume(lead > 1e-9)
        found_z, found_w = z.astype(np.int16)[None].copy(), w.astype(np.int16)[None].copy()
        history = np.full((1, t), -np.inf)
        n_iter, emptied = kernel.consensus(
            bases.by_row,
            bases.by_column,
            bases.weights,
            np.array([stream], np.uint64),
            (g, t, stochastic),
            0.0,
            found_z,
            found_w,
            history,
        )
        kept = n_iter[0] - 1
        assert kept in equal
        assert (found_z[0] == steps[kept][0]).all() and (found_w[0] == steps[kept][1]).all()
        expected = [step[2] for step in steps[: kept + 1]]
        assert history[0, : kept + 1] == pytest.approx(expected, rel=1e-12)
        assert (history[0, :kept] < history[0, kept]).all()  # the first of equals
        if t <= stochastic + 1:  # a start that ends early refills no more
            assert emptied[0] == sum(step[4] for step in steps[:t])


@settings(max_examples=40, deadline=None)
@given(generators, st.integers(4, 20), st.integers(4, 20), st.integers(1, 5))
def test_modularity_on_the_factors(rng, n, d, g):
    rows, columns = random_bases(rng, n, d, (2, 3, 4))
    M = twins_ebco.consensus_matrix(rows, columns)
    z, w = rng.integers(g, size=n), rng.integers(g, size=d)
    found = consensus_modularity(check_bases(rows, columns), z, w)
    assert found == pytest.approx(twins.modularity(M, z, w, g), abs=1e-12)


def test_fuses_noisy_co_clusterings():
    rng = np.random.default_rng(0)
    rows, columns, z, w = planted_bases(rng)
    result = block_consensus(z, w, 3, random_state=0)
    assert accuracy(rows, result.row_labels) > 0.98
    assert accuracy(columns, result.column_labels) > 0.98
    assert result.criterion == result.history[-1] == result.history.max()
    M = twins_ebco.consensus_matrix(z, w)
    Z, W = (twins_ebco.scaled(v, 3) for v in (result.row_labels, result.column_labels))
    assert result.criterion == pytest.approx(np.trace(Z.T @ M @ W), rel=1e-12)
    # ||M - Q||^2 = ||M||^2 + g - 2 Trace, eq. 6
    loss = ((M - Z @ W.T) ** 2).sum()
    assert loss == pytest.approx((M**2).sum() + 3 - 2 * result.criterion)


def test_number_of_co_clusters_is_found():
    _, _, z, w = planted_bases(np.random.default_rng(1))
    result = block_consensus(z, w, "auto", n_init=3, random_state=0)
    assert result.n_clusters == 3
    assert sorted(result.tried) == [2, 3, 4, 5, 6]
    assert max(result.tried, key=result.tried.get) == 3
    assert result.tried[3] == result.modularity
    assert sorted(block_consensus(z, w, "auto", n_init=1, largest=4).tried) == [2, 3, 4]


def test_threshold_keeps_what_is_near_the_largest_modularity():
    rng = np.random.default_rng(2)
    _, _, z, w = planted_bases(rng)
    z.append(rng.integers(3, size=120))  # a base that knows nothing
    w.append(rng.integers(3, size=90))
    values = base_modularities(check_bases(z, w))
    for threshold in (0.5, 0.8, 1.0):
        result = block_consensus(
            z, w, 3, threshold=threshold, modularity_of="M", n_init=1, random_state=0
        )
        assert result.base_modularity == pytest.approx(values)
        assert result.kept.tolist() == np.flatnonzero(values >= threshold * values.max()).tolist()
        assert 7 not in result.kept
    M = twins_ebco.consensus_matrix(z, w)
    assert values[4] == pytest.approx(twins.modularity(M, z[4], w[4], 5))
    # the others do not matter any more
    kept = block_consensus(z, w, 3, threshold=0.5, modularity_of="M", n_init=2, random_state=0)
    only = block_consensus(
        [z[b] for b in kept.kept], [w[b] for b in kept.kept], 3, n_init=2, random_state=0
    )
    assert (kept.row_labels == only.row_labels).all() and kept.criterion == only.criterion


def test_modularity_may_be_taken_on_the_data():
    X, _, _ = twins.planted(np.random.default_rng(3))
    coclus = get_method("coclus")
    runs = [coclus(k).fit_runs(X, [k]) for k in (2, 3, 3, 4)]
    z, w = [r.row_labels[0] for r in runs], [r.column_labels[0] for r in runs]
    result = block_consensus(z, w, 3, threshold=0.1, X=X, empty="allow")
    assert result.base_modularity == pytest.approx([r.criterion[0] for r in runs])


def test_parameters_mean_what_they_mean_in_ebco():
    """modularity_of is about the bases that are kept, choose about the number of co-clusters."""
    from recoco.metrics.coclusters import modularity

    assert signature(block_consensus).parameters["modularity_of"].default == EBCO().modularity_of
    X, _, _ = twins.planted(np.random.default_rng(3))
    coclus = get_method("coclus")
    runs = [coclus(k).fit_runs(X, [k]) for k in (2, 3, 3, 4)]
    z, w = [r.row_labels[0] for r in runs], [r.column_labels[0] for r in runs]
    quick = {"X": X, "empty": "allow", "n_init": 1, "random_state": 0}
    on_M = block_consensus(z, w, threshold=0.1, **quick)
    on_X = block_consensus(z, w, threshold=0.1, choose="X", **quick)
    assert (on_M.base_modularity == on_X.base_modularity).all()
    assert on_M.tried[on_M.n_clusters] == on_M.modularity
    best = on_X.tried[on_X.n_clusters]
    assert best == pytest.approx(modularity(check_matrix(X), on_X.row_labels, on_X.column_labels))
    assert on_X.row_labels.dtype == on_X.column_labels.dtype == np.int32


def test_any_methods_may_be_fused():
    X, rows, columns = twins.planted(np.random.default_rng(4), inside=1.5, outside=0.5)
    z, w = [], []
    for name in ("coclus", "specco", "spec"):
        for k in (2, 3, 4):
            runs = get_method(name)(k, n_init=3).fit_runs(X, [0])
            z.append(runs.row_labels[0])
            w.append(runs.column_labels[0])
    result = block_consensus(z, w, 3, empty="allow", random_state=0)
    assert accuracy(rows, result.row_labels) > 0.95
    assert accuracy(columns, result.column_labels) > 0.9


def test_names_of_base_clusters_mean_nothing():
    rng = np.random.default_rng(5)
    _, _, z, w = planted_bases(rng)
    names = [rng.permutation(k + 3)[:k] for k in (2, 3, 3, 4, 5, 6, 3)]
    a = block_consensus(z, w, 3, random_state=1)
    b = block_consensus(
        [name[labels] for name, labels in zip(names, z, strict=True)],
        [name[labels] for name, labels in zip(names, w, strict=True)],
        3,
        random_state=1,
    )
    # starts that end in one partition under other names differ in rounding only
    assert (canonical(a.row_labels) == canonical(b.row_labels)).all()
    assert a.criterion == pytest.approx(b.criterion, rel=1e-12)


def test_threads_change_no_byte():
    rng = np.random.default_rng(6)
    rows, columns = random_bases(rng, 700, 500, range(2, 12))
    before = numba.get_num_threads()
    results = []
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            found = block_consensus(rows, columns, 5, n_init=6, max_iter=12, random_state=0)
            results.append(
                (found.row_labels.tobytes(), found.column_labels.tobytes(), found.criterion)
            )
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


def test_memory_does_not_grow_with_rows_times_columns():
    rng = np.random.default_rng(7)
    rows, columns = random_bases(rng, 20_000, 20_000, (3, 4, 5))  # M would need 3.2 GB
    block_consensus(rows, columns, 2, n_init=1, max_iter=2, stochastic=1)
    tracemalloc.start()
    block_consensus(rows, columns, 3, n_init=2, max_iter=3, stochastic=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def one_sided(partitions, g, exact, seed, max_iter=30):
    bases = check_bases(partitions, partitions)
    labels = np.random.default_rng(seed).integers(g, size=partitions[0].size).astype(np.int16)
    history = np.full(max_iter, -np.inf)
    n_iter, emptied = kernel.one_sided(
        bases.by_row, bases.weights, (g, max_iter), exact, 0.0, labels, history
    )
    return labels, history[np.isfinite(history)], n_iter, emptied


@settings(max_examples=50, deadline=None)
@given(generators, st.integers(6, 40), st.integers(1, 5))
def test_one_sided_criterion(rng, n, g):
    partitions = [
        rng.permutation(np.r_[np.arange(k), rng.integers(k, size=n - k)]) for k in (2, 3, 5)
    ]
    S = twins_ebco.consensus_matrix(partitions, partitions)
    for exact in (False, True):
        labels, history, n_iter, emptied = one_sided(partitions, g, exact, int(rng.integers(99)))
        Z = twins_ebco.scaled(labels, g)
        assert history[n_iter - 1] == history.max()
        assert history[n_iter - 1] == pytest.approx(np.trace(Z.T @ S @ Z), rel=1e-12)
        if exact and emptied == 0:  # a step of k-means cannot lower it
            assert (np.diff(history) >= -1e-12).all()


@pytest.mark.parametrize("update", ["average", "kmeans"])
def test_one_sided_consensus(update):
    rng = np.random.default_rng(8)
    truth = np.arange(150) % 3
    partitions = twins_ebco.noisy_partitions(rng, truth, (3, 3, 4, 5, 6, 3, 4))
    labels, criterion = ensemble_clustering(partitions, 3, update=update, random_state=0)
    assert accuracy(truth, labels) > 0.98
    assert max(accuracy(truth, p) for p in partitions) < 0.95
    order = rng.permutation(150)
    again, same = ensemble_clustering([p[order] for p in partitions], 3, update=update)
    assert accuracy(labels[order], again) > 0.98 and same == pytest.approx(criterion, rel=1e-2)


def test_refuses_bad_bases():
    z, w = [np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])], [np.array([0, 1, 1]), np.arange(3)]

    def refused(words, rows=z, columns=w, g=2, **options):
        with pytest.raises(RecocoError, match=words):
            block_consensus(rows, columns, g, **options)

    refused("number 1 has 3 labels, the first has 4", rows=[z[0], z[1][:3]])
    refused("same objects", columns=[w[0], np.zeros(5, int)])
    refused("2 partitions of the rows and 1 of the columns", columns=w[:1])
    refused("at least one", rows=[], columns=[])
    refused("one whole number per object", rows=[z[0], z[1] / 2])
    refused("negative", rows=[z[0], z[1] - 1])
    refused("has no columns: leave", columns=[w[0], np.array([0, 1, 1])])
    refused("has no rows: leave", rows=[z[0], np.array([0, 1, 1, 0])])
    refused("no base co-clustering has more than 3", g=4)
    refused("no base co-clustering has more than 3", g="auto", largest=5)
    refused("give a whole number or auto", g="many")
    refused("n_clusters", g=0)
    refused("keeps no base co-clustering", threshold=1.5, modularity_of="M")
    refused("modularity_of", modularity_of="Y")
    refused("choose is 'Y'", choose="Y")
    refused("modularity_of is 'X' but .*pass X", threshold=0.5)
    refused("choose is 'X' but .*pass X", g="auto", choose="X")
    refused("matrix that was co-clustered", modularity_of="X", X=np.ones((3, 3)))
    refused("refuse, allow", empty="drop")
    assert block_consensus(z, [w[0], np.array([0, 1, 1])], 2, empty="allow").row_labels.size == 4


def test_refuses_bad_partitions():
    good = np.array([0, 1, 1, 0])
    with pytest.raises(RecocoError, match="number 1 has 3 labels"):
        ensemble_clustering([good, good[:3]], 2)
    with pytest.raises(RecocoError, match="average, kmeans"):
        ensemble_clustering([good], 2, update="median")
    with pytest.raises(RecocoError, match="at most 4"):
        ensemble_clustering([good], 5)


def lines_of(rng, n, rooms):
    """Base clusters of n lines, numbered through, many lines alike."""
    labels = np.stack([rng.integers(room, size=n) for room in rooms], axis=1)
    labels = labels[rng.integers(max(1, n // 2), size=n)]
    return (labels + np.r_[0, np.cumsum(rooms)[:-1]]).astype(np.int32)


@settings(max_examples=80, deadline=None)
@given(
    generators,
    st.integers(1, 60),
    st.lists(st.integers(1, 6), min_size=1, max_size=9),
    st.integers(1, 19),
    st.integers(0, 40),
    st.sampled_from(["random", "ties", "zeros", "tiny"]),
    st.booleans(),
)
def test_bundles_give_the_labels_of_the_plain_scores(rng, n, rooms, g, most, kind, drawn):
    clusters = lines_of(rng, n, rooms)
    table = rng.random((sum(rooms), g))
    if kind == "ties":  # equal scores, and equal up to rounding
        table = rng.integers(3, size=table.shape) * 0.1
    elif kind == "zeros":
        table[rng.random(table.shape) < 0.9] = 0.0
    elif kind == "tiny":  # a cluster of large scores leaves few steps for the others
        table *= 10.0 ** rng.integers(-14, 1, size=(len(table), 1))
    tied = bundles.tie(clusters, most)
    labels = rng.integers(g, size=n).astype(np.int16)
    before, sizes = labels.copy(), np.zeros(g, np.int64)
    cells = bundles.new_cells(tied[3], g)
    seed, place = np.uint64(rng.integers(2**63)), np.uint64(7)
    moves = bundles.assign(clusters, tied, table, drawn, seed, place, labels, sizes, cells)
    scores = np.empty(g)
    shares = [uniform(seed, place + np.uint64(i)) for i in range(n)]
    plain = [
        bundles.choose(clusters, i, table, np.zeros(g), drawn, shares[i], scores) for i in range(n)
    ]
    assert labels.tolist() == plain
    assert moves == (before != labels).sum()
    assert sizes.tolist() == np.bincount(labels, minlength=g).tolist()
    counts, expected = np.zeros((2, len(table), g), np.int64)
    bundles.count_members(tied[3], cells, counts)
    kernel.count_pairs(clusters, labels, expected)
    assert (counts == expected).all()


@settings(max_examples=60, deadline=None)
@given(generators, st.integers(1, 60), st.lists(st.integers(1, 6), min_size=1, max_size=9))
def test_bundles_hold_every_line_once(rng, n, rooms):
    clusters = lines_of(rng, n, rooms)
    order, ends, codes, members = bundles.tie(clusters, 12)
    assert sorted(order) == list(range(n))
    assert len(codes) == len(np.unique(clusters, axis=0))
    for group, (first, last) in enumerate(itertools.pairwise(ends)):
        own = np.concatenate([members[c][members[c] >= 0] for c in codes[group]])
        assert (clusters[order[first:last]] == own).all()


@settings(max_examples=40, deadline=None)
@given(generators, st.integers(8, 24), st.integers(8, 24), st.integers(2, 5))
def test_a_cycle_ends_a_start_as_all_iterations_would(rng, n, d, g):
    rows, columns = random_bases(rng, n, d, (4, 5, 6, 7))
    bases = check_bases(rows, columns)
    z, w = rng.integers(g, size=n).astype(np.int16), rng.integers(g, size=d).astype(np.int16)
    M = twins_ebco.consensus_matrix(rows, columns)
    steps = list(twins_ebco.conscience(M, z, w, g, 0, 60, 0))
    equal, lead = twins_ebco.best_iterates(steps)
    assume(lead > 1e-9)
    found, history = (z[None].copy(), w[None].copy()), np.full((1, 60), -np.inf)
    n_iter, emptied = kernel.consensus(
        bases.by_row,
        bases.by_column,
        bases.weights,
        np.zeros(1, np.uint64),
        (g, 60, 0),
        0.0,
        *found,
        history,
    )
    kept = n_iter[0] - 1
    assert kept in equal and (history[0, :kept] < history[0, kept]).all()  # the first of equals
    assert (found[0][0] == steps[kept][0]).all() and (found[1][0] == steps[kept][1]).all()
    still = [t for t in range(2, 60) if all((steps[t][q] == steps[t - 1][q]).all() for q in (0, 1))]
    if not still:  # it ends by a cycle or not at all, and all refills count
        assert emptied[0] == sum(step[4] for step in steps)
