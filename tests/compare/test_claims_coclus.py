"""The claims of the CoClus paper, and forms that only it uses."""

import numpy as np

from recoco.compare.claims import claim_rows
from support.claims import PRINTED, FakeTable, check, options_of


def table(coclus, specco, spec=0.1, spread=0.001):
    """Return a table whose methods have ten runs around these scores."""
    scores = {"Coclus": coclus, "SpecCo": specco, "Spec": spec}
    made = FakeTable({("A", m, metric): v for m, v in scores.items() for metric in ("acc", "nmi")})
    runs = np.linspace(-spread, spread, 10)
    made.values = lambda d, w, m, metric, c=None: scores[m] + runs
    made.figure = lambda d, w, m, metric, c=None: scores[m]
    return made


def test_significantly_better():
    outcome, text = check("coclus", "C1", table(0.9, 0.5))
    assert outcome == "holds" and "of 2 comparisons" in text and "(Welch, 5 %)" in text
    assert check("coclus", "C1", table(0.5, 0.9))[0] == "fails"
    outcome, text = check("coclus", "C1", table(0.9, 0.8, spread=0.5))
    assert outcome == "fails" and "neither in 2" in text


def test_order_of_three():
    assert check("coclus", "C2", table(0.9, 0.5, 0.1))[0] == "holds"
    outcome, text = check("coclus", "C2", table(0.9, 0.1, 0.5))
    assert outcome == "fails"  # one link of the chain is broken
    assert "Coclus above SpecCo in 1 of 1; mean NMI has SpecCo above Spec in 0 of 1" in text


def test_stability():
    assert check("coclus", "C3", table(0.9, 0.5, spread=0.01))[0] == "holds"
    outcome, text = check("coclus", "C3", table(0.9, 0.5, spread=0.3))
    assert outcome == "fails" and "0 of 1 situations" in text
    assert "between representations" not in text  # there is only one


def test_claims_without_data_are_open():
    for name in ("C1", "C2", "C3"):
        assert check("coclus", name, FakeTable())[0] == "open"


def test_a_claim_is_about_the_table_that_it_names():
    stable = {**options_of("coclus", "C3")}
    claims = {
        "A": {"claim": "a", "scope": "s", "check": stable},
        "B": {"claim": "b", "scope": "s", "check": {**stable, "item": "second"}},
        "C": {"claim": "c", "scope": "s"},
    }
    tables = {"first": table(0.9, 0.5, spread=0.01), "second": table(0.9, 0.5, spread=0.3)}
    rows = claim_rows(claims, tables)
    assert [(row["id"], row["outcome"]) for row in rows] == [
        ("A", "holds"),
        ("B", "fails"),
        ("C", "open"),
    ]
    assert rows[0]["evidence"].startswith(f"As printed ({PRINTED.options[0][1]})")
