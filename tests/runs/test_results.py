"""What a method returns is checked before it is stored."""

import numpy as np
import pytest

from recoco.methods.base import Runs
from recoco.runs.results import MethodFailed, check_runs, fit_checked


def runs(**changes) -> Runs:
    good = {
        "row_labels": np.zeros((2, 5), np.int16),
        "column_labels": np.zeros((2, 4), np.int16),
        "criterion": np.zeros(2),
        "n_iter": np.ones(2, np.int32),
        "details": {"start": np.zeros(2)},
    }
    return Runs(**{**good, **changes})


def test_good_runs_pass():
    check_runs(runs(), 2, 5, 4)
    check_runs(runs(column_labels=None), 2, 5, 4)
    check_runs(runs(), 2, None, None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"row_labels": np.zeros(5, int)}, "row_labels is int64 of shape (5,)"),
        ({"row_labels": np.zeros((2, 6), int)}, "not whole numbers of shape (2, 5)"),
        ({"row_labels": np.full((2, 5), 0.5)}, "row_labels is float64"),
        ({"row_labels": np.full((2, 5), -1)}, "the label -1"),
        ({"row_labels": None}, "without row_labels"),
        ({"column_labels": np.zeros((1, 4), int)}, "column_labels is int64 of shape (1, 4)"),
        ({"criterion": np.zeros((2, 1))}, "criterion is float64 of shape (2, 1)"),
        ({"criterion": ["a", "b"]}, "criterion is"),
        ({"n_iter": 3}, "n_iter is"),
        ({"details": {"start": np.zeros(3)}}, "the detail start"),
        ({"details": {"start": 1.0}}, "the detail start"),
    ],
)
def test_wrong_results_are_refused(changes, said):
    with pytest.raises(MethodFailed) as caught:
        check_runs(runs(**changes), 2, 5, 4)
    assert said in str(caught.value)


def test_any_error_of_a_method_has_a_reason():
    class Method:
        def fit_runs(self, X, seeds):
            return X.no_such

    with pytest.raises(MethodFailed, match=r"AttributeError: .*no_such"):
        fit_checked(Method(), np.ones((2, 2)), [1])
