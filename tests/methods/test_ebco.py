"""EBCO: its ensembles, its options, and what it is built from."""

import numba
import numpy as np
import pytest

from recoco.consensus.blocks import block_consensus
from recoco.core.errors import RecocoError
from recoco.methods.base import check_matrix, start_generator
from recoco.methods.ebco import BASES, EBCO, THRESHOLDS, base_numbers, make_bases
from recoco.metrics import accuracy
from recoco.metrics.coclusters import modularity
from support import twins

QUICK = {"largest": 6, "consensus_init": 3}


@pytest.fixture(scope="module")
def blocks():
    return twins.planted(np.random.default_rng(0))


@pytest.mark.parametrize("base", BASES)
def test_finds_planted_blocks_with_every_base(blocks, base):
    X, rows, columns = blocks
    # one start of CoClus or CROINFO may be poor: the best of three makes a base
    runs = EBCO(3, base=base, base_init=3, **QUICK).fit_runs(X, [0, 1])
    for z, w in zip(runs.row_labels, runs.column_labels, strict=True):
        assert accuracy(rows, z) > 0.98 and accuracy(columns, w) > 0.95
    assert (runs.details["bases"] == 5).all() and (runs.details["g_star"] == 3).all()
    assert (runs.details["emptied"] >= 0).all()


def test_is_the_consensus_of_its_bases(blocks):
    X, _, _ = blocks
    model = EBCO(3, random_state=7, **QUICK).fit(X)
    rng = start_generator(7, 0)
    A = check_matrix(X)
    (bases,) = make_bases(model, A, base_numbers(A, 2, 6), [rng])
    labels = [bases.labels(b) for b in range(5)]
    result = block_consensus(
        [z for z, _ in labels], [w for _, w in labels], 3, n_init=3, empty="allow", random_state=rng
    )
    assert (model.row_labels_ == result.row_labels).all()
    assert (model.column_labels_ == result.column_labels).all()
    assert model.criterion_ == result.criterion
    assert model.details_["modularity"] == result.modularity


def test_every_run_makes_its_own_bases(blocks):
    X = check_matrix(blocks[0])
    model = EBCO(3, **QUICK)
    rngs = [start_generator(seed, 0) for seed in (1, 2)]
    one, two = make_bases(model, X, [2, 3, 4], rngs)
    assert (one.by_row != two.by_row).any()
    (again,) = make_bases(model, X, [2, 3, 4], [start_generator(2, 0)])
    assert (again.by_row == two.by_row).all() and (again.by_column == two.by_column).all()


@pytest.mark.parametrize("matrix", ["M", "X"])
def test_number_of_co_clusters_is_chosen(blocks, matrix):
    X, rows, _ = blocks
    model = EBCO(choose=matrix, random_state=0, **QUICK).fit(X)
    assert model.details_["g_star"] == 3
    assert accuracy(rows, model.row_labels_) > 0.98
    assert model.rows_.shape == (3, X.shape[0]) and model.columns_.shape == (3, X.shape[1])


@pytest.mark.parametrize("matrix", ["M", "X"])
def test_threshold_leaves_bases_out(blocks, matrix):
    X, rows, _ = blocks
    complete = EBCO(3, **QUICK).fit_runs(X, [0])
    partial = EBCO(3, threshold=0.9, modularity_of=matrix, **QUICK).fit_runs(X, [0])
    assert complete.details["bases"][0] == 5 > partial.details["bases"][0] >= 1
    assert accuracy(rows, partial.row_labels[0]) > 0.98
    none = EBCO(3, threshold=0.0, modularity_of=matrix, **QUICK).fit_runs(X, [0])
    assert none.details["bases"][0] == 5
    assert (none.row_labels == complete.row_labels).all()


def test_threshold_is_a_share_of_the_largest_modularity(blocks):
    X, _, _ = blocks
    A = check_matrix(X)
    model = EBCO(3, threshold=0.9, modularity_of="X", random_state=3, **QUICK).fit(X)
    (bases,) = make_bases(model, A, [2, 3, 4, 5, 6], [start_generator(3, 0)])
    values = np.array([modularity(A, *bases.labels(b)) for b in range(5)])
    assert model.details_["bases"] == (values >= 0.9 * values.max()).sum()


