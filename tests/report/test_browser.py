"""The report in a real browser, opened from a file as a reader would."""

from urllib.parse import quote

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.browser

CELL = "tables:table2:PAIR:binary:Coclus:acc"
NAME = "PAIR · binary · Coclus · ACC"
BRACKET = "words:table2:PAIR:count:WC-NMTF:nmi_best"
FORGET = """try { const kept = localStorage.length; localStorage.clear(); return kept > 0; }
catch (e) { return false; }"""
PAGES = [
    *("overview", "paper=tables", "paper=words", "paper=ensembles", "paper=studies"),
    *("paper=graphs", "paper=board", "datasets", "methods", "errata", "provenance"),
]


@pytest.fixture(scope="module")
def address(site):
    return (site / "index.html").as_uri()


@pytest.fixture
def visit(browser, address):
    """Open a page of the report at a width; what was opened before is forgotten."""

    def open_page(place="", width=1300, scheme="light"):
        browser.get("about:blank")
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        browser.get(f"{address}#{place}")
        if browser.execute_script(FORGET):
            browser.refresh()
        return browser

    yield open_page
    severe = [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]
    assert not severe


def one(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def until(browser, condition):
    return WebDriverWait(browser, 5).until(condition)


def is_open(browser):
    return browser.execute_script("return document.getElementById('cell').open")


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())"
    return browser.execute_script(script, selector)


def check_widths(browser, pages, width):
    """Open one page after the other and see that none must be scrolled sideways."""
    for page in pages:
        browser.execute_script("location.hash = arguments[0]", page)
        until(
            browser,
            lambda b, p=page: b.execute_script(
                "return !document.getElementById('page-' + arguments[0]).hidden", p
            ),
        )
        shown = browser.execute_script(
            "return [...document.querySelectorAll('.page')].filter((p) => !p.hidden).length"
        )
        assert shown == 1
        wide = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide[0] <= wide[1] <= width, page


@pytest.mark.parametrize("width", [1300, 390])
def test_no_page_is_wider_than_the_screen(visit, width):
    check_widths(visit(width=width), PAGES, width)


def test_dialog_fits_a_phone(visit):
    browser = visit(f"cell={quote(CELL, safe='')}", width=390)
    until(browser, is_open)
    box = browser.execute_script(
        "const box = document.getElementById('cell').getBoundingClientRect();"
        "return [box.left, box.right]"
    )
    assert box[0] >= 0 and box[1] <= 390


def test_a_click_opens_a_cell_and_escape_closes_it(visit):
    browser = visit()
    square = one(browser, f'#map [data-cell="{CELL}"]')
    square.click()
    until(browser, is_open)
    assert one(browser, "#cell-name").text == NAME
    shown = one(browser, "#cell-body").text
    assert "0.90 ± 0.007" in shown
    assert "pair/binary/coclus,n_init=2" in shown
    # Six combinations, but the row norm does not touch this cell: three different outcomes.
    assert len(browser.find_elements(By.CSS_SELECTOR, "#cell .measures tbody tr")) == 3
    assert browser.current_url.endswith(f"#cell={quote(CELL, safe='')}")
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    until(browser, lambda b: not is_open(b))
    until(browser, lambda b: b.current_url.endswith("#overview"))
    assert browser.switch_to.active_element == square


def test_the_dialog_of_a_bracket_says_what_it_is(visit):
    browser = visit(f"cell={quote(BRACKET, safe='')}")
    until(browser, is_open)
    assert one(browser, "#cell-name").text == "PAIR · count · WC-NMTF · NMI, lowest criterion"
    assert "lowest criterion of all runs" in one(browser, "#cell-body").text


