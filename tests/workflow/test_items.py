"""What the workflow computes for items of every kind, in the mini project."""

import pandas as pd
import pytest

from support.mini_project import first_pass


@pytest.fixture
def table(mini):
    """Read a table that compare wrote about a paper."""
    return lambda paper, name: pd.read_csv(mini / "results" / "compare" / paper / f"{name}.csv")


@pytest.fixture
def runs(mini):
    return mini / "results" / "runs"


# ---- ensembles -------------------------------------------------------------------------------


def test_a_reading_that_is_only_tried_has_fewer_runs(table):
    measures = table("ensembles", "measures").set_index(["cell", "combination"])["n_runs"]
    cell = "ensembles:table2:PLANTED:count:EBCO:nmi"
    assert measures[cell, "dcc"] == 3 and measures[cell, "spherical"] == 2


def test_partial_collections_need_no_runs_of_their_own(table, runs):
    rows = table("ensembles", "sweeps").query("item == 'figure3'")
    rows = rows.pivot_table("measured", "value", "metric", dropna=False)
    assert list(rows.index) == [0, 0.8, 0.95]
    assert rows["nmi"].between(0, 1).all()
    assert rows["threshold_bases"].isna()[0] and rows.loc[0.95, "threshold_bases"] >= 1
    assert not list((runs / "planted-small/count").glob("*threshold=0.95*"))


def test_the_number_of_co_clusters_is_a_cell(table):
    cells = table("ensembles", "cells").set_index("cell")
    inferred = cells.loc["ensembles:table3:PLANTED:count:EBCO_80%:g_star"]
    assert inferred["measured"] == 3 and inferred["verdict"] == "reproduced"
    classes = cells.loc["ensembles:table3:PLANTED:count:EBCO_80%:expected_g"]
    assert classes["measured"] == 3 and classes["verdict"] == "reproduced"


def test_gains_are_differences_of_cells(table):
    cells = table("ensembles", "cells").set_index("cell")
    ebco, *others = (
        cells.loc[f"ensembles:table2:PLANTED:count:{m}:nmi", "measured"]
        for m in ("EBCO", "DCC", "CoClustSpecMod")
    )
    gain = cells.loc["ensembles:text:all:count:EBCO minus others:nmi_mean_gain"]
    assert gain["measured"] == pytest.approx(ebco - sum(others) / 2)
    assert "the mean is 0.1967" in gain["reason"]  # of 0.09, 0.30 and 0.20


def test_co_clusters_are_looked_into(table):
    rows = table("ensembles", "coclusters")
    assert sorted(set(rows["asked"])) == [2, 3]
    sums = rows[rows["asked"] == 3].groupby("dataset")["of_class"].sum()
    assert sums.to_dict() == {"PLANTED": 300, "TEXTS": 15}
    assert len(table("ensembles", "pictures")) == 2 * 2


# ---- words -----------------------------------------------------------------------------------


def test_brackets_are_answered_by_one_run(mini, table):
    cells = table("words", "cells").set_index("cell")
    bracket = cells.loc["words:table2:PLANTED:count:Skmeans:nmi_best"]
    scores = pd.read_parquet(mini / "results" / "scores" / "planted-small.parquet")
    ours = scores[(scores["slug"] == "skmeans") & (scores["kind"] == "run")]
    kept = ours.loc[ours["criterion"].idxmax()]  # cosines: the larger the better
    assert bracket["measured"] == pytest.approx(kept["nmi"])
    assert pd.isna(bracket["measured_sd"])
    assert (cells["metric"].isin(["nmi_best", "ari_best"])).sum() == 16


def test_methods_share_their_starts(mini):
    scores = pd.read_parquet(mini / "results" / "scores" / "planted-small.parquet")
    ours = scores[(scores["kind"] == "run") & (scores["weighting"] == "count")]
    seeds = {slug: tuple(rows["seed"]) for slug, rows in ours.groupby("slug")}
    assert seeds["skmeans"] == seeds["wcnmtf"]


def test_a_choice_may_change_the_data(table):
    trials = set(table("words", "measures")["trial"])
    assert {"planted-small/count/wcnmtf", "planted-two-views/count/wcnmtf"} <= trials


def test_the_curve_of_a_parameter(table, runs):
    rows = table("words", "sweeps").query("item == 'figure5' and metric == 'nmi'")
    ours = rows[rows["dataset"] == "PLANTED"]
    assert list(ours["value"]) == [0, 0.1, 1, 10] and set(rows["parameter"]) == {"lam"}
    assert rows["measured"].between(0, 1).all()
    # The default value needs no runs of its own: the table has them.
    assert not (runs / "planted-small/count/wcnmtf@lam=1").exists()
    assert (runs / "planted-small/count/wcnmtf").is_dir()


