"""Verdicts, measures and the printed cells."""

import itertools

import numpy as np
import pandas as pd
import pytest

from recoco.compare.answers import (
    Answer,
    Printed,
    answer_number,
    answer_pvalue,
    runs_needed,
)
from recoco.compare.measures import Measure, measure, welch
from recoco.compare.paper import own_runs
from recoco.compare.published import printed_cells
from recoco.compare.verdicts import COMPARED, VERDICTS, verdict
from recoco.config import load_config
from recoco.config.papers import all_papers
from recoco.core.errors import RecocoError
from recoco.items.characteristics import compare_characteristics
from recoco.items.example import compute_example
from support.projects import CHECKOUT

PAPERS = all_papers(CHECKOUT / "config")


def test_every_printed_cell_has_its_own_name():
    table = printed_cells(PAPERS.values())
    brackets = table["metric"].str.endswith("_best")
    assert len(table[~brackets]) == 647
    assert table["cell"].is_unique
    coclus = table[(table["paper"] == "coclus") & (table["item"] == "table2")]
    assert len(coclus) == 180


def test_a_paper_may_print_no_cell():
    table = printed_cells([PAPERS["benchmark"]])
    assert table.empty and "cell" in table.columns


def test_measure_of_a_mean():
    values = np.random.default_rng(0).normal(0.5, 0.1, 100)
    found = measure(values, "mean", 1000, 1, "test")
    assert found.value == pytest.approx(values.mean())
    assert found.sd == pytest.approx(values.std(ddof=1))
    # The bootstrap interval of a mean is close to the normal one.
    assert found.half_interval == pytest.approx(1.96 * found.sd / 10, rel=0.15)
    assert measure(values, "mean", 1000, 1, "test") == found


def test_measure_of_the_best():
    found = measure(np.array([0.2, 0.9, 0.4]), "best", 200, 1, "test")
    assert found.value == 0.9 and found.sd is None


def test_a_figure_in_brackets_is_a_cell_of_its_own():
    table = printed_cells(PAPERS.values()).set_index("cell")
    mean = table.loc["wcnmtf:table2:CSTR:tfidf-l2:GNMF:nmi"]
    bracket = table.loc["wcnmtf:table2:CSTR:tfidf-l2:GNMF:nmi_best"]
    assert (mean["value"], mean["sd"]) == ("0.57", "0.08")
    assert (bracket["value"], bracket["sd"]) == ("0.42", "")
    brackets = table[table["metric"].str.endswith("_best")]
    assert len(brackets) == 90 and set(brackets["paper"]) == {"wcnmtf"}


def test_measure_by_the_criterion():
    scores, criterion = np.array([0.2, 0.9, 0.4, 0.5]), np.array([3.0, 2.0, 1.0, 4.0])
    lowest = measure(scores, "criterion", 200, 1, "test", criterion)
    assert lowest.value == 0.4 and lowest.sd is None
    pairs = [list(pair) for pair in itertools.combinations(range(4), 2)]
    drawn = [scores[pair][np.argmin(criterion[pair])] for pair in pairs]
    of_two = measure(scores, "best-of", 200, 1, "test", criterion, best_of=2)
    assert of_two.value == pytest.approx(np.mean(drawn))
    # To the spread of a result comes what is not known of the mean.
    assert of_two.sd == pytest.approx(np.hypot(np.std(drawn), of_two.error))
    # The best of all there are is the run with the lowest criterion; there are no more.
    assert measure(scores, "best-of", 200, 1, "test", criterion, best_of=4).value == 0.4
    with pytest.raises(RecocoError, match="best of 9 starts"):
        measure(scores, "best-of", 200, 1, "test", criterion, best_of=9)
    one = measure(scores, "best-of", 200, 1, "test", criterion, best_of=1)
    assert one.value == pytest.approx(scores.mean())


def test_the_criterion_decides_among_resampled_runs_too():
    # The run with the lowest criterion is drawn in 1 - (1 - 1/n)^n of the resamples.
    scores, criterion = np.arange(10) / 10, np.arange(10.0)
    found = measure(scores, "criterion", 4000, 1, "test", criterion)
    assert found.low == 0.0 and 0.2 <= found.high <= 0.4


def test_welch_without_variance():
    same, other = np.full(5, 0.3), np.full(5, 0.4)
    assert welch(same, same) == (1.0, 0.0)
    p, difference = welch(same, other)
    assert p == 0.0 and difference == pytest.approx(0.1)


def test_welch_against_scipy():
    from scipy import stats

    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 30), rng.normal(0.5, 2, 40)
    assert welch(a, b)[0] == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)


def answer(value, printed, sd="", half=0.0, runs=25, n=10, **rest):
    number = Printed.of(printed, sd, runs)
    ours = Measure(value, 0.0, value - half, value + half, n)
    return answer_number(number, ours, number.tolerance(0.02), **rest)


@pytest.mark.parametrize(
    ("value", "printed", "sd", "half", "outcome"),
    [
        (0.92, "0.90", "", 0.0, "reproduced"),  # on the floor
        (0.921, "0.90", "", 0.0, "higher"),
        (0.879, "0.9", "", 0.0, "reproduced"),  # rounded to one digit
        (0.85, "0.90", "0.1", 0.01, "lower"),  # 1.96 x 0.1 / 5 and the rounding
        (0.858, "0.90", "0.1", 0.0, "reproduced"),
        (0.85, "0.90", "0.01", 0.06, "undecided"),  # our own interval is no excuse
        (0.90, "0.90", "0.01", 0.06, "undecided"),
        (0.90, "0.90", "0.01", 0.015, "reproduced"),
        (0.80, "0.90", "0.01", 0.06, "lower"),
        (0.917, "0.90", "", 0.01, "reproduced"),  # precise: our number decides
    ],
)
def test_tolerance_comes_from_the_print_alone(value, printed, sd, half, outcome):
    assert answer(value, printed, sd, half).outcome == outcome


