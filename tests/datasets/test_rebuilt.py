"""Matrices that are rebuilt from raw texts: recipes, the rule for close, the mark of a cell."""

import zipfile

import pytest

from recoco.compare.rebuilt import marked
from recoco.datasets.card import variants
from recoco.datasets.parsers import get_parser
from recoco.datasets.parsers.segments import merge
from recoco.datasets.rebuilt import agreement, is_close, mark, nmi_difference
from recoco.datasets.recipes import bbc, cai_reuters, cluto_reuters
from recoco.datasets.stemming import porter
from recoco.datasets.stemming_frakes import frakes


def _rebuilt(documents=(100, 100), nmi=((0.5, 0.5),)):
    pairs = {f"m{i}": list(pair) for i, pair in enumerate(nmi)}
    sizes = {"documents": list(documents), "terms": [12, 10], "nonzeros": [50, 50]}
    return {"how": "counted anew", **sizes, "runs": 10, "nmi": pairs}


def test_recipe_of_the_bbc_matrix():
    text = "The one-off $1.13bn technology sale (\u00a35 for 464,000 shares) isn't O'Gara's."
    words = ["oneoff", "113bn", "technolog", "sale", "\u00a35", "464", "000", "share", "gara"]
    assert bbc(text) == words


def test_stems_of_porters_program_differ_from_the_article():
    assert (porter("technology"), porter("technology", program=True)) == ("technologi", "technolog")
    assert porter("probably", program=True) == porter("probably") == "probabl"
    assert (porter("possibly"), porter("possibly", program=True)) == ("possibli", "possibl")


@pytest.mark.parametrize(
    "word, stem",
    [
        ("statement", "statem"),  # the next rule that fits is tried
        ("freed", "fre"),
        ("decision", "decision"),  # -sion and -tion are measured without their s or t
        ("reduction", "reduct"),
        ("wheat", "wheate"),  # an end is mended although nothing was removed
        ("tariff", "tarif"),
        ("prices", "price"),  # a final e goes from long stems only ...
        ("pricing", "pric"),  # ... and none is added
        ("announced", "announc"),
        ("controlled", "controll"),
        ("fully", "fulli"),
        ("protectionism", "protection"),
    ],
)
def test_stems_of_frakes_program(word, stem):
    assert frakes(word) == stem


def test_recipe_of_the_cluto_matrices():
    text = "The U.S. <CHV> tariffs on 7.5 mln tonnes of wheat; a group said statements vs interest"
    words = ["chv", "tarif", "mln", "tonne", "wheate", "statem", "v"]
    assert cluto_reuters(text) == words


def test_recipe_of_the_reuters_matrix_of_cai():
    text = "<Gulf Bank>, the company's 1,054,000 vs 4.0 dlrs; long-term 1986-87 U.K. oil-rich. End"
    words = ["lt", "gulf", "bank", "company", "1054000", "vs", "4.0", "dlrs", "term", "1986", "87"]
    assert cai_reuters(text) == [*words, "uk", "oilrich"]


def test_segments_by_merging_the_two_shortest_neighbours():
    paragraphs = ["a" * 120, "b" * 90, "c" * 100, "d" * 200]
    document = "\r\n\r\n".join(paragraphs)
    # b and c are shortest together; then a is too short and joins them
    assert [len(part) for part in merge(document, 3, 120)] == [120, 192, 200]
    assert [len(part) for part in merge(document, 3, 150)] == [314, 200]
    assert len(merge(document, 1, 1)) == len(merge("short", 2, 200)) == 1
    assert merge("", 2, 200) == [""]


def test_a_parser_uses_the_recipe_of_its_card(tmp_path):
    with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
        archive.writestr("d/tech/1.txt", "A high-speed link")
        archive.writestr("d/sport/1.txt", "High-speed links, said O'Gara")
    options = {"name": "text", "archive": "raw.zip", "folder": "d", "recipe": "bbc", "min_df": 2}
    parsed = get_parser("text")(tmp_path, options)
    assert parsed.terms == [["highspe", "link"]]
    assert parsed.views[0].toarray().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    "rebuilt, close",
    [
        (_rebuilt(), True),
        (_rebuilt(documents=(99, 100)), True),
        (_rebuilt(documents=(98, 100)), False),
        (_rebuilt(documents=(102, 100)), False),
        (_rebuilt(nmi=((0.52, 0.5),)), True),
        (_rebuilt(nmi=((0.53, 0.5),)), False),
        (_rebuilt(nmi=((0.53, 0.5), (0.5, 0.5))), True),
        (_rebuilt(nmi=((0.55, 0.5), (0.45, 0.5))), False),  # differences do not cancel out
    ],
)
def test_close_follows_from_the_measured_numbers(rebuilt, close):
    assert is_close(rebuilt) is close
    source = {"kind": "package", "rebuilt": rebuilt}
    card = {"printed_as": {"paper": "NAME"}, "variant": {}}
    assert ("rebuilt" in mark(source)) is close
    assert bool(variants(card, source)) is not close


def test_agreement_says_both_numbers():
    rebuilt = _rebuilt(documents=(99, 100), nmi=((0.53, 0.5), (0.5, 0.49)))
    assert nmi_difference(rebuilt) == pytest.approx(0.02)
    assert agreement(rebuilt) == (
        "99 of 100 documents, 12 instead of 10 terms, 50 of 50 non-zeros; NMI differs by 0.020 "
        "(m0 0.530 instead of 0.500, m1 0.500 instead of 0.490)"
    )


def test_only_judged_cells_are_marked():
    record = {"rebuilt": "counted anew: 1 of 1 documents"}
    text = "within. On a rebuilt matrix: counted anew: 1 of 1 documents."
    assert marked("within.", "reproduced", record) == text
    assert marked("gone.", "unreachable", record) == "gone."
    assert marked("within.", "reproduced", {}) == "within."
