"""Claims are answered by the numbers, and by nothing else."""

import numpy as np
import pytest

from recoco.compare.claims.wcnmtf import OURS, PLAIN
from recoco.plan import Combination
from support.claims import FakeTable, check, tried


def scores(**gains):
    """NMTF at 0.5 everywhere and WC-NMTF at that plus the gain of the dataset."""
    table = {}
    for dataset, (nmi, ari) in gains.items():
        table[dataset, PLAIN, "nmi"] = table[dataset, PLAIN, "ari"] = 0.5
        table[dataset, OURS, "nmi"] = 0.5 + nmi
        table[dataset, OURS, "ari"] = 0.5 + ari
    return table


def test_best_everywhere_and_the_term_alone():
    table = FakeTable(scores(CSTR=(0.1, 0.2), NG20=(0.1, 0.1)))
    assert check("wcnmtf", "W1", table)[0] == check("wcnmtf", "W2", table)[0] == "holds"
    outcome, numbers = check("wcnmtf", "W1", FakeTable(scores(A=(-0.1, 0.2), B=(-0.1, -0.1))))
    assert outcome == "fails" and "1 of 4" in numbers and "NMTF by 0.100 on A NMI" in numbers


def test_a_tie_for_the_best_holds():
    table = FakeTable(scores(CSTR=(0.0, 0.0)))
    table.item["methods"] = {PLAIN: PLAIN, OURS: OURS}  # the rival comes first
    assert check("wcnmtf", "W1", table)[0] == "holds"


def test_a_claim_about_a_table_without_choices():
    table = FakeTable(scores(CSTR=(0.1, 0.2)))
    table.as_printed = table.best = Combination((), "as printed", True)
    outcome, evidence = tried("wcnmtf", "W1", table)
    assert outcome == "holds" and evidence.startswith("Measured: WC-NMTF has the best mean")


def test_gain_and_vocabulary_size():
    gains = scores(CSTR=(0.2, 0.2), NG20=(0.1, 0.2), TREC=(0.15, 0.05))
    table = FakeTable(gains, sizes={"CSTR": 10, "NG20": 20, "TREC": 90})
    outcome, numbers = check("wcnmtf", "W3", table)
    assert outcome == "partly"  # apart for ARI, not for NMI
    assert "-0.50" in numbers


def words(value, *pairs):
    return [
        {"dataset": d, "column_clusters": 4, "method": method, "corpus": "news"}
        | {value: x, "pmi_seen": x}
        for d, plain, ours in pairs
        for method, x in ((PLAIN, plain), (OURS, ours))
    ]


@pytest.mark.parametrize(
    ("name", "frame", "value"), [("W4", "coherence", "pmi"), ("W7", "cosines", "median")]
)
def test_words_come_closer(name, frame, value):
    better = {frame: words(value, ("A", 1.0, 2.0), ("B", 1.0, 3.0))}
    assert check("wcnmtf", name, FakeTable({}, better))[0] == "holds"
    worse = {frame: words(value, ("A", 2.0, 1.0), ("B", 3.0, 1.0))}
    assert check("wcnmtf", name, FakeTable({}, worse))[0] == "fails"
    assert check("wcnmtf", name, FakeTable({}))[0] == "open"


def curve(parameter, **values):
    return [
        {
            "item": "f",
            "dataset": "A",
            "metric": "nmi",
            "parameter": parameter,
            "value": x,
            "measured": y,
        }
        for x, y in values["points"].items()
    ]


def test_lambda():
    flat = {0: 0.3, 0.0001: 0.4, 0.01: 0.6, 1: 0.61, 1000: 0.6}
    assert check("wcnmtf", "W5", FakeTable({}, {"sweeps": curve("lam", points=flat)}))[0] == "holds"
    falling = {0.0001: 0.7, 0.01: 0.6, 1: 0.5, 1000: 0.2}
    table = FakeTable({}, {"sweeps": curve("lam", points=falling)})
    assert check("wcnmtf", "W5", table)[0] == "fails"


def test_number_of_word_clusters():
    falling = {4: 0.7, 50: 0.6, 300: 0.65}
    table = FakeTable({}, {"sweeps": curve("n_column_clusters", points=falling)})
    outcome, numbers = check("wcnmtf", "W6", table)
    assert outcome == "holds" and "+0.050" in numbers


def test_a_claim_that_needs_another_reading_holds_partly():
    table = FakeTable(scores(A=(-0.1, -0.1)))
    other = Combination((("selection", "best-of-n"),), "best of n", False)
    table.best = other
    plain = table.values
    table.values = lambda d, w, m, metric, c=None: (
        np.full(2, 0.9 if m == OURS else 0.1) if c is other else plain(d, w, m, metric)
    )
    outcome, evidence = tried("wcnmtf", "W1", table)
    assert outcome == "partly" and "best-of-n" in evidence


def test_claims_without_data_are_open():
    table = FakeTable({})
    for name in ("W1", "W2", "W3"):
        assert tried("wcnmtf", name, table)[0] == "open"
