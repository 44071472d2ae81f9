"""The cards of the methods: every equation has its line of code, every number its source."""

import math
import re
from dataclasses import replace

import pandas as pd
import pytest

from recoco.config.schema import check, read_yaml
from recoco.core.errors import RecocoError
from recoco.methods import METHODS
from recoco.report import code_lines, method_cards, speeds
from recoco.report.code_lines import find_line
from recoco.report.inputs import Material
from support.projects import CHECKOUT

CARDS = read_yaml(CHECKOUT / "config" / "method_cards.yaml")
SOURCE = CHECKOUT / "src" / "recoco"
EQUATIONS = [
    pytest.param(entry, id=f"{name}-{place}")
    for name, card in CARDS.items()
    for place, entry in enumerate(card["equations"])
]


def material(datasets=(), timings=()) -> Material:
    columns = ["stage", "name", "seconds", "jobs", "computing"]
    return Material(
        papers={},
        cells=[],
        datasets={name: {"nonzeros": sizes} for name, sizes in datasets},
        errata=[],
        provenance={},
        timings=pd.DataFrame(timings, columns=columns).astype(str),
        titles={},
        methods={},
    )


# ---- equations ------------------------------------------------------------------------------


def test_every_registered_method_has_a_card_and_nothing_else_has():
    check(CARDS, "method_cards", "method_cards.yaml")
    assert set(CARDS) == set(METHODS)
    papers = {path.name for path in (CHECKOUT / "config" / "papers").iterdir()}
    assert {card["paper"] for card in CARDS.values()} - {""} <= papers
    cited = [card["cite"] for name, card in CARDS.items() if not name.startswith("null")]
    assert len(set(cited)) == len(cited)


@pytest.mark.parametrize("entry", EQUATIONS)
def test_every_equation_has_its_line(entry):
    line = find_line(entry["code"], entry["eq"])
    source = SOURCE / line.file
    above, shown = source.read_text(encoding="utf-8").splitlines()[line.line - 2 : line.line]
    tag = f"# eq. {entry['eq']}"
    assert shown.endswith(f"  {tag}") or above.strip() == tag
    assert line.source and shown.removesuffix(tag).strip() == line.source
    assert "#" not in line.source or above.strip() == tag


