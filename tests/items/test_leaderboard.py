"""Leaderboards: what is planned, what becomes of each pair, ranks, time, groups, the papers."""

import pandas as pd
import pytest

from recoco.config import Config, load_config
from recoco.items.leaderboard.entries import entries_of
from recoco.items.leaderboard.transfer import printed_tables, remarks, transfer_rows
from recoco.plan import Plan, settings_of
from support import board_scores
from support.board_scores import BLOCK, PAPER, PRINTED, RUNS


@pytest.fixture(scope="module")
def config():
    known = load_config()
    return Config(known.settings, known.methods, {"board": PAPER})


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    return board_scores.compared(tmp_path_factory.mktemp("board"))


def frame(compared, name, **same):
    rows = pd.DataFrame(compared[1][name])
    for key, value in same.items():
        rows = rows[rows[key] == value]
    return rows


def test_every_method_meets_every_dataset(config):
    entries = entries_of(config, PAPER, BLOCK)
    assert len(entries) == 7 * 2 * (5 + 1)
    starts = {entry.setting.method: entry.runs for entry in entries}
    assert starts["coclus"] == RUNS and starts["ebco"] == 2


def test_what_is_too_large_is_not_run_and_says_why(config):
    entries = {(e.dataset, e.setting.method): e for e in entries_of(config, PAPER, BLOCK)}
    assert "220,482 non-zeros" in entries["WAP", "dcc"].too_large
    assert "10 classes" in entries["OH0", "ebco"].too_large
    assert not entries["OH0", "dcc"].too_large
    planned = {(s.dataset, s.method) for s in settings_of(config)}
    assert ("wap", "dcc") not in planned and ("wap", "coclus") in planned


def test_null_models_are_run_once(config):
    names = [s.name for s in settings_of(config) if s.method == "null"]
    assert set(names) == {f"{card}/tfidf-l2/null" for card in BLOCK["datasets"].values()}


def test_all_methods_but_the_null_models_are_fused(config, tmp_path):
    found = {a.dataset: a.task["tasks"] for a in Plan(config, tmp_path).analyses.values()}
    (task, _) = found["wap"]
    assert task["functions"] == ["cspa", "ebco"]
    assert set(task["members"]) == {"CoClus", "SpecCo", "Broken"}
    assert "la12" not in found


def test_failures_are_cells(compared):
    cells = frame(compared, "leaderboard", metric="nmi", weighting="count")
    status = cells.set_index(["dataset", "method"])[["status", "reason"]]
    assert tuple(status.loc[("CSTR", "Broken")]) == ("failed", "LinAlgError: no convergence")
    assert status.loc[("WAP", "DCC"), "status"] == "too-large"
    assert tuple(status.loc[("GONE", "CoClus")]) == ("unreachable", "Ask its authors.")
    assert status.loc[("CSTR", "EBCO"), "status"] == "ok"
    assert tuple(status.loc[("CSTR", "EBCO of all")]) == ("failed", "1 co-clusterings to fuse")
    # seven datasets, five methods and a null model, and two ways of fusing on six of them
    assert len(cells) == 7 * 6 + 6 * 2


def test_mean_and_best_of_the_starts(compared):
    cells = frame(compared, "leaderboard", metric="nmi", weighting="tfidf-l2", dataset="CSTR")
    row = cells.set_index("method").loc["DCC"]
    level = board_scores.quality("CSTR", "tfidf-l2", "DCC")
    assert row["mean"] == pytest.approx(level)
    assert row["best"] == pytest.approx(level + 0.05 * 2.5)  # its criterion is the largest
    assert row["sd"] == pytest.approx(0.05 * 1.8708287)
    assert row["n_runs"] == RUNS


def test_ranks_are_over_complete_datasets(compared):
    rows = frame(compared, "standings", weighting="tfidf-l2", selection="mean", metric="nmi")
    rows = rows.set_index(["kind", "method"])
    # DCC has no score on WAP, which is therefore left out
    assert rows.loc[("method", "CoClus"), "n_datasets"] == 5
    ranks = rows["mean_rank"]
    assert ranks["method", "CoClus"] == 1 and ranks["method", "DCC"] == 2
    assert ranks["method", "SpecCo"] == 3
    assert ranks["null", "null"] == 4  # behind all three
    assert ranks["consensus", "CSPA of all"] == 1
    assert pd.isna(ranks["method", "Broken"]) and pd.isna(ranks["method", "EBCO"])
    assert rows.loc[("method", "Broken"), "note"] == "not ranked: failed on 6, unreachable on 1"
    assert "too large on 4" in rows.loc[("method", "EBCO"), "note"]
    assert rows.loc[("method", "DCC"), "mean_sd"] == pytest.approx(0.05 * 1.8708287)


