"""The switch that hides what is from the reference run, in a real browser."""

from urllib.parse import quote

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from recoco.report import render
from recoco.report.overlay import LABEL
from report.test_browser import check_widths, is_open, one, until, visit  # noqa: F401
from support.reference_run import COMMIT, SHA256, lose
from support.report_inputs import own_inputs

pytestmark = pytest.mark.browser

CELL = "tables:table2:PAIR:binary:Coclus:acc"
SQUARE = f'#map [data-cell="{CELL}"]'
ENTRY = f'[id="at-tables/table2"] td:has(a[href="#cell={quote(CELL, safe="")}"])'


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("overlay")
    inputs = own_inputs(folder, ("tables", "words"))
    lose(folder, "tables", {"PAIR": "unreachable", "FOUR": "not-run"})
    lose(folder, "words", {"PAIR": "unreachable"})
    render(**inputs, with_reference=folder)
    return (inputs["out_dir"] / "index.html").as_uri()


def state(browser, selector):
    """Return the letter, the classes, the name and the background of an element."""
    return browser.execute_script(
        """const e = document.querySelector(arguments[0]);
        return [e.textContent, [...e.classList].sort(), e.getAttribute('aria-label'),
          getComputedStyle(e).backgroundImage, e.dataset.verdict];""",
        selector,
    )


def counted(browser, verdict):
    return one(browser, f'.filter[data-verdict="{verdict}"]').text.split()[-3:]


def test_the_switch_shows_only_what_was_computed_here(visit):  # noqa: F811
    browser = visit()
    letter, classes, name, image, verdict = state(browser, SQUARE)
    assert letter != "U" and "known" in classes and "gradient" in image
    assert name.endswith(LABEL) and verdict != "unreachable"
    assert one(browser, ".hatch-means").is_displayed() and "+" in counted(browser, verdict)
    before = int(counted(browser, "unreachable")[-1])

    one(browser, "#only-here").click()
    letter, classes, name, image, now = state(browser, SQUARE)
    assert letter == "U" and now == "unreachable" and classes == ["sq", "v-unreachable"]
    assert name.endswith("; unreachable") and "gradient" not in image
    assert not one(browser, ".hatch-means").is_displayed()
    assert "+" not in counted(browser, verdict)
    every = browser.find_elements(By.CSS_SELECTOR, '#map [data-verdict="unreachable"]')
    assert int(counted(browser, "unreachable")[-1]) == len(every) > before
    assert not browser.find_elements(By.CSS_SELECTOR, "#map .sq.known")

    one(browser, '.filter[data-verdict="unreachable"]').click()
    bright = browser.find_elements(By.CSS_SELECTOR, "#map .sq:not(.dim)")
    assert len(bright) == len(every)
    one(browser, "#only-here").click()
    assert state(browser, SQUARE)[4] == verdict
    bright = browser.find_elements(By.CSS_SELECTOR, "#map .sq:not(.dim)")
    assert len(bright) == before


def test_tables_follow_the_switch(visit):  # noqa: F811
    browser = visit("paper=tables")
    shown = one(browser, ENTRY).text
    assert "±" in shown and shown.endswith("*") and "unreachable" not in shown
    head = browser.execute_script(
        "const cell = document.querySelector(arguments[0]);"
        "const heads = cell.closest('table').tHead.rows;"
        "return heads[heads.length - 1].cells[cell.cellIndex]",
        ENTRY,
    )
    one(browser, "#only-here").click()
    assert one(browser, ENTRY).text == "unreachableU"
    head.find_element(By.TAG_NAME, "button").click()
    # What is out of sight is not sorted by: the cell comes after all numbers.
    rows = browser.execute_script(
        """const th = arguments[0];
        return [...th.closest("table").tBodies[0].rows]
          .map((row) => row.cells[th.cellIndex].innerText.trim());""",
        head,
    )
    without = [not any(sign.isdigit() for sign in text) for text in rows]
    assert without == sorted(without) and any(without) and not all(without)


def test_the_dialog_opens_the_numbers_of_the_reference(visit):  # noqa: F811
    browser = visit(f"cell={quote(CELL, safe='')}")
    until(browser, is_open)
    text = one(browser, "#cell-body").text
    for part in (LABEL, "0.90 ± 0.007", "95 % interval", "runs", SHA256, COMMIT):
        assert part in text
    assert text.index(LABEL) < text.index("Not computed here") < text.index("in this test")
    one(browser, "#cell-close").click()
    one(browser, "#only-here").click()
    one(browser, SQUARE).click()
    until(browser, is_open)
    text = one(browser, "#cell-body").text
    assert LABEL not in text and SHA256 not in text and "unreachable in this test" in text


def test_the_switch_works_by_keyboard_and_is_remembered(visit):  # noqa: F811
    browser = visit()
    theme = one(browser, "#theme")
    browser.execute_script("arguments[0].focus()", theme)
    theme.send_keys(Keys.SHIFT + Keys.TAB)
    switch = browser.switch_to.active_element
    assert switch.get_attribute("id") == "only-here"
    assert browser.execute_script("return arguments[0].labels[0].textContent", switch).strip()
    switch.send_keys(Keys.SPACE)
    assert state(browser, SQUARE)[0] == "U"
    browser.refresh()
    assert one(browser, "#only-here").is_selected() and state(browser, SQUARE)[0] == "U"
    one(browser, "#only-here").send_keys(Keys.SPACE)
    browser.refresh()
    assert not one(browser, "#only-here").is_selected() and state(browser, SQUARE)[0] != "U"


@pytest.mark.parametrize("width", [1300, 420])
def test_no_page_is_wider_than_the_screen(visit, width):  # noqa: F811
    browser = visit(width=width)
    check_widths(browser, ["overview", "paper=tables", "paper=words"], width)
    browser.execute_script("location.hash = arguments[0]", f"cell={quote(CELL, safe='')}")
    until(browser, is_open)
    wide = "const d = document.getElementById('cell'); return [d.scrollWidth, d.clientWidth]"
    assert len(set(browser.execute_script(wide))) == 1