def test_empty_lines_take_no_part(blocks):
    X, _, _ = blocks
    padded = np.zeros((X.shape[0] + 2, X.shape[1] + 3))
    padded[1:-1, 2:-1] = X
    bare, runs = EBCO(3, **QUICK).fit_runs(X, [1]), EBCO(3, **QUICK).fit_runs(padded, [1])
    assert (runs.row_labels[:, 1:-1] == bare.row_labels).all()
    assert (runs.column_labels[:, 2:-1] == bare.column_labels).all()
    assert (runs.column_labels[:, :2] == 0).all()


def test_threads_and_batches_change_no_byte(blocks):
    X, _, _ = blocks
    results = []
    before = numba.get_num_threads()
    try:
        for threads in range(1, numba.config.NUMBA_NUM_THREADS + 1):
            numba.set_num_threads(threads)
            for size in (1, 3):
                runs = EBCO(4, n_init=2, **QUICK).fit_runs(X, [5, 6], batch_size=size)
                parts = (runs.row_labels, runs.column_labels, runs.criterion)
                counts = (runs.details[name] for name in ("emptied", "modularity", "start"))
                results.append([part.tobytes() for part in (*parts, *counts)])
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"base": "cocluss"}, "coclus"),
        ({"smallest": 0}, "smallest"),
        ({"largest": 1}, "largest"),
        ({"base_init": 0}, "base_init"),
        ({"consensus_init": 0}, "consensus_init"),
        ({"stochastic": -1}, "stochastic"),
        ({"modularity_of": "Y"}, "modularity_of"),
        ({"choose": "Y"}, "choose"),
        ({"threshold": 1.5}, "keeps no base co-clustering"),
        ({"threshold": "high"}, "threshold"),
        ({"n_clusters": 4, "largest": 3}, "largest base co-clustering has 3"),
    ],
)
def test_refuses_bad_parameters(blocks, params, words):
    with pytest.raises(RecocoError, match=words):
        EBCO(**{"n_clusters": 2, "largest": 4, **params}).fit(blocks[0])


def test_tells_the_modularity_of_every_base(blocks):
    X, _, _ = blocks
    A = check_matrix(X)
    model = EBCO(3, random_state=3, **QUICK).fit(X)
    (bases,) = make_bases(model, A, [2, 3, 4, 5, 6], [start_generator(3, 0)])
    values = [modularity(A, *bases.labels(b)) for b in range(5)]
    assert model.details_["base_at"].tolist() == [2, 3, 4, 5, 6]
    assert model.details_["base_modularity"] == pytest.approx(values)
    assert model.details_["base_modularity_M"].shape == (5,)


def test_partial_collections_change_nothing_of_the_result(blocks):
    X, rows, _ = blocks
    plain = EBCO(3, **QUICK).fit_runs(X, [0, 1])
    runs = EBCO(3, also="thresholds", **QUICK).fit_runs(X, [0, 1])
    assert (runs.row_labels == plain.row_labels).all()
    parts, kept = runs.details["part_threshold"], runs.details["threshold_bases"]
    assert parts.shape == (2, len(THRESHOLDS), X.shape[0])
    assert (np.diff(kept, axis=1) >= 0).all() and (kept >= 1).all()
    assert (runs.details["threshold_smallest"] <= runs.details["threshold_largest"]).all()
    assert all(accuracy(rows, part) > 0.98 for part in parts[:, 3])


def test_both_choices_of_one_collection(blocks):
    X, _, _ = blocks
    on_M = EBCO(choose="M", also="choice", most=4, **QUICK).fit_runs(X, [0])
    assert on_M.details["tried_at"][0].tolist() == [2, 3, 4]
    on_X = EBCO(choose="X", most=4, **QUICK).fit_runs(X, [0])
    assert accuracy(on_X.row_labels[0], on_M.details["part_other"][0]) == 1
    best = on_M.details["tried"][0].argmax()
    assert on_M.details["tried_at"][0][best] == on_X.details["g_star"][0]


def test_fewer_starts_while_choosing(blocks):
    X, rows, _ = blocks
    run = EBCO(choose="M", choose_init=1, **QUICK).fit_runs(X, [0])
    assert run.details["g_star"][0] == 3 and accuracy(rows, run.row_labels[0]) > 0.98


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"also": "all"}, "also is 'all'"),
        ({"also": "choice"}, "ask for thresholds"),
        ({"also": "thresholds", "choose": "M"}, "ask for thresholds"),
        ({"most": 1}, "most"),
        ({"choose_init": 0}, "choose_init"),
    ],
)
def test_refuses_what_does_not_go_together(blocks, params, words):
    with pytest.raises(RecocoError, match=words):
        EBCO(**{"n_clusters": 2, "largest": 4, **params}).fit(blocks[0])
