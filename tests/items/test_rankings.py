"""Figure 12 of the CoStar paper, recomputed from the values that it prints, and from ours."""

from pathlib import Path

import pandas as pd
import pytest

from recoco.compare.published import printed_cells
from recoco.compare.ranks import rank_methods
from recoco.config.papers import Paper
from recoco.items.ranks.compare import (
    FAVOURED,
    MEASURED,
    PRINTED,
    Source,
    answer_ranks,
    compare_ranks,
    printed_scores,
)

CONFIG = Path(__file__).parents[2] / "config"
COSTAR = Paper(CONFIG / "papers" / "costar")
PAPER = COSTAR.config
ITEM = PAPER["items"]["figure12"]
EVERY = "CoStar|Comraf|SRC|NMF"


@pytest.fixture(scope="module")
def printed():
    return printed_cells([COSTAR])


@pytest.fixture(scope="module")
def sources(printed):
    made = []
    for metric, scores in printed_scores(PAPER, printed).items():
        favoured = scores.assign(CoStar=scores["CoStar"] + 1e-6)
        for name, table in ((PRINTED, scores), (FAVOURED, favoured)):
            made.append(Source(name, "", metric, rank_methods(table)))
    return made


@pytest.fixture(scope="module")
def figure12(printed, sources):
    rows = printed[printed["item"].isin(["fig12", "text-5.3.2"])]
    answers = answer_ranks(rows, ITEM, sources)
    return {(row.metric, row.method): (said, answer, why) for row, said, answer, why, _ in answers}


def test_the_printed_tables_are_whole(printed):
    tables = printed_scores(PAPER, printed)
    assert {metric: table.shape for metric, table in tables.items()} == {
        "nmi": (9, 4),
        "ari": (9, 4),
    }
    assert tables["ari"].loc["T3", ["CoStar", "NMF"]].tolist() == [0.44, 0.44]


def test_statistics(figure12):
    said, answer, why = figure12["friedman_q_ari", EVERY]
    assert said == "fits" and round(answer.measured, 2) == 21.10
    assert "21.633 if ties go to CoStar" in why
    assert figure12["friedman_q_nmi", EVERY][0] == "reproduced"
    for name in ("friedman_critical", "q_alpha", "cd"):
        assert figure12[name, EVERY][0] == "reproduced"


def test_every_printed_number_comes_out(figure12):
    assert len(figure12) == 5 + 20
    verdicts = [said for said, _, _ in figure12.values()]
    assert verdicts.count("reproduced") + verdicts.count("fits") == 25
    # Three differences are those of the rounded mean ranks and not the rounded differences.
    rounded = {key for key, (_, _, why) in figure12.items() if "as rounded" in why}
    assert rounded == {
        ("rank_diff_ari", "NMF vs CoStar"),
        ("rank_diff_nmi", "Comraf vs NMF"),
        ("rank_diff_nmi", "SRC vs NMF"),
    }


def test_significance_rests_on_rounding(sources):
    tests = compare_ranks("figure12", ITEM, sources)["tests"]
    pairs = {
        (row["source"], row["metric"], row["second"]): row
        for row in tests
        if row["test"] == "nemenyi" and row["first"] == "CoStar"
    }
    row = pairs[FAVOURED, "ari", "Comraf"]
    assert round(row["value"], 3) == 1.389 and round(row["critical"], 3) == 1.394
    assert not row["differs"] and "rounded to 1.4" in row["note"]
    assert [pairs[PRINTED, "nmi", m]["differs"] for m in ("NMF", "Comraf", "SRC")] == [True] * 3
    assert [pairs[PRINTED, "ari", m]["differs"] for m in ("NMF", "Comraf", "SRC")] == [
        *(False, False, True),
    ]
    friedman = [row for row in tests if row["test"] == "friedman"]
    assert all(row["differs"] and round(row["critical"], 2) == 10.73 for row in friedman)


def test_our_ranks_are_said_beside_the_printed_ones(printed, sources):
    scores = pd.DataFrame(
        {"CoStar": [0.7, 0.8, 0.1], "Comraf": [0.5, 0.5, 0.2], "SRC": [0.1, 0.2, 0.3]},
        index=["T1", "T2", "T3"],
    ).assign(NMF=0.0)
    ours = Source(MEASURED, "all+sum", "nmi", rank_methods(scores))
    rows = printed[(printed["item"] == "fig12") & (printed["metric"] == "avg_rank_nmi")]
    found = {row.method: rest for row, *rest in answer_ranks(rows, ITEM, [*sources, ours])}
    verdict, answer, why, values = found["CoStar"]
    assert verdict == "reproduced" and answer.measured == 1.0
    assert values["measured: all+sum"] == pytest.approx((1 + 1 + 3) / 3)
    assert "Our scores give 1.667 (3 datasets" in why


def test_without_printed_scores_there_is_no_answer(printed):
    rows = printed[printed["item"] == "fig12"]
    assert {said for _, said, *_ in answer_ranks(rows, ITEM, [])} == {"not-run"}
