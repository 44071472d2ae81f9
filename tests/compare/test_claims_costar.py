"""The claims of the CoStar paper are answered by the numbers, and by nothing else."""

import pytest

from support.claims import FakeTable as Table
from support.claims import check

METHODS = ("CoStar", "Comraf", "SRC", "NMF")


class FakeTable(Table):
    """A table of which only the outputs of other items are looked at."""

    def __init__(self, frames=None):
        super().__init__(frames=frames)


def means(**tables):
    """Return a table with these scores, by metric and dataset."""
    return Table(
        {
            (dataset, method, metric): score
            for metric, rows in tables.items()
            for dataset, row in rows.items()
            for method, score in zip(METHODS, row, strict=True)
        }
    )


def test_best_scores():
    table = means(
        nmi={"T1": [0.7, 0.5, 0.2, 0.4], "T2": [0.7, 0.3, 0.3, 0.6]},
        ari={"T1": [0.7, 0.5, 0.2, 0.4], "T2": [0.5, 0.3, 0.3, 0.6], "I3": [0.1, 0.3, 0.3, 0.6]},
    )
    outcome, text = check("costar", "S1", table)
    assert outcome == "holds" and "above SRC on 2 of 2" in text
    outcome, text = check("costar", "S2", table)
    assert outcome == "partly" and "NMF by 0.100 on T2" in text and "I3" not in text


def test_comraf_on_texts():
    poor = means(nmi={"T1": [0.7, 0.1, 0.2, 0.4]}, ari={"T1": [0.7, 0.1, 0.2, 0.4]})
    outcome, text = check("costar", "S3", poor)
    assert outcome == "holds" and "not available" in text
    good = means(nmi={"T1": [0.7, 0.6, 0.2, 0.4]}, ari={"T1": [0.7, 0.6, 0.2, 0.4]})
    assert check("costar", "S3", good)[0] == "fails"


def test_without_data_the_claims_are_open():
    table = means(nmi={}, ari={})
    for name in ("S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"):
        assert check("costar", name, table)[0] == "open", name


def row_of(source, metric, test, differs, **more):
    row = {"item": "i", "source": source, "metric": metric, "test": test, "differs": differs}
    row |= {"combination": "" if source != "measured" else "single", "n_datasets": 9, "value": 20.0}
    return {**row, "critical": 10.73, "p": 0.001, "first": "", "second": "", "note": "", **more}


def test_friedman():
    rows = [row_of("printed", m, "friedman", True) for m in ("ari", "nmi")]
    ours = [row_of("measured", m, "friedman", True, n_datasets=6) for m in ("ari", "nmi")]
    assert check("costar", "S4", FakeTable({"tests": rows}))[0] == "partly"  # none of ours
    outcome, text = check("costar", "S4", FakeTable({"tests": rows + ours}))
    assert outcome == "holds" and "our 6 datasets" in text
    other = [{**row, "combination": "criterion", "differs": False} for row in ours]
    assert check("costar", "S4", FakeTable({"tests": rows + ours + other}))[0] == "holds"


def test_nemenyi():
    def pair(source, metric, other, differs, apart=1.5, note=""):
        more = {"first": "CoStar", "second": other, "value": apart, "note": note}
        return row_of(source, metric, "nemenyi", differs, critical=1.394, **more)

    rows = [pair("printed", "nmi", m, True) for m in ("NMF", "Comraf", "SRC")]
    rows += [pair("printed", "ari", "SRC", True), pair("printed", "ari", "NMF", False)]
    note = "below CD, and above it only when rounded to 1.4"
    rows += [pair("printed-favoured", "ari", "Comraf", False, 1.389, note)]
    rows += [pair("printed", "ari", "Comraf", False, 1.333)]
    outcome, text = check("costar", "S5", FakeTable({"tests": rows}))
    assert outcome == "partly" and "4 of 5 from the printed means" in text
    assert "1.389" in text and "rounded to 1.4" in text
    assert "NMF" not in text  # nobody claims that NMF differs in ARI


def test_number_of_clusters():
    def row(dataset, mode, variant="as printed"):
        return {"dataset": dataset, "mode": mode, "variant": variant, "side": "rows"}

    right = [row("bbc2", 5), row("bbcsport2", 5), row("bbc4", 9), row("T1", 2)]
    assert check("costar", "S6", FakeTable({"clusters": right}))[0] == "holds"
    wrong = [row("bbc2", 4), row("bbcsport2", 4), row("T1", 3)]
    outcome, text = check("costar", "S6", FakeTable({"clusters": wrong}))
    assert outcome == "fails" and "bbc2 4 (5)" in text
    other = [row("bbc2", 5, "drop"), row("T1", 2, "drop")]
    assert check("costar", "S6", FakeTable({"clusters": wrong + other}))[0] == "partly"


def test_times():
    def curve(variant, slope):
        row = {"item": "i", "variant": variant, "along": "views", "curve": "x"}
        return {**row, "slope": slope, "slope_iteration": slope - 1}

    assert check("costar", "S7", FakeTable({"scaling": [curve("sum", 1.1)]}))[0] == "holds"
    assert check("costar", "S7", FakeTable({"scaling": [curve("sum", 1.9)]}))[0] == "fails"
    both = {"scaling": [curve("sum", 1.9), curve("largest", 1.0)]}
    outcome, text = check("costar", "S7", FakeTable(both))
    assert outcome == "partly" and "power 1.9" in text


@pytest.mark.parametrize(
    ("rest", "sd", "outcome"), [(2000, 0.01, "holds"), (9000, 0.01, "fails"), (2000, 0.3, "fails")]
)
def test_stability(rest, sd, outcome):
    row = {"flip": 0.05, "limit": 10000, "rest_mean": rest, "rest_most": rest, "last": 0.01}
    real = [{"variant": "as printed", "last_move": 90, "n_iter": 100}, {"variant": "as printed"}]
    table = FakeTable({"stability": [{**row, "last_sd": sd}], "clusters": real})
    said, text = check("costar", "S8", table)
    assert said == outcome and "p = 5 %" in text and "90 to 90 % of the iterations" in text