def test_cosines_and_densities(table):
    cosines = table("words", "cosines")
    assert set(cosines["method"]) == {"NMTF", "WC-NMTF"}
    assert cosines["median"].between(0, 1).all()
    densities = table("words", "densities")
    assert len(densities) == 2 * 4 * 2 * 2  # datasets, counts, diagonals, shifts
    wide = densities.pivot_table("measured", ["dataset", "count", "diagonal"], "shift")
    assert (wide[1] >= wide[2]).all()
    coherence = table("words", "coherence")
    assert set(coherence["dataset"]) == {"TEXTS"}  # planted features are no words
    assert coherence["pmi"].gt(0).all() and coherence["pairs_found"].gt(0).all()


# ---- several views ---------------------------------------------------------------------------


def test_every_printed_number_is_answered(table):
    cells = table("studies", "cells").set_index(["item", "dataset", "method", "metric"])
    assert len(cells) == 4 + 2 * 8
    # 1.625 from the printed scores
    assert cells.loc[("ranks", "all", "Comraf", "avg_rank_nmi"), "verdict"] == "reproduced"
    assert cells.loc[("found", "TWO", "CoStar", "n_clusters_mode"), "n_runs"] == 3
    assert cells.loc[("found", "GONE", "CoStar", "n_clusters_mode"), "verdict"] == "unreachable"


def test_ranks_rest_on_datasets(table):
    ranks = table("studies", "ranks").query("item == 'ranks' and metric == 'nmi'")
    assert {"printed", "measured"} <= set(ranks["source"])
    assert set(ranks["n_datasets"]) == {4}
    assert ranks.groupby("source")["mean_rank"].sum().eq(3).all()


def test_variants_are_run_and_counted(table):
    found = table("studies", "clusters")
    assert set(found["variant"]) == {"short", "shorter"}
    rows = found[found["side"] == "rows"].set_index(["dataset", "variant"])
    assert rows.loc[("TWO", "short"), "n_iter"] == 400
    views = found[(found["dataset"] == "TWO") & (found["side"] == "view 2")]
    assert len(views) == 2


def test_representatives_and_times(mini, table):
    words = table("studies", "representatives")
    assert set(words[words["dataset"] == "TWO"]["view"]) == {1, 2}
    assert words["words"].str.split().str.len().max() <= 2 * 3  # "feature 7" is two words
    times = table("studies", "scaling")
    assert len(times) == 2 * 2 * 2 and set(times["views"]) == {1, 2}
    assert (times["seconds"] > 0).all()
    # Seconds differ each time, so the file that holds them says so by its name.
    assert (mini / "results/analyse/studies/scaling/times.json.seconds.json").is_file()


def test_what_takes_long_is_left_to_the_second_pass(mini, table):
    first = first_pass(mini) / "studies"
    assert pd.read_csv(first / "convergence.csv").empty
    assert len(pd.read_csv(first / "cells.csv")) == len(table("studies", "cells"))
    rows = table("studies", "convergence")
    assert list(rows[rows["flip"] == 0.1]["iteration"]) == list(range(0, 101, 10))


# ---- graphs ----------------------------------------------------------------------------------


def test_a_dash_is_no_cell(table):
    cells = table("graphs", "cells").set_index(["item", "dataset", "method"])
    assert len(cells) == 3
    assert cells.loc[("table2", "GONE", "TSPLBM"), "verdict"] == "unreachable"
    assert 0 < cells.loc[("table2", "PLANTED", "TSPLBM"), "measured"] <= 1


def test_a_method_may_have_a_weighting_of_its_own(runs):
    folder = runs / "planted-two-views"
    assert {p.name for p in (folder / "nonnegative").iterdir()} == {"multinmf"}
    assert {p.name for p in (folder / "cosine-q80").iterdir()} == {"tsplbm"}
    # The null models look at no graph.
    assert (folder / "count" / "null").is_dir() and not (folder / "cosine-q90" / "null").exists()


def test_every_graph_alone_and_all_together(table):
    rows = table("graphs", "views").query("metric == 'nmi'").set_index(["graph", "method"])
    assert list(rows.index) == [("1", "PLBM"), ("2", "PLBM"), ("all", "TSPLBM")]
    assert (rows["n_runs"] == 3).all() and rows["measured"].between(0, 1).all()


def test_the_consensus_of_the_best_runs(table):
    rows = table("graphs", "ensembles")
    assert list(rows["level"]) == ["1", "2", "across", "all"]
    assert list(rows["partitions"]) == [2, 2, 2, 2]


def test_topics_and_the_number_of_clusters(table):
    topics = table("graphs", "topics")
    assert (topics["part"] == "term").sum() == 5
    orders = table("graphs", "orders")
    assert list(orders["n_clusters"]) == [2, 4]
    assert orders.loc[orders["chosen"], "icl"].iloc[0] == orders["icl"].max()


def test_points_are_differences_of_cells(table):
    cells = table("graphs", "cells").set_index("item")
    assert cells.loc["gain", "verdict"] in {"reproduced", "higher", "lower"}
