"""Sorting and filtering a leaderboard in a real browser, and the way from a rank to its runs."""

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

import report_boards
from recoco.report import render
from test_report_browser import browser, one, until, visit  # noqa: F401  fixtures among them

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    inputs = report_boards.make(tmp_path_factory.mktemp("boards"))
    render(**inputs)
    return (inputs["out_dir"] / "index.html").as_uri()


def shown(browser, table, column):  # noqa: F811
    """Return the texts of a column in the rows that are shown, from top to bottom."""
    script = (
        "return [...document.querySelectorAll('.board .' + arguments[0] + ' tbody tr')]"
        ".filter((row) => !row.hidden)"
        ".map((row) => row.cells[arguments[1]].textContent.trim())"
    )
    return browser.execute_script(script, table, column)


def choose(browser, key, value):  # noqa: F811
    select = Select(one(browser, f'.board select[data-key="{key}"]'))
    select.select_by_value(value)


def test_another_ranking_is_chosen(visit):  # noqa: F811
    browser = visit("paper=board")  # noqa: F811
    assert len(shown(browser, "standings", 1)) == 8
    before = dict(zip(shown(browser, "standings", 1), shown(browser, "standings", 3), strict=True))
    choose(browser, "weighting", "count")
    after = dict(zip(shown(browser, "standings", 1), shown(browser, "standings", 3), strict=True))
    assert len(after) == 8
    assert float(before["SpecCo"]) == pytest.approx(float(after["SpecCo"]) + 0.1, abs=2e-3)
    choose(browser, "selection", "best")
    best = dict(zip(shown(browser, "standings", 1), shown(browser, "standings", 3), strict=True))
    assert float(best["DCC"]) > float(after["DCC"]) + 0.1
    visible = browser.find_elements(By.CSS_SELECTOR, ".board .duels")
    assert sum(table.is_displayed() for table in visible) == 1


def test_a_column_sorts_what_is_shown(visit):  # noqa: F811
    browser = visit("paper=board")  # noqa: F811
    head = one(browser, ".board .standings thead th:nth-child(6) .sort")
    head.click()
    seconds = [float(text) for text in shown(browser, "standings", 5) if text]
    assert seconds == sorted(seconds) and len(seconds) == 4
    head.click()
    seconds = [float(text) for text in shown(browser, "standings", 5) if text]
    assert seconds == sorted(seconds, reverse=True)


def test_rows_are_found_by_words_and_by_state(visit):  # noqa: F811
    browser = visit("paper=board")  # noqa: F811
    one(browser, ".board .find").send_keys("dcc")
    assert shown(browser, "standings", 1) == ["DCC"]
    assert set(shown(browser, "every", 1)) == {"DCC"}
    choose(browser, "status", "too-large")
    assert shown(browser, "every", 0) == ["WAP"]
    assert one(browser, ".board .count").text == "1 shown"
    assert (
        "220,482 non-zeros"
        in one(browser, '.board .every tr:not([hidden])[data-dataset="WAP"]').text
    )


def test_a_rank_leads_to_scores_and_they_to_their_runs(visit):  # noqa: F811
    browser = visit("paper=board")  # noqa: F811
    one(browser, '.standings tr:not([hidden]) .trace[data-method="SpecCo"]').click()
    assert set(shown(browser, "every", 1)) == {"SpecCo"}
    link = one(browser, '.every tr:not([hidden])[data-dataset="TR12"] a')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    until(browser, lambda b: "trials_tr12.html" in b.current_url)
    target = one(browser, ":target")
    assert target.get_attribute("id") == "tfidf-l2/specco"
    assert "c" * 16 not in target.text  # the fingerprint that is known is of another method
    assert len(target.find_elements(By.CSS_SELECTOR, "tbody tr")) == report_boards.RUNS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 500, 390])
def test_the_page_is_no_wider_than_the_screen(visit, width, scheme):  # noqa: F811
    browser = visit("paper=board", width, scheme)  # noqa: F811
    wide = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1] <= width