def test_tests_between_methods(compared):
    rows = frame(compared, "tests", source="mean", combination="tfidf-l2", metric="nmi")
    overall = rows[rows["test"] == "friedman"].iloc[0]
    assert overall["n_datasets"] == 5 and overall["differs"] and overall["p"] < 0.01
    pair = rows[(rows["first"] == "CoClus") & (rows["second"] == "SpecCo")].set_index("test")
    assert pair.loc["nemenyi", "value"] == 2 and pair.loc["nemenyi", "differs"]
    assert not pair.loc["wilcoxon-holm", "differs"]  # five datasets cannot give less than 0.0625
    bayes = frame(compared, "bayes", selection="mean", weighting="tfidf-l2", metric="nmi")
    chances = bayes.set_index(["first", "second"]).loc[("CoClus", "SpecCo")]
    assert chances["left"] > 0.95
    assert chances[["left", "rope", "right"]].sum() == pytest.approx(1)


def test_nothing_that_is_worse_and_slower_is_on_the_front(compared):
    rows = frame(compared, "tradeoffs", selection="mean", weighting="tfidf-l2", metric="nmi")
    rows = rows.set_index("method")
    assert rows.loc["CoClus", "seconds"] == pytest.approx(0.1)
    assert rows["front"].to_dict() == {
        "CoClus": True,
        "CSPA of all": True,
        "DCC": False,
        "SpecCo": False,
    }
    # a run of every method that was run there, and the fusing
    assert rows.loc["CSPA of all", "seconds"] > 1 + 0.1 + 0.4 + 0.2 + 0.1
    best = frame(compared, "tradeoffs", selection="best", weighting="tfidf-l2", metric="nmi")
    assert best.set_index("method").loc["CoClus", "seconds"] == pytest.approx(0.1 * RUNS)


def test_ranks_by_kind_of_data(compared):
    rows = frame(compared, "breakdown", selection="mean", weighting="tfidf-l2", metric="nmi")
    assert set(rows["by"]) == {"size", "classes", "balance", "sparsity"}
    size = rows[rows["by"] == "size"].set_index(["group", "method"])
    assert size.loc[("up to 300 objects", "DCC"), "n_datasets"] == 3
    assert size.loc[("above 300 objects", "DCC"), "n_datasets"] == 2
    assert size.loc[("above 300 objects", "DCC"), "mean_rank"] == 2


def test_the_printed_order_against_ours(compared):
    board = compared[0]
    rows = transfer_rows(board, PRINTED, board_scores.printed())
    whole = rows[0]
    assert (whole["n_own"], whole["n_other"], whole["n_methods"]) == (2, 3, 3)
    # printed SpecCo, CoClus, DCC; measured CoClus, DCC, SpecCo: one pair of three agrees
    assert whole["tau_own"] == whole["tau_other"] == pytest.approx(-1 / 3)
    mine = next(row for row in rows if row.get("own"))
    assert (mine["method"], mine["printed_rank"], mine["other_rank"]) == ("SpecCo", 1, 3)
    first, second = (row["text"] for row in remarks(board, PRINTED, rows))
    assert first.startswith("No: of 1 printed order") and "1 is turned round" in first
    assert "in 1 of these orders as printed, in 0 of 1" in first
    assert "tau -0.33 on 2 datasets of the paper and -0.33 on 3 others" in second
    assert "SpecCo 1.00 as printed, 3.00 on the paper's data, 3.00 on other data (of 3)" in second


def test_an_order_that_holds_is_said_to_hold(compared):
    rows = transfer_rows(compared[0], PRINTED, board_scores.printed((0.3, 0.9, 0.6)))
    assert rows[0]["tau_other"] == pytest.approx(1)
    assert remarks(compared[0], PRINTED, rows)[0]["text"].startswith("Yes: of 1 printed order")


def test_the_benchmark_of_the_project():
    """It names each paper's own method by the paper's key, and shares datasets with each."""
    benchmark = load_config({"papers": ["benchmark"]}).papers["benchmark"]
    boards = [b for b in benchmark["items"].values() if b["kind"] == "leaderboard"]
    ranked = {key for board in boards for key in board["methods"].values()}
    cards = {card for board in boards for card in board["datasets"].values()}
    papers = printed_tables()
    assert set(papers) == {"coclus", "wcnmtf", "ebco", "costar", "tsplbm"}
    for key, paper in papers.items():
        assert key in ranked
        assert any(cards & set(table["datasets"].values()) for table in paper["tables"].values())
    for board in boards:
        assert len(set(board["datasets"].values())) == len(board["datasets"])
    assert "benchmark" not in load_config().papers
