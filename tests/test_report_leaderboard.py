"""The leaderboard in the report: what stands on the page, and where its numbers lead."""

import re
from urllib.parse import unquote

import pytest

import report_boards
from recoco.report import render


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    inputs = report_boards.make(tmp_path_factory.mktemp("boards"))
    render(**inputs)
    return inputs["out_dir"]


@pytest.fixture(scope="module")
def page(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    return text[text.index('id="page-paper=board"') : text.index('id="page-datasets"')]


def rows(page, table):
    body = page[page.index(f'class="sortable {table}"') :]
    return re.findall(r"<tr data-.*?(?=<tr|\Z)", body[: body.index("</tbody>")], re.DOTALL)


def test_one_ranking_is_shown_and_all_are_there(page):
    standings = rows(page, "standings")
    shown = [row for row in standings if " hidden" not in row.partition(">")[0]]
    assert len(standings) == 2 * 2 * 2 * 8 and len(shown) == 8
    assert all('data-weighting="tfidf-l2"' in row and 'data-metric="nmi"' in row for row in shown)
    assert '<td class="key sticky">CoClus <span class="tag best"' in shown[0] + shown[1]


def test_failures_say_why_in_their_cells(page):
    every = rows(page, "every")
    assert len(every) == 2 * (7 * 6 + 6 * 2)
    too_large = [row for row in every if 'data-status="too-large"' in row]
    assert too_large and all("<b>too large</b>: " in row for row in too_large)
    assert any("LinAlgError: no convergence" in row for row in every)


def test_every_number_leads_to_its_runs(site, page):
    links = set(re.findall(r'href="(data/trials_[^"]+)"', page))
    assert len(links) > 40
    for link in links:
        name, _, anchor = link.partition("#")
        text = (site / unquote(name)).read_text(encoding="utf-8")
        assert f'id="{unquote(anchor)}"' in text


def test_the_runs_of_a_setting(site):
    text = (site / "data" / "trials_cstr.html").read_text(encoding="utf-8")
    section = text[text.index('id="tfidf-l2/coclus"') :]
    section = section[: section.index("</section>")]
    assert "c" * 16 in section  # the code
    assert len(re.findall(r"<code>[0-9a-f]{32}</code>", section)) == report_boards.RUNS
    assert "b" * 64 in text  # the data


def test_the_answer_is_in_words(page):
    assert "No: of 1 printed order" in page and "SpecCo 1.00 as printed" in page


def test_who_beats_whom(page):
    square = page[page.index('class="duels"') :]
    square = square[: square.index("</table>")]
    first = square[square.index('<th scope="row">1 CoClus') :]
    assert 'class="good"' in first[: first.index("</tr>")]
    assert "better 1.00" in first[: first.index("</tr>")]


def test_figures_and_files(site):
    for name in ("board_ranks", "board_times", "board_spread"):
        assert (site / "figures" / f"board_{name}.svg").stat().st_size > 3000
    table = (site / "tables" / "board_all.md").read_text(encoding="utf-8")
    assert re.search(r"\| *CoClus *\| *1\.00", table)
    for name in ("leaderboard", "standings", "bayes", "tradeoffs", "breakdown", "transfer"):
        assert (site / "data" / f"board_{name}.csv").is_file()


def test_a_benchmark_has_no_place_in_the_map_of_printed_cells(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    overview = text[text.index('id="page-overview"') : text.index('id="page-paper=')]
    assert "#paper=coclus" in overview and "#paper=board" not in overview