def test_dataset_and_method_stay_in_view_on_a_phone(visit):
    browser = visit("paper=words/table2", width=390)
    places = browser.execute_script(
        """const table = document.querySelector('[id="at-words/table2"] table.two-keys');
        table.parentElement.scrollLeft = 300;
        const rows = [table.tHead.rows[2], table.tBodies[0].rows[4]];
        return rows.map((row) => [...row.cells].slice(0, 3).map((cell) => {
          const box = cell.getBoundingClientRect();
          return [Math.round(box.left), Math.round(box.right)];
        }));"""
    )
    for dataset, method, first in places:
        assert dataset[0] >= 0
        assert method[0] >= dataset[1] - 1  # beside the name of the dataset, not under it
        assert method[1] < 260  # and there is room left for numbers
        assert first[0] < dataset[1]  # the numbers have been scrolled


@pytest.mark.parametrize(("width", "least", "most"), [(1300, 4, 6), (390, 1, 1)])
def test_word_cards_stand_side_by_side_where_they_fit(visit, width, least, most):
    browser = visit("paper=words/words", width=width)
    lefts = browser.execute_script(
        """const groups = [...document.querySelectorAll('[id="at-words/words"] details')];
        groups.forEach((group) => { group.open = true; });
        const cards = groups.map((group) => [...group.querySelectorAll('.card')]);
        const most = cards.sort((a, b) => b.length - a.length)[0];
        return most.map((card) => Math.round(card.getBoundingClientRect().left));"""
    )
    assert len(lefts) == 5
    assert least <= len(set(lefts)) <= most


def test_groups_of_squares_are_named_on_a_phone(visit):
    browser = visit(width=390)
    named = browser.execute_script(
        """const square = document.querySelector(arguments[0]);
        return getComputedStyle(square.closest('.group'), '::before').content;""",
        '#map [data-cell="studies:fig10:ONE:na:SRC:nmi"]',
    )
    assert named == '"NMI"'


def test_the_map_is_walked_with_the_keyboard(visit):
    browser = visit()
    stops = "return document.querySelectorAll('#map .sq[tabindex=\"0\"]').length"
    assert browser.execute_script(stops) == 1
    first = one(browser, "#map .sq")
    browser.execute_script("arguments[0].focus()", first)
    first.send_keys(Keys.ARROW_RIGHT)
    second = browser.switch_to.active_element
    assert second.get_attribute("data-cell") != first.get_attribute("data-cell")
    second.send_keys(Keys.ARROW_DOWN)
    below = browser.switch_to.active_element
    assert below.location["y"] > second.location["y"]
    assert below.location["x"] == second.location["x"]
    below.send_keys(Keys.ENTER)
    until(browser, is_open)
    name = below.get_attribute("data-cell")
    assert name.split(":")[2] in one(browser, "#cell-name").text
    assert browser.execute_script(stops) == 1


def test_a_deep_link_opens_its_cell(visit):
    browser = visit(f"cell={quote(CELL, safe='')}")
    until(browser, is_open)
    assert one(browser, "#cell-name").text == NAME
    one(browser, "#cell-next").click()
    until(browser, lambda b: one(b, "#cell-name").text != NAME)
    assert is_open(browser)


def test_unknown_addresses_lead_to_the_overview(visit):
    for place in ("nowhere", "cell=nowhere", "%E0%A4%A"):
        browser = visit(place)
        until(browser, lambda b: one(b, "#page-overview").is_displayed())
        assert not is_open(browser)


def test_a_cell_that_nothing_answers_says_so(visit):
    browser = visit()
    one(browser, '#map [data-verdict="absent"]').click()
    until(browser, is_open)
    assert "no result for this cell" in one(browser, "#cell-body").text


def test_filters_leave_only_the_chosen_verdicts(visit):
    browser = visit()
    bright = "#map .sq:not(.dim)"
    every = len(texts(browser, "#map .sq"))
    button = one(browser, '.filter[data-verdict="lower"]')
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    lower = texts(browser, bright)
    assert set(lower) == {"L"}
    assert len(lower) == int(one(browser, '.filter[data-verdict="lower"] b').text)
    one(browser, '.filter[data-verdict="variant"]').click()
    assert set(texts(browser, bright)) == {"W", "V"}
    one(browser, "#all").click()
    assert len(texts(browser, bright)) == every


def column(browser, head):
    """Return the texts of the column under a heading cell."""
    return browser.execute_script(
        """const th = arguments[0];
        return [...th.closest("table").tBodies[0].rows]
          .map((row) => row.cells[th.cellIndex].textContent.trim());""",
        head,
    )


