"""What the report shows of items about graphs, on made-up numbers."""

import re

import pandas as pd
import pytest

from conftest import CHECKOUT
from recoco.compare.outputs import OUTPUTS
from recoco.report.figures import draw
from recoco.report.graph_bars import looks
from recoco.report.inputs import Material, Paper
from recoco.report.items import is_drawn, item_table
from recoco.schema import read_yaml

SETS = ("3sources", "BBC")
METHODS = ("PSBM", "PLBM", "SPLBM")


def frames() -> dict[str, list[dict]]:
    """Return rows as compare writes them."""
    made: dict[str, list[dict]] = {name: [] for name in OUTPUTS}
    for level, dataset in enumerate(SETS):
        about = {"dataset": dataset, "card": dataset.lower()}
        places = [(g, m) for g in ("1", "2") for m in METHODS] + [("all", "TSPLBM")]
        for rank, (graph, method) in enumerate(places):
            for metric in ("acc", "nmi"):
                made["views"].append(
                    {"item": "figure10-views", **about, "graph": graph, "method": method}
                    | {"metric": metric, "measured": 0.3 + 0.05 * rank + 0.1 * level}
                    | {"measured_sd": 0.04, "best": 0.4 + 0.05 * rank, "n_runs": 30}
                )
        for method in METHODS:
            for where in ("1", "2", "across"):
                made["ensembles"].append(_consensus(about, method, where))
        made["ensembles"].append(_consensus(about, "TSPLBM", "all"))
        for number, value in ((2, -900.0), (6, -800.5)):
            made["orders"].append(
                {"item": "orders", **about, "method": "tsplbm", "n_clusters": number}
                | {"icl": value, "chosen": number == 6, "classes": 6, "filled": number}
                | {"nmi": 0.5, "acc": 0.6, "n_runs": 10}
            )
        for rank in ("rank10", "rank20", "rank50"):
            for method in ("PARAFAC + GMM", "Tucker + GMM", "TSPLBM"):
                for metric in ("acc", "nmi", "purity"):
                    made["extra"].append(
                        {"item": "figure11", **about, "weighting": "na", "method": method}
                        | {"metric": metric, "combination": rank, "n_runs": 30}
                        | {"measured": 0.5, "measured_sd": 0.1}
                    )
    made["twins"].append(
        {"item": "figure5", "dataset": "Political blogs", "weighting": "undirected"}
        | {"first": "PLBM", "second": "SPLBM", "runs": 30, "same": 30, "combination": "hard+mean"}
    )
    for method in METHODS:
        made["extra"].append(
            {"item": "figure5", "dataset": "Political blogs", "card": "polblogs-linked"}
            | {"weighting": "undirected", "method": method, "metric": "acc", "n_runs": 30}
            | {"combination": "hard+mean", "measured": 0.9, "measured_sd": 0.0}
        )
    where = {"item": "topics", "dataset": "DBLP four area", "card": "dblp4area"}
    for k in (1, 2, 3):
        made["topics"].append(
            where
            | {"part": "topic", "topic": k, "name": f"area {k} (80 %)", "x": k - 2.0, "y": k % 2}
            | {"value": 900, "inertia": "0.5 0.3"}
        )
    for j, word in enumerate(("query", "learning", "search")):
        made["topics"].append(
            where
            | {"part": "term", "topic": "", "name": word, "x": 0.2 * j, "y": 0.1, "value": 0.2}
            | {"inertia": "0.5 0.3"}
        )
        for k in (1, 2, 3):
            made["topics"].append(
                where
                | {"part": "count", "topic": k, "name": word, "x": "", "y": ""}
                | {"value": 0.4 if k == j + 1 else 0.01, "inertia": "0.5 0.3"}
            )
    return made


def _consensus(about, method, where) -> dict:
    return {"item": "figure18-views", **about, "method": method, "level": where} | {
        "function": "mcla",
        "partitions": 10,
        "nmi": 0.61 if where == "all" else 0.4,
        "acc": 0.7,
        "agreement": 0.8,
        "first_nmi": 0.55,
        "mean_nmi": 0.5,
        "error": "",
    }


def paper(made, tmp_path) -> Paper:
    config = read_yaml(CHECKOUT / "config" / "papers" / "tsplbm.yaml")
    as_text = {
        name: pd.DataFrame(rows)
        .reindex(columns=_columns(name))
        .astype(object)
        .fillna("")
        .astype(str)
        for name, rows in made.items()
    }
    return Paper("tsplbm", config, tmp_path, as_text)


def _columns(name):
    return [column for column in OUTPUTS[name] if column != "choice_*"]