def test_the_number_of_runs_of_the_paper_matters():
    assert Printed.of("0.90", "0.1", 100).tolerance() == pytest.approx(0.005 + 0.0196)
    assert Printed.of("0.90", "0.1", None).tolerance() == pytest.approx(0.005)
    assert Printed.of("12").tolerance() == 0.5


def test_an_undecided_number_says_how_many_runs_would_decide():
    undecided = answer(0.89, "0.90", half=0.04, n=10)
    assert undecided.undecided and "about 160 runs would decide" in undecided.why
    # The arms of an interval of a single run are of different lengths: there are never too few.
    skewed = Measure(0.9, 0.0, 0.80, 0.905, 50)
    assert runs_needed(skewed, 0.9, 0.02, 0.01) > 50
    assert "one run says nothing" in answer(0.9, "0.90", n=1).why
    assert answer(0.9, "0.90", n=1).outcome == "undecided"


def test_close():
    near = answer(0.85, "0.90", "0.06", runs=100)
    assert near.outcome == "lower" and "printed standard deviation of 0.06" in near.close
    assert not answer(0.83, "0.90", "0.06", runs=100).close
    assert answer(0.5, "0.90", close="inside our runs").close == "inside our runs"


def test_pvalues_are_judged_by_conclusion_and_direction():
    assert answer_pvalue(0.001, True, 1e-5, True, 100).within
    assert not answer_pvalue(0.001, True, 0.01, True, 100).within
    assert not answer_pvalue(0.001, True, 1e-5, False, 100).within
    assert answer_pvalue(0.43, False, 0.2, True, 100).within
    other = answer_pvalue(0.43, False, 4e-33, False, 100)
    assert not other.within and "another conclusion" in other.why
    assert "the other way round" in other.why


def test_the_first_verdict_that_applies_counts():
    good = Answer("ok", within=True, why="a")
    bad = Answer("ok", side="lower", why="b")
    open_ = Answer("ok", undecided=True, why="c")

    def said(*args, **rest):
        return verdict(*args, **rest)[0]

    assert said(good, bad) == "reproduced"
    assert said(bad, good) == "explained" and said(bad, good, out_of_sample=False) == "fits"
    assert said(bad, bad) == said(bad) == said(bad, open_) == "lower"
    assert said(Answer("ok", side="higher", close="near"), bad) == "close"
    assert said(Answer("ok", side="higher")) == "higher"
    assert said(open_, good) == "undecided"
    assert said(good, misprint="no") == said(open_, misprint="no") == "misprint"
    assert said(good, variant="other matrix", misprint="no") == "variant"
    assert said(Answer("unreachable"), good, variant="other matrix") == "unreachable"
    assert said(Answer("timeout"), good) == "failed"
    assert said(Answer("not-run"), good) == "not-run"


def test_every_verdict_has_a_letter_and_a_colour_of_its_own():
    compared = [VERDICTS[key] for key in COMPARED]
    for values in ([v.letter for v in compared], [v.fill for v in compared]):
        assert len(set(values)) == len(values)


def test_worked_example_of_the_coclus_paper():
    values = compute_example(PAPERS["coclus"].examples["coclus_5x4"])
    assert values == pytest.approx({"initial": 0.16, "after_Z": 0.24, "after_W": 0.48})


def test_characteristics_to_the_printed_digit():
    record = {
        "status": "ok",
        "rows": 475,
        "columns": [1000],
        "classes": 4,
        "sparsity_percent": 96.5962,
        "balance": 0.4,
        "printed": {
            "p": {"documents": "475", "words": "1001", "sparsity_percent": "96.60", "balance": ""}
        },
    }
    rows = compare_characteristics("p", {"CSTR": "cstr"}, {"cstr": record})
    agrees = {row["characteristic"]: row["agrees"] for row in rows}
    assert agrees == {"documents": True, "words": False, "sparsity_percent": True}


def test_errata_have_evidence():
    errata = pd.DataFrame([row for paper in PAPERS.values() for row in paper.errata])
    assert len(errata) == 47
    assert errata["id"].is_unique and (errata["evidence"].str.len() > 20).all()
    assert set(errata["kind"]) <= {"misprint", "swap", "copy", "inconsistent", "claim"}


def test_a_paper_looks_at_its_own_number_of_runs_whoever_else_asks_for_more():
    config = load_config({"papers": ["coclus", "ebco"]})
    name = {"dataset": "cstr", "weighting": "tfidf-l2", "slug": "coclus"}
    scores = pd.DataFrame([{**name, "kind": "run", "run": run} for run in range(100)])
    medoid = pd.DataFrame([{**name, "kind": "medoid", "run": float("nan")}])
    scores = pd.concat([scores, medoid], ignore_index=True)
    for key in ("coclus", "ebco"):
        left = own_runs(config, key, scores)
        assert (left["kind"] == "medoid").sum() == 1
        assert (left["kind"] == "run").sum() == config.papers[key]["runs"]
    assert config.papers["ebco"]["runs"] < config.papers["coclus"]["runs"]
