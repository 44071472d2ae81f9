"""The block models as the tests use them."""

import numpy as np

from recoco.methods.block_models import DCSBM, PLBM, PSBM, SPLBM
from recoco.methods.tsplbm import TSPLBM

SEEDS = [3, 2**127 + 1, 5]
MODELS = {
    "psbm": PSBM(3, hard_steps=3),
    "dcsbm": DCSBM(3),
    "plbm": PLBM(3, hard_steps=3),
    "plbm-cem": PLBM(3, em="classification"),
    "splbm": SPLBM(3, hard_steps=3),
    "splbm-printed": SPLBM(3, e_step="printed", hard_steps=3),
    "tsplbm": TSPLBM(3, hard_steps=3),
    "tsplbm-printed": TSPLBM(3, e_step="printed", hard_steps=3),
}
# the same on matrices whose rows and columns are different things
SIDED = {
    "plbm": PLBM(3, symmetric=False, hard_steps=3),
    "plbm-cem": PLBM(3, em="classification", symmetric=False),
    "splbm": SPLBM(3, symmetric=False, hard_steps=3),
}


def of(model, X):
    return X if model.views == "many" else X[0]


def same(a, b):
    assert a.row_labels.tobytes() == b.row_labels.tobytes()
    assert (a.column_labels is None) == (b.column_labels is None)
    if a.column_labels is not None:
        assert a.column_labels.tobytes() == b.column_labels.tobytes()
    assert a.criterion.tobytes() == b.criterion.tobytes()
    assert a.n_iter.tobytes() == b.n_iter.tobytes()
    for history, other in zip(a.histories, b.histories, strict=True):
        assert history.tobytes() == other.tobytes()


def steps_back(history):
    """Largest fall of a history as a share of its size."""
    return (-np.diff(history)).max(initial=0.0) / max(abs(history[0]), 1.0)
