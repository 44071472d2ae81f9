"""Tables and words of the report: numbers, escapes, counts."""

import csv
import io
import re

import pandas as pd
import pytest

from recoco.report import summary_line
from recoco.report.exports import to_csv, to_latex, to_markdown
from recoco.report.formats import (
    item_name,
    json_in_script,
    latex,
    markdown,
    p_value,
    printed_text,
    spreadsheet,
    with_spread,
)
from recoco.report.inputs import PrintedCell
from recoco.report.tables import Column, Entry, Table, measured_entry


@pytest.mark.parametrize(
    ("value", "sd", "places", "text"),
    [
        (0.9054, 0.0061, 3, "0.905 ± 0.006"),
        (0.9, 0.0, 3, "0.900 ± 0.000"),
        (0.34, 2.7e-16, 3, "0.340 ± 3e-16"),
        (-0.0001, float("nan"), 2, "0.00"),
        (float("nan"), 0.1, 2, ""),
        (4.1, float("nan"), 2, "4.10"),
    ],
)
def test_a_mean_is_written_with_its_spread(value, sd, places, text):
    assert with_spread(value, sd, places) == text


def test_p_values_below_a_thousandth_are_not_spelt_out():
    assert [p_value(p) for p in (0.0, 2e-9, 0.001, 0.0449, float("nan"))] == [
        *("< 0.001", "< 0.001", "0.001", "0.045", "")
    ]


def test_a_printed_cell_keeps_its_digits():
    assert printed_text("0.60", "0.10", "") == "0.60 ± 0.10"
    assert printed_text("0.001", "", "<") == "< 0.001"
    assert printed_text("", "", 'printed "-"') == "–"


@pytest.mark.parametrize(("value", "verdict"), [("0.5", "absent"), ("", "unprinted")])
def test_a_dash_in_print_is_no_number_that_is_missing_here(value, verdict):
    cell = PrintedCell("id", "p", "table1", "D", "na", "M", "nmi", value, "", "printed NA")
    assert cell.verdict == measured_entry(cell).verdict == verdict


def test_items_without_configuration_have_readable_names():
    names = {"table2": "Table 2", "fig10": "Figure 10", "text-6.4": "Text, Section 6.4"}
    assert {item: item_name(item) for item in names} == names


def test_summary_line():
    cells = pd.DataFrame({"verdict": ["reproduced"] * 3 + ["explained", "lower", "unreachable"]})
    line = "cells: 3 reproduced / 1 explained / 0 higher / 1 lower"
    assert summary_line([cells]) == f"{line} / 0 variant / 1 unreachable"
    more = pd.DataFrame({"verdict": ["failed", "not-run", "not-run"]})
    assert summary_line([cells, more]).endswith("/ 1 unreachable / 1 failed / 2 not run")


def test_latex_is_escaped():
    escaped = latex(r"50% of $x_i & #1 {a} ~ ^ \input{f} < 1 ± 2")
    assert r"50\% of \$x\_i \& \#1 \{a\}" in escaped
    assert r"\textbackslash{}input\{f\}" in escaped
    assert r"\textless{} 1 $\pm$ 2" in escaped
    # Whatever the text, no command of its own is left.
    left = re.sub(r"\\(text\w+\{\}|[%$&#_{}]|pm)", "", escaped)
    assert "\\" not in left


def test_markdown_and_spreadsheets_get_no_code():
    assert markdown("<b>a|b</b>\nc") == "&lt;b&gt;a\\|b&lt;/b&gt; c"
    assert spreadsheet("=cmd()") == "'=cmd()"
    assert spreadsheet("-0.12") == "-0.12"


def test_json_cannot_end_its_script():
    text = json_in_script({"reason": "</script><script>alert(1)</script> & \u2028"})
    assert "<" not in text and "&" not in text and "\u2028" not in text


@pytest.fixture
def table():
    columns = [
        Column(("Dataset",), numeric=False),
        *(Column(("ACC", m, s)) for m in ("A_1", "B&C") for s in ("printed", "measured")),
    ]
    rows = [
        [
            Entry("CSTR ± x"),
            Entry("0.91 ± 0.006"),
            Entry("0.905 ± 0.012", "reproduced", "R", "id"),
            Entry("0.30"),
            Entry("unreachable", "unreachable", "U", "id2"),
        ]
    ]
    nulls = [[Entry("CSTR, random"), Entry(), Entry("0.250 ± 0.010", span=3)]]
    return Table("paper_table2", "Table 2", "50% of it", columns, rows, nulls)


def test_headings_span_their_columns(table):
    assert [[part[:2] for part in row] for row in table.header()] == [
        [("", 1), ("ACC", 4)],
        [("", 1), ("A_1", 2), ("B&C", 2)],
        [("Dataset", 1), *[("printed", 1), ("measured", 1)] * 2],
    ]


def test_all_formats_have_the_same_numbers(table):
    def numbers(line):
        return re.findall(r"\d+\.\d+", line)

    lines = to_markdown(table).splitlines()
    marked = [numbers(line) for line in lines if line.startswith("| CSTR")]
    typeset = [numbers(line) for line in to_latex(table).splitlines() if line.startswith("CSTR")]
    listed = list(csv.reader(io.StringIO(to_csv(table))))
    assert marked == typeset == [numbers(" ".join(row)) for row in listed[1:]]
    assert marked == [["0.91", "0.006", "0.905", "0.012", "0.30"], ["0.250", "0.010"]]


def test_csv_has_spread_and_verdict_apart(table):
    heads, first, null = csv.reader(io.StringIO(to_csv(table)))
    row = dict(zip(heads, first, strict=True))
    assert row["ACC A_1 measured"] == "0.905"
    assert row["ACC A_1 measured sd"] == "0.012"
    assert row["ACC A_1 measured verdict"] == "reproduced"
    assert row["ACC B&C measured verdict"] == "unreachable"
    assert row["Dataset"] == "CSTR ± x"
    assert dict(zip(heads, null, strict=True))["ACC A_1 measured"] == "0.250"


def test_latex_has_the_frame_of_a_booktabs_table(table):
    text = to_latex(table)
    for part in ("\\toprule", "\\midrule", "\\bottomrule", "\\cmidrule(lr){2-5}", "A\\_1", "B\\&C"):
        assert part in text
    assert text.count("{") == text.count("}")
    widths = {
        len(line.split(" & "))
        + sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
        for line in text.splitlines()
        if line.endswith(r"\\")
    }
    assert widths == {5}