def test_every_tag_is_on_a_card():
    tagged = {
        (path.relative_to(SOURCE).as_posix(), tag)
        for path in SOURCE.rglob("*.py")
        if path.name != "code_lines.py"
        for tag in re.findall(r"# eq\. (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    used = {
        (entry["code"].split(":")[0].replace(".", "/") + ".py", entry["eq"])
        for card in CARDS.values()
        for entry in card["equations"]
    }
    assert tagged == used


def test_a_line_that_is_not_there_is_refused():
    with pytest.raises(RecocoError, match=r"no module recoco\.kernels\.nothing"):
        find_line("kernels.nothing:modularity", "2")
    with pytest.raises(RecocoError, match="no function modularities"):
        find_line("kernels.modularity:modularities", "2")
    with pytest.raises(RecocoError, match="0 lines"):
        find_line("kernels.modularity:modularity", "no such tag")


def test_a_tag_must_be_unique_in_its_function(tmp_path, monkeypatch):
    (tmp_path / "twice.py").write_text("def f(x):\n    y = x  # eq. 1\n    # eq. 1\n    return y\n")
    monkeypatch.setattr(code_lines, "_PACKAGE", tmp_path)
    with pytest.raises(RecocoError, match="2 lines"):
        find_line("twice:f", "1")


def test_what_this_program_has_not_is_named_and_not_refused():
    entry = {"eq": "1", "label": "", "text": "x", "code": "kernels.nothing:f"}
    equation = method_cards._equation(entry)
    assert equation["line"] is None and equation["code"] == "kernels.nothing:f"


def test_a_card_with_an_unknown_key_is_refused():
    with pytest.raises(RecocoError, match="did you mean 'aim'"):
        check({"x": {"aimm": "", "equations": [], "complexity": "O(n)"}}, "method_cards", "here")


def test_numbers_become_labels_and_words_stay():
    assert [method_cards._label(eq) for eq in ("7a", "2 of TSPLBM", "update of Z")] == [
        "eq. (7a)",
        "eq. (2) of TSPLBM",
        "update of Z",
    ]


def test_equations_become_letters_below_and_above():
    assert method_cards.formula("x_{ij} ← W^T y_k^{−1/2}") == (
        "x<sub>ij</sub> ← W<sup>T</sup> y<sub>k</sub><sup>−1/2</sup>"
    )
    assert method_cards.formula("a_{<i>}") == "a<sub>&lt;i&gt;</sub>"


# ---- seconds --------------------------------------------------------------------------------


def test_the_slope_is_that_of_the_largest_blocks_with_the_plainest_parameters():
    sizes = {"a": [1000, 1000], "b": [16_000], "c": [128_000]}
    timings = []
    for name, views in sizes.items():
        seconds = 2e-6 * sum(views) ** 1.5
        timings += [
            ("runs", f"{name}/count/coclus/0-5", 99, 1, 5 * seconds + 3),
            ("runs", f"{name}/count/coclus/5-105", 999, 1, 100 * seconds),
            ("runs", f"{name}/count/coclus,n_init=20/0-500", 9999, 1, 1),
            ("score", name, 1, 1, ""),
        ]
    timings.append(("runs", "a/count/other/0-2", 4, 1, ""))
    found = speeds.speeds(material(sizes.items(), timings))
    assert found["coclus"].slope == pytest.approx(1.5, abs=1e-6)
    assert found["coclus"].text == "Seconds grow as nnz^{1.50}"
    assert [point[:2] for point in found["coclus"].points] == [
        (name, sum(views)) for name, views in sizes.items()
    ]
    assert found["other"].points == (("a", 2000.0, 2.0),)  # the job's own, for want of better
    assert math.isnan(found["other"].slope) and found["other"].text == ""


def test_a_plot_has_a_dot_for_every_dataset_inside_its_frame():
    sizes = {"a": [10], "b": [1000], "c<": [100_000]}
    timings = [("runs", f"{n}/count/m/0-1", 1, 1, 10.0**-p) for p, n in enumerate(sizes)]
    drawn = str(speeds.plot(speeds.speeds(material(sizes.items(), timings))["m"], "M & co"))
    assert drawn.count("<circle") == 3 and 'class="fit"' in drawn
    assert "c&lt;: 100,000 non-zeros, 0.01 s" in drawn and "M &amp; co" in drawn
    for place in speeds.speeds(material([("a", [10])], timings[:1])).values():
        assert 'class="fit"' not in speeds.plot(place, "M")


def test_without_seconds_nothing_is_said():
    assert speeds.speeds(material()) == {}


# ---- places ---------------------------------------------------------------------------------


def scores(rows) -> pd.DataFrame:
    columns = ["dataset", "weighting", "method", "slug", "nmi"]
    return pd.DataFrame(rows, columns=columns)


def test_a_method_is_compared_where_the_others_are_too():
    rows = [
        *(("d1", "count", "a", "a", value) for value in (0.5, 0.7)),
        ("d1", "count", "a", "a,n_init=20", 1.0),  # not the plainest, so not looked at
        ("d1", "count", "b", "b", 0.4),
        ("d1", "count", "c", "c", 0.2),
        ("d1", "count", "null", "null", 0.9),
        ("d1", "tfidf", "a", "a", 0.1),  # with fewer than three methods: not compared
        ("d2", "count", "a", "a", 0.3),
        ("d2", "count", "b", "b", 0.3),
        ("d2", "count", "c", "c", 0.9),
        ("d2", "own", "e", "e", 0.8),
    ]
    found = method_cards.standings(scores(rows))
    assert "null" not in found
    first, second = found["a"]
    assert (first["dataset"], first["rank"], first["of"]) == ("d1", 1.0, 3)
    assert first["score"] == pytest.approx(0.6)
    assert first["ahead"] == pytest.approx(0.6 - (0.4 + 0.2) / 2)
    assert (second["dataset"], second["rank"]) == ("d2", 2.5)
    # Alone with its weighting, so beside all on the dataset.
    assert found["e"] == [
        {"dataset": "d2", "score": 0.8, "ahead": pytest.approx(0.5), "rank": 2.0, "of": 4}
    ]


def test_no_dataset_is_both_best_and_worst():
    entries = [
        {"dataset": f"d{n}", "score": 0.5, "ahead": -0.1 * n, "rank": 1.0, "of": 4}
        for n in range(5)
    ]
    ends = method_cards._ends(entries)
    assert [place["dataset"] for place in ends["best"]] == ["d0", "d1"]
    assert [place["dataset"] for place in ends["worst"]] == ["d4", "d3"]
    assert ends["best"][1]["ahead"] == "-0.100" and ends["best"][0]["ahead"] == "+0.000"
    alone = method_cards._ends(entries[:1])
    assert len(alone["best"]) == 1 and alone["worst"] == []


def test_scores_without_the_metric_say_nothing():
    assert method_cards.standings(pd.DataFrame(columns=["dataset", "method"])) == {}


def test_the_report_is_out_of_date_when_a_line_moves(monkeypatch):
    path = CHECKOUT / "config" / "method_cards.yaml"
    before = code_lines.digest_of_cards(path)
    assert before == code_lines.digest_of_cards(path) != ""
    found = code_lines.find_line
    moved = {"kernels.modularity:modularity": 1}

    def later(code, eq):
        line = found(code, eq)
        return replace(line, line=line.line + moved.get(code, 0))

    monkeypatch.setattr(code_lines, "find_line", later)
    assert code_lines.digest_of_cards(path) != before
    assert code_lines.digest_of_cards(path.with_name("none.yaml")) == ""
