"""Planted models have the structure that was asked for."""

import numpy as np
import pytest

from recoco.core.errors import RecocoError
from recoco.datasets import planted


def outside(dataset, view=0):
    """Share of the mass outside the planted diagonal blocks."""
    coo = dataset.views[view].tocoo()
    columns = np.array(dataset.meta["column_labels"][view])
    off = dataset.labels[coo.row] != columns[coo.col]
    return coo.data[off].sum() / coo.data.sum()


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("density", [0.02, 0.15])
def test_density_and_noise_are_those_asked_for(noise, density):
    made = planted(600, 400, 4, density=density, noise=noise, sizes=[1, 2, 3, 4], seed=3)
    n, d = made.X.shape
    draws = made.X.sum()
    assert abs(outside(made) - noise) < 5 * np.sqrt(0.25 / draws)
    # the number of filled cells varies less than a binomial count
    assert abs(made.X.nnz / (n * d) - density) < 5 * np.sqrt(density / (n * d))
    assert np.all(made.X.data >= 1) and np.all(made.X.data == np.round(made.X.data))


def test_sizes_labels_and_shape():
    made = planted(100, 50, 3, sizes=[5, 3, 2], density=0.2, seed=0)
    assert made.X.shape == (100, 50) and made.n_classes == 3
    np.testing.assert_allclose(np.bincount(made.labels), [50, 30, 20], atol=1)
    tiny = planted(4, 4, 4, sizes=[1000, 1, 1, 1], density=0.5, noise=0.4, seed=0)
    assert np.bincount(tiny.labels).tolist() == [1, 1, 1, 1]


def test_same_seed_same_bytes_and_views_differ():
    one = planted(80, 60, 2, views=2, seed=5)
    two = planted(80, 60, 2, views=2, seed=5)
    other = planted(80, 60, 2, views=2, seed=6)
    for a, b in zip(one.views, two.views, strict=True):
        assert a.data.tobytes() == b.data.tobytes() and a.indices.tobytes() == b.indices.tobytes()
    assert (one.views[0] != one.views[1]).nnz and (one.views[0] != other.views[0]).nnz
    # adding a view leaves the first ones as they were
    assert (planted(80, 60, 2, views=1, seed=5).X != one.X).nnz == 0


def test_large_and_sparse_without_a_dense_array():
    made = planted(200_000, 100_000, 10, density=1e-6, noise=0.1, seed=1)  # dense: 149 GiB
    assert made.X.shape == (200_000, 100_000)
    assert abs(made.X.nnz / 20_000 - 1) < 0.05


@pytest.mark.parametrize(
    ("arguments", "options", "word"),
    [
        ((3, 10, 4), {}, "4 clusters"),
        ((10, 10, 0), {}, "0 clusters"),
        ((10, 10, 2), {"noise": 1.0}, "noise"),
        ((10, 10, 1), {"noise": 0.1}, "noise"),
        ((10, 10, 2), {"density": 0.0}, "density"),
        ((10, 10, 2), {"density": 0.9, "noise": 0.0}, "cannot be reached"),
        ((10, 10, 2), {"sizes": [1, 2, 3]}, "sizes"),
        ((10, 10, 2), {"sizes": [1, -1]}, "sizes"),
        ((10, 10, 2), {"views": 0}, "view"),
    ],
)
def test_impossible_models_are_refused(arguments, options, word):
    with pytest.raises(RecocoError, match=word):
        planted(*arguments, **options)
