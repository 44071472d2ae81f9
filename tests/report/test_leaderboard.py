"""The leaderboard in the report: what stands on the page, and where its numbers lead."""

import html
import json
import re
from urllib.parse import unquote

import pytest

from support.report_inputs import report_inputs

RUNS = 3


@pytest.fixture(scope="module")
def board(page):
    return page[page.index('id="page-paper=board"') : page.index('id="page-datasets"')]


def rows(board, table):
    body = board[board.index(f'class="sortable {table}"') :]
    return re.findall(r"<tr data-.*?(?=<tr|\Z)", body[: body.index("</tbody>")], re.DOTALL)


def test_one_ranking_is_shown_and_all_are_there(board):
    standings = rows(board, "standings")
    shown = [row for row in standings if " hidden" not in row.partition(">")[0]]
    # four methods, a null model and two ways of fusing
    assert len(standings) == 2 * 2 * 2 * 7 and len(shown) == 7
    assert all('data-weighting="tfidf-l2"' in row and 'data-metric="nmi"' in row for row in shown)
    assert '<td class="key sticky">SpecCo <span class="tag best"' in shown[0] + shown[1]


def test_failures_say_why_in_their_cells(board):
    every = rows(board, "every")
    # five datasets, four methods and a null model, and two ways of fusing on four of them
    assert len(every) == 2 * (5 * 5 + 4 * 2)
    too_large = [row for row in every if 'data-status="too-large"' in row]
    assert too_large and all("<b>too large</b>: " in row for row in too_large)
    assert any("IndexError: a mistake of its author" in row for row in every)


def test_every_number_leads_to_its_runs(site, board):
    links = set(re.findall(r'href="(data/trials_[^"]+)"', board))
    assert len(links) >= 4 * (3 + 2)
    for link in links:
        name, _, anchor = link.partition("#")
        text = (site / unquote(name)).read_text(encoding="utf-8")
        assert f'id="{unquote(anchor)}"' in text


def test_the_runs_of_a_setting(site, tmp_path):
    text = (site / "data" / "trials_pair.html").read_text(encoding="utf-8")
    section = text[text.index('id="tfidf-l2/coclus"') :]
    section = section[: section.index("</section>")]
    known = json.loads(report_inputs(tmp_path)["provenance"].read_text())
    assert known["fingerprints"]["coclus"] in section  # the code
    assert len(re.findall(r"<code>[0-9a-f]{32}</code>", section)) == RUNS
    (data,) = (entry for entry in known["data"] if entry["dataset"] == "pair")
    assert data["sha256"] and all(digest in text for digest in data["sha256"])


def test_the_answer_is_in_words(board, material):
    remarks = material.papers["board"].frames["remarks"]["text"].tolist()
    assert "of 1 printed order" in remarks[0] and len(remarks) > 1
    for text in remarks:
        assert text in html.unescape(board)


def test_who_beats_whom(board):
    square = board[board.index('class="duels"') :]
    square = square[: square.index("</table>")]
    first = square[square.index('<th scope="row">1 SpecCo') :]
    assert "better " in first[: first.index("</tr>")]


def test_figures_and_files(site):
    for name in ("board_ranks", "board_times", "board_spread"):
        assert (site / "figures" / f"board_{name}.svg").stat().st_size > 3000
    table = (site / "tables" / "board_all.md").read_text(encoding="utf-8")
    assert re.search(r"\| *SpecCo *\| *1\.00", table)
    for name in ("leaderboard", "standings", "bayes", "tradeoffs", "breakdown", "transfer"):
        assert (site / "data" / f"board_{name}.csv").is_file()


def test_a_benchmark_has_no_place_in_the_map_of_printed_cells(page):
    overview = page[page.index('id="page-overview"') : page.index('id="page-paper=')]
    assert "#paper=tables" in overview and "#paper=board" not in overview