def sorting_heads(browser, item):
    heads = browser.find_elements(By.CSS_SELECTOR, f'[id="at-tables/{item}"] th:has(.sort)')
    return [head for head in heads if head.is_displayed()]


def numbers(values):
    """Return the numbers of a column, in which what has no number comes last."""
    filled = [text for text in values if text]
    assert values[: len(filled)] == filled
    return [float(text.split(" ± ")[0]) for text in filled]


def test_tables_sort_as_numbers(visit):
    browser = visit("paper=tables")
    heads = sorting_heads(browser, "table2")
    printed, measured, p_printed = heads[2], heads[3], heads[6]
    before = column(browser, printed)
    printed.find_element(By.TAG_NAME, "button").click()
    values = numbers(column(browser, printed))
    assert values == sorted(values) and len(values) > 2
    assert printed.get_attribute("aria-sort") == "ascending"
    printed.find_element(By.TAG_NAME, "button").click()
    values = numbers(column(browser, printed))
    assert values == sorted(values, reverse=True)
    printed.find_element(By.TAG_NAME, "button").click()
    assert column(browser, printed) == before

    measured.find_element(By.TAG_NAME, "button").click()
    words = ["unreachable" in text for text in column(browser, measured)]
    assert words == sorted(words)  # what has no number comes last

    p_printed.find_element(By.TAG_NAME, "button").click()
    values = column(browser, p_printed)
    assert values[0] == "< 0.001"
    firm = [float(text) for text in values if text and not text.startswith("<")]
    assert firm == sorted(firm)
    assert values.index("0.006") > len([t for t in values if t.startswith("<")]) - 1


def test_tables_sort_as_words(visit):
    browser = visit("paper=tables")
    head = sorting_heads(browser, "table2")[0]
    head.find_element(By.TAG_NAME, "button").click()
    names = column(browser, head)
    assert names == sorted(
        names,
        key=lambda n: [n.rstrip("0123456789"), int("0" + "".join(c for c in n if c.isdigit()))],
    )
    nulls = texts(browser, '[id="at-tables/table2"] tbody.nulls td:first-child')
    assert nulls[0] == "PAIR"  # the null models stay where they are


def test_light_and_dark(visit):
    ground = "return getComputedStyle(document.body).backgroundColor"
    ink = "return getComputedStyle(document.querySelector('figure svg text')).fill"
    browser = visit("paper=tables", scheme="light")
    light, light_ink = browser.execute_script(ground), browser.execute_script(ink)
    one(browser, "#theme").click()
    dark, dark_ink = browser.execute_script(ground), browser.execute_script(ink)
    assert light != dark and light_ink != dark_ink
    browser = visit("paper=tables", scheme="dark")
    browser.refresh()
    assert browser.execute_script(ground) == dark
    one(browser, "#theme").click()
    assert browser.execute_script(ground) == light


def test_the_menu_and_the_back_button_move_between_pages(visit):
    browser = visit()
    one(browser, '.top a[href="#datasets"]').click()
    until(browser, lambda b: one(b, "#page-datasets").is_displayed())
    assert one(browser, ".top [aria-current]").text == "Datasets"
    browser.back()
    until(browser, lambda b: one(b, "#page-overview").is_displayed())


@pytest.mark.parametrize("width", [1300, 390])
def test_a_link_leads_to_the_card_of_a_method(visit, width):
    browser = visit("methods", width=width)
    one(browser, '.inside a[href="#methods/wcnmtf"]').click()
    card = one(browser, '[id="at-methods/wcnmtf"]')
    until(browser, lambda b: -5 <= card.rect["y"] - b.execute_script("return scrollY") < 200)
    assert one(browser, "#page-methods").is_displayed()
    # The code of an equation is in sight, beside it or below it.
    right = browser.execute_script(
        "return Math.max(...[...arguments[0].querySelectorAll('.line')].map("
        "(line) => line.getBoundingClientRect().right))",
        card,
    )
    assert right <= width