def material(its_paper, scores=None, timings=()) -> Material:
    timed = pd.DataFrame(timings, columns=["stage", "name", "seconds", "jobs"]).astype(str)
    made = Material({"tsplbm": its_paper}, [], {}, pd.DataFrame(), {}, timed, {}, {})
    empty = pd.DataFrame(columns=["dataset", "weighting", "slug", "criterion", "acc", "nmi"])
    object.__setattr__(made, "scores", empty if scores is None else scores)
    return made


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    scores = pd.DataFrame(
        {
            "dataset": "3sources",
            "weighting": "cosine-q97",
            "slug": "tsplbm",
            "criterion": [3.0, 1.0, 2.0],
            "acc": [0.9, 0.5, 0.7],
            "nmi": [0.8, 0.4, 0.6],
        }
    )
    timings = [("runs", "3sources/cosine-q97/tsplbm/0-5", 1.0, 1)]
    timings += [("runs", "3sources/cosine-q97/tsplbm/5-30", 2.0, 1)]
    timings += [("runs", "3sources/cosine-q97/tucker-gmm/0-30", 30.0, 1)]
    return material(paper(frames(), tmp_path_factory.mktemp("paper")), scores, timings)


def words(full, item) -> list[str]:
    _, file, _ = draw(full, full.papers["tsplbm"], item)
    return re.findall(r"<text[^>]*>([^<]*)</text>", file)


def lines(full, item):
    table = item_table(full, full.papers["tsplbm"], item)
    return table, [[entry.text for entry in row] for row in table.rows]


def test_views_as_a_table_and_bars(full):
    table, rows = lines(full, "figure10-views")
    scores = ["0.300 ± 0.040", "0.400"]
    assert rows[0] == ["3sources", "1", "PSBM", *scores, *scores, "30"]
    assert rows[6][1:3] == ["all graphs at once", "TSPLBM"]
    graphs = "A graph per view: 1 where the cosine is above its 97 % quantile."
    assert table.notes == [graphs, "No data: UC-digits, 100leaves."]
    said = words(full, "figure10-views")
    assert {"3sources", "BBC", "TSPLBM", "graph"} <= set(said) and "UC-digits" not in said


def test_consensus_inside_and_across(full):
    _, rows = lines(full, "figure18-views")
    assert [row[2] for row in rows[:3]] == ["graph 1", "graph 2", "across the graphs"]
    assert rows[9][1:6] == ["TSPLBM", "all graphs at once", "MCLA", "10", "0.610"]
    assert "consensus inside one graph" in words(full, "figure18-views")


def test_ranks_stand_side_by_side(full):
    table, rows = lines(full, "figure11")
    assert [c.path for c in table.columns[2:5]] == [
        ("ACC", "rank 10"),
        ("ACC", "rank 20"),
        ("ACC", "rank 50"),
    ]
    assert len(rows) == 6 and rows[0][:3] == ["3sources", "PARAFAC + GMM", "0.500 ± 0.100"]


def test_the_same_model_is_noted(full):
    table, _ = lines(full, "figure5")
    assert "PLBM and SPLBM have the same scores in 30 of 30 runs" in table.notes[0]


def test_the_chosen_number_of_clusters(full):
    _, rows = lines(full, "orders")
    assert rows[0][-1] == "" and rows[1][-1] == "chosen, number of classes"
    assert rows[1][2] == "-800.5"


def test_topics(full):
    table, rows = lines(full, "topics")
    assert rows[0] == ["query", "20.0", "40.0", "1.0", "1.0"]
    assert table.notes[0] == "Topic 1: area 1 (80 %), 900 papers."
    said = words(full, "topics")
    assert {"1: area 1 (80 %)", "query", "learning"} <= set(said)
    assert "first axis, 50 % of the inertia" in said
    assert {"40.0", "search"} <= set(words(full, "figure14"))


def test_runs_are_drawn_in_order_of_likelihood(full):
    from recoco.report.drawing import DRAWINGS, Subject

    subject = Subject(full, full.papers["tsplbm"], "figure15-views")
    (axes,) = DRAWINGS["likelihood_order"](subject).axes
    likelihood, acc, _ = (line.get_ydata().tolist() for line in axes.lines)
    assert likelihood == [0, 0.5, 1] and acc == [0.5, 0.7, 0.9]


def test_seconds_are_shared_by_the_runs_of_a_job(full):
    from recoco.report.drawing import DRAWINGS, Subject

    subject = Subject(full, full.papers["tsplbm"], "figure12")
    (axes,) = DRAWINGS["run_seconds"](subject).axes
    assert sorted(bar.get_height() for bar in axes.patches) == pytest.approx([0.1, 1.0])


def test_seven_methods_are_told_apart():
    names = [f"{a} + {b}" for a in ("PARAFAC", "Tucker") for b in ("k-means", "SC", "GMM")]
    look = looks([*names, "TSPLBM"])
    assert len({(v["facecolor"], v["hatch"]) for v in look.values()}) == 7
    assert look["Tucker + SC"]["facecolor"] == look["PARAFAC + SC"]["facecolor"]


def test_nothing_measured_yet(tmp_path):
    bare = material(paper({name: [] for name in OUTPUTS}, tmp_path))
    config = bare.papers["tsplbm"].config["items"]
    for item, block in config.items():
        if is_drawn(block):
            assert draw(bare, bare.papers["tsplbm"], item)[1].startswith("<?xml")
        assert item_table(bare, bare.papers["tsplbm"], item) is None
