"""Sorting and filtering a leaderboard in a real browser, and the way from a rank to its runs."""

import pandas as pd
import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from report.test_browser import address, one, until, visit  # noqa: F401  fixtures among them
from report.test_leaderboard import RUNS

pytestmark = pytest.mark.browser


def shown(browser, table, column):
    """Return the texts of a column in the rows that are shown, from top to bottom."""
    script = (
        "return [...document.querySelectorAll('.board .' + arguments[0] + ' tbody tr')]"
        ".filter((row) => !row.hidden)"
        ".map((row) => row.cells[arguments[1]].textContent.trim())"
    )
    return browser.execute_script(script, table, column)


def means(browser):
    """Return the mean score by method; a name may be followed by a tag."""
    names = [text.split(" front")[0].split(" best")[0] for text in shown(browser, "standings", 1)]
    return dict(zip(names, shown(browser, "standings", 3), strict=True))


def choose(browser, key, value):
    select = Select(one(browser, f'.board select[data-key="{key}"]'))
    select.select_by_value(value)


def test_another_ranking_is_chosen(visit, material):  # noqa: F811
    rows = material.papers["board"].frames["standings"].query("metric == 'nmi'")
    scores = rows.set_index(["weighting", "selection", "method"])["mean_score"]
    scores = pd.to_numeric(scores)
    browser = visit("paper=board")
    assert len(shown(browser, "standings", 1)) == 7
    before = means(browser)
    choose(browser, "weighting", "count")
    after = means(browser)
    assert len(after) == 7
    assert float(before["SpecCo"]) == pytest.approx(scores["tfidf-l2", "mean", "SpecCo"], abs=1e-3)
    assert float(after["SpecCo"]) == pytest.approx(scores["count", "mean", "SpecCo"], abs=1e-3)
    assert before["SpecCo"] != after["SpecCo"]
    choose(browser, "selection", "best")
    best = means(browser)
    assert float(best["DCC"]) == pytest.approx(scores["count", "best", "DCC"], abs=1e-3)
    assert best["DCC"] != after["DCC"]
    visible = browser.find_elements(By.CSS_SELECTOR, ".board .duels")
    assert sum(table.is_displayed() for table in visible) == 1


def test_a_column_sorts_what_is_shown(visit):  # noqa: F811
    browser = visit("paper=board")
    head = one(browser, ".board .standings thead th:nth-child(6) .sort")
    head.click()
    seconds = [float(text) for text in shown(browser, "standings", 5) if text]
    assert seconds == sorted(seconds) and len(seconds) == 5
    head.click()
    seconds = [float(text) for text in shown(browser, "standings", 5) if text]
    assert seconds == sorted(seconds, reverse=True)


def test_rows_are_found_by_words_and_by_state(visit):  # noqa: F811
    browser = visit("paper=board")
    one(browser, ".board .find").send_keys("dcc")
    assert [text.split()[0] for text in shown(browser, "standings", 1)] == ["DCC"]
    assert set(shown(browser, "every", 1)) == {"DCC"}
    choose(browser, "status", "too-large")
    assert shown(browser, "every", 0) == ["PLANTED"]
    assert one(browser, ".board .count").text == "1 shown"
    row = one(browser, '.board .every tr:not([hidden])[data-dataset="PLANTED"]')
    assert "300 rows" in row.text


def test_a_rank_leads_to_scores_and_they_to_their_runs(visit, material):  # noqa: F811
    browser = visit("paper=board")
    one(browser, '.standings tr:not([hidden]) .trace[data-method="SpecCo"]').click()
    assert set(shown(browser, "every", 1)) == {"SpecCo"}
    link = one(browser, '.every tr:not([hidden])[data-dataset="TRIO"] a')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    until(browser, lambda b: "trials_trio.html" in b.current_url)
    target = one(browser, ":target")
    assert target.get_attribute("id") == "tfidf-l2/specco"
    known = material.provenance["fingerprints"]
    assert known["specco"] in target.text and known["coclus"] not in target.text
    assert len(target.find_elements(By.CSS_SELECTOR, "tbody tr")) == RUNS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 500, 390])
def test_the_page_is_no_wider_than_the_screen(visit, width, scheme):  # noqa: F811
    browser = visit("paper=board", width, scheme)
    wide = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1] <= width
