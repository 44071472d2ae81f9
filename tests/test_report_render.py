"""The whole report, rendered from made-up inputs."""

import csv
import hashlib
import io
import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pandas as pd
import pytest

import report_fixture
from recoco.compare.published import read_published
from recoco.errors import RecocoError
from recoco.report import render
from recoco.report.code_lines import find_line
from recoco.report.verdicts import VERDICTS


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return report_fixture.make(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def rendered(inputs):
    counts = render(**inputs)
    return counts, Path(inputs["out_dir"])


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Page(HTMLParser):
    """What stands in a page: elements with their attributes, and unclosed ones."""

    void = frozenset({"meta", "link", "br", "img", "input"})

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"unbalanced {tag}"


@pytest.fixture(scope="module")
def page(rendered):
    return Page((rendered[1] / "index.html").read_text(encoding="utf-8"))


def test_every_printed_cell_is_in_the_map_once(rendered, page):
    published = read_published(report_fixture.CONFIG / "published" / "published.csv")
    squares = [a["data-cell"] for _, a in page.elements if "data-cell" in a]
    assert len(squares) == len(published) == len(set(squares))
    assert sum(rendered[0].values()) == len(published)
    data = re.search(
        r'<script type="application/json" id="data">(.*?)</script>',
        (rendered[1] / "index.html").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert set(json.loads(data[1])["cells"]) == set(squares)


def test_counts_are_those_of_the_squares(rendered, page):
    verdicts = [a["data-verdict"] for _, a in page.elements if "data-cell" in a]
    assert rendered[0] == {key: verdicts.count(key) for key in rendered[0]}


def test_page_is_well_formed_and_stands_alone(page):
    assert page.open == []
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        assert "src" not in attributes, f"{tag} loads {attributes.get('src')}"
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "link":
            assert attributes["href"].startswith("data:")


def test_links_lead_somewhere(rendered, page):
    ids = {a["id"] for _, a in page.elements if "id" in a}
    cells = {a["data-cell"] for _, a in page.elements if "data-cell" in a}
    for tag, attributes in page.elements:
        target = attributes.get("href", "")
        if tag != "a" or target.startswith("https:"):
            continue
        if target.startswith("#cell="):
            assert unquote(target.removeprefix("#cell=")) in cells
        elif target.startswith("#"):
            name = unquote(target[1:])
            place = name.partition("=")[2] or name
            assert f"page-{name}" in ids or f"at-{place}" in ids, target
        else:
            assert (rendered[1] / target).is_file(), target


def test_tables_agree_in_numbers_in_all_formats(rendered):
    folder = rendered[1] / "tables"
    names = {path.stem for path in folder.iterdir()}
    assert {"coclus_table1", "coclus_table2", "coclus_example-5x4", "ebco_table4"} <= names
    more = ("table2", "words", "closeness", "densities", "figure5", "figure6")
    assert {f"wcnmtf_{name}" for name in more} <= names

    def numbers(text):
        return re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", text)

    for name in names:
        listed = list(csv.reader(io.StringIO((folder / f"{name}.csv").read_text("utf-8"))))[1:]
        lines = (folder / f"{name}.md").read_text("utf-8").splitlines()
        marked = [line for line in lines if line.startswith("| ")][1:]
        lines = (folder / f"{name}.tex").read_text("utf-8").splitlines()
        typeset = [line for line in lines if line.endswith(r"\\")]
        typeset = [re.sub(r"\\multicolumn\{\d+\}", "", line) for line in typeset][-len(listed) :]
        assert len(listed) == len(marked) == len(typeset)
        for row, line, source in zip(listed, marked, typeset, strict=True):
            line = line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            assert numbers(" ".join(row)) == numbers(line) == numbers(source), (name, line)


def test_latex_tables_compile(rendered, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("LaTeX is not installed")
    parts = [p.read_text("utf-8") for p in sorted((rendered[1] / "tables").glob("*.tex"))]
    wanted = ("[T1]{fontenc}", "{booktabs}", "{graphicx}", "{longtable}")
    packages = "".join(f"\\usepackage{name}" for name in wanted)
    body = "\\clearpage\n".join(parts)
    source = f"\\documentclass{{article}}{packages}\\begin{{document}}{body}\\end{{document}}"
    (tmp_path / "all.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Float too large" not in done.stdout


def test_data_are_copies(rendered, inputs):
    for paper, folder in inputs["compare_dirs"].items():
        for path in folder.glob("*.csv"):
            assert (rendered[1] / "data" / f"{paper}_{path.name}").read_bytes() == path.read_bytes()


def test_methods_say_what_the_configuration_sets(rendered):
    text = (rendered[1] / "index.html").read_text(encoding="utf-8")
    methods = text[text.index('id="page-methods"') : text.index('id="page-errata"')]
    assert "<code>max_iter=77</code>" in methods
    assert "Random labels, sorted" in methods


def test_null_models_stand_under_the_table(rendered):
    text = (rendered[1] / "tables" / "coclus_table2.md").read_text(encoding="utf-8")
    assert "| CSTR | random labels |" in text
    assert "| CSTR | random labels, sorted |" in text


def test_figures_carry_no_date_and_fit_both_lights(rendered):
    folder = rendered[1] / "figures"
    stems = {path.stem for path in folder.iterdir()}
    named = {"coclus_figure2", "coclus_figure3", "coclus_selection"}
    named |= {f"ebco_figure{n}" for n in ("2", "3", "3a", "4", "5")}
    assert stems == named | {"wcnmtf_selection"} | {f"wcnmtf_figure{n}" for n in range(2, 7)}
    for stem in stems:
        assert "<dc:date>" not in (folder / f"{stem}.svg").read_text(encoding="utf-8")
        assert b"CreationDate" not in (folder / f"{stem}.pdf").read_bytes()
    text = (rendered[1] / "index.html").read_text(encoding="utf-8")
    drawn = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(drawn) == len(stems)
    for figure in drawn:
        assert "currentColor" in figure
        assert "#010203" not in figure  # the stand-in of the ink


def test_rendering_again_gives_the_same_bytes_and_sweeps(rendered, inputs):
    folder = rendered[1]
    before = digests(folder)
    stale = [folder / "tables" / "old_table9.md", folder / "old.html", folder / "gone" / "x.txt"]
    kept = [folder / "README.md", folder / "bench" / "times.csv"]
    kept.append(folder / "reference" / "README.md")
    for path in [*stale, *kept]:
        path.parent.mkdir(exist_ok=True)
        path.write_text("written by somebody else")
    render(**inputs)
    after = digests(folder)
    assert not [path for path in [*stale, folder / "gone"] if path.exists()]
    extra = {str(path.relative_to(folder)) for path in kept}
    assert extra <= set(after)
    assert {name: digest for name, digest in after.items() if name not in extra} == before


def test_what_the_project_keeps_in_reports_is_at_home_there(inputs, tmp_path):
    checkout = Path(__file__).parents[1]
    tracked = subprocess.run(
        ["git", "ls-files", "reports"], cwd=checkout, capture_output=True, text=True
    ).stdout.split()
    if not tracked:
        pytest.skip("no git checkout: what belongs to the project cannot be told")
    names = {Path(path).parts[1] for path in tracked}
    for name in names:
        kept = checkout / "reports" / name
        copy = shutil.copytree if kept.is_dir() else shutil.copy
        copy(kept, tmp_path / name)
    before = digests(tmp_path)
    for _ in range(2):  # into a folder without a page, then over one's own
        render(**{**inputs, "out_dir": tmp_path})
    after = digests(tmp_path)
    assert {name: after.get(name) for name in before} == before


def test_malicious_text_stays_text(tmp_path):
    evil = "</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}"
    inputs = report_fixture.make(tmp_path, papers=("ebco",), reason=evil)
    counts = render(**inputs)
    assert counts["absent"] > 0
    assert (tmp_path / "reports" / "figures").is_dir()  # there, though the paper has none
    text = (tmp_path / "reports" / "index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "img" not in [tag for tag, _ in page.elements]
    assert not [name for _, a in page.elements for name in a if name.startswith("on")]
    assert text.count("</script>") == 2
    assert any(a.get("title") == evil for _, a in page.elements)


def test_a_foreign_folder_is_left_alone(inputs, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RecocoError, match=r"thesis\.tex"):
        render(**{**inputs, "out_dir": tmp_path})
    assert (tmp_path / "thesis.tex").exists()


def test_an_answer_to_a_cell_nobody_printed_is_refused(tmp_path):
    inputs = report_fixture.make(tmp_path, papers=("ebco",))
    path = inputs["compare_dirs"]["ebco"] / "cells.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[0, "cell"] = "ebco:table2:NOWHERE"
    frame.to_csv(path, index=False)
    with pytest.raises(RecocoError, match="NOWHERE"):
        render(**inputs)


def test_a_missing_column_is_named(tmp_path):
    inputs = report_fixture.make(tmp_path, papers=("ebco",))
    path = inputs["compare_dirs"]["ebco"] / "measures.csv"
    pd.read_csv(path, dtype=str).drop(columns="trial").to_csv(path, index=False)
    with pytest.raises(RecocoError, match="'trial'"):
        render(**inputs)


def test_an_unknown_drawing_is_refused_with_the_nearest(tmp_path):
    inputs = report_fixture.make(tmp_path, papers=("coclus",))
    path = inputs["config_dir"] / "papers" / "coclus.yaml"
    path.write_text(path.read_text("utf-8").replace("nmi_bars", "nmi_bar"), encoding="utf-8")
    with pytest.raises(RecocoError, match="did you mean 'nmi_bars'"):
        render(**inputs)


def test_the_picture_has_a_square_for_every_cell_inside_its_frame(rendered):
    text = (rendered[1] / "verdicts.svg").read_text(encoding="utf-8")
    drawn = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    width, height = (float(drawn.get(side)) for side in ("width", "height"))
    squares = 0
    for group in drawn.iter(f"{name}g"):
        place = re.fullmatch(r"translate\((\S+) (\S+)\)", group.get("transform"))
        boxes = []
        for square in group.iter(f"{name}rect"):
            x, y = (float(place[n]) + float(square.get(axis)) for n, axis in ((1, "x"), (2, "y")))
            assert 0 < x < width - 9 and 0 < y < height - 9
            boxes.append((x, y))
        assert len(set(boxes)) == len(boxes)  # none hides another
        squares += len(boxes)
    assert squares == sum(rendered[0].values())
    for verdict, count in rendered[0].items():
        if count:
            assert f">{VERDICTS[verdict].label} {count}<" in text


def test_items_of_the_picture_do_not_overlap(rendered):
    drawn = ElementTree.fromstring((rendered[1] / "verdicts.svg").read_text(encoding="utf-8"))
    name = "{http://www.w3.org/2000/svg}"
    places = []
    for group in drawn.iter(f"{name}g"):
        left, top = map(float, re.findall(r"[\d.]+", group.get("transform")))
        for square in group.iter(f"{name}rect"):
            x, y = left + float(square.get("x")), top + float(square.get("y"))
            places.append((round(x, 1), round(y, 1)))
    apart = sorted(places, key=lambda place: (place[1], place[0]))
    for (x, y), (next_x, next_y) in itertools.pairwise(apart):
        assert next_y > y or next_x >= x + 9


def test_a_card_shows_equations_seconds_and_places(rendered):
    text = (rendered[1] / "index.html").read_text(encoding="utf-8")
    start = text.index('id="at-methods/coclus"')
    card = text[start : text.index('id="at-methods/specco"')]
    line = find_line("kernels.modularity:modularity", "return (inside - expected / total) / total")
    assert f"kernels/modularity.py:{line.line}" in card
    assert "return (inside - expected / total) / total" in card
    assert "Seconds grow as nnz<sup>0.80</sup>" in card
    assert "AilemRoleNadif2015" in card and 'href="#paper=coclus"' in card
    assert card.count("<circle") == len(set(report_fixture.CARDS.values()) - report_fixture.MISSING)
