"""The whole report, rendered from the results of the mini project."""

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

from recoco.compare.published import printed_cells
from recoco.compare.verdicts import VERDICTS
from recoco.config.papers import all_papers
from recoco.core.errors import RecocoError
from recoco.report import render
from recoco.report.code_lines import find_line
from recoco.report.items import is_drawn
from support.projects import CHECKOUT
from support.report_inputs import own_inputs, report_inputs


@pytest.fixture
def inputs(tmp_path):
    """Inputs as they were computed, and a folder of this test's own for the report."""
    return report_inputs(tmp_path / "reports")


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
        if tag == "td" and self.open[-1] == "td":  # HTML lets a cell end where the next begins
            self.open.pop()
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag == "tr" and self.open[-1] == "td":
            self.open.pop()
        assert self.open and self.open.pop() == tag, f"unbalanced {tag}"


@pytest.fixture(scope="module")
def parsed(page):
    return Page(page)


def test_every_printed_cell_is_in_the_map_once(rendered, parsed, page, inputs):
    published = printed_cells(all_papers(inputs["config_dir"]).values())
    squares = [a["data-cell"] for _, a in parsed.elements if "data-cell" in a]
    assert len(squares) == len(published) == len(set(squares))
    assert sum(rendered[0].values()) == len(published)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert set(json.loads(data[1])["cells"]) == set(squares)


def test_counts_are_those_of_the_squares(rendered, parsed):
    verdicts = [a["data-verdict"] for _, a in parsed.elements if "data-cell" in a]
    assert rendered[0] == {key: verdicts.count(key) for key in rendered[0]}
    known = ("reproduced", "explained", "higher", "lower", "variant", "unreachable", "absent")
    assert all(rendered[0][key] for key in known)


def test_page_is_well_formed_and_stands_alone(parsed):
    assert parsed.open == []
    ids = [a["id"] for _, a in parsed.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes in parsed.elements:
        assert "src" not in attributes, f"{tag} loads {attributes.get('src')}"
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "link":
            assert attributes["href"].startswith("data:")


def test_links_lead_somewhere(site, parsed):
    ids = {a["id"] for _, a in parsed.elements if "id" in a}
    cells = {a["data-cell"] for _, a in parsed.elements if "data-cell" in a}
    for tag, attributes in parsed.elements:
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
            assert (site / target.partition("#")[0]).is_file(), target


def test_tables_agree_in_numbers_in_all_formats(rendered):
    folder = rendered[1] / "tables"
    names = {path.stem for path in folder.iterdir()}
    more = ("table2", "words", "closeness", "densities", "figure5", "figure6")
    assert {f"words_{name}" for name in more} <= names
    assert {"tables_table1", "tables_table2", "tables_example", "ensembles_matrices"} <= names
    assert {"studies_ranks", "studies_times", "graphs_views", "board_all"} <= names

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


def test_methods_say_what_the_configuration_sets(page):
    methods = page[page.index('id="page-methods"') : page.index('id="page-errata"')]
    assert "<code>max_iter=100</code>" in methods
    assert "Random labels, sorted" in methods


def test_null_models_stand_under_the_table(site):
    text = (site / "tables" / "tables_table2.md").read_text(encoding="utf-8")
    assert "| PAIR | random labels |" in text
    assert "| PAIR | random labels, sorted |" in text


def test_figures_carry_no_date_and_fit_both_lights(site, page, material):
    folder = site / "figures"
    stems = {path.stem for path in folder.iterdir()}
    assert stems == {
        f"{key}_{item}"
        for key, paper in material.papers.items()
        for item, block in paper.config["items"].items()
        if is_drawn(block)
    }
    assert len(stems) > 20
    for stem in stems:
        assert "<dc:date>" not in (folder / f"{stem}.svg").read_text(encoding="utf-8")
        assert b"CreationDate" not in (folder / f"{stem}.pdf").read_bytes()
    drawn = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert len(drawn) == len(stems)
    for figure in drawn:
        assert "currentColor" in figure
        assert "#010203" not in figure  # the stand-in of the ink


def test_rendering_again_gives_the_same_bytes_and_sweeps(site, inputs):
    folder = inputs["out_dir"]
    shutil.copytree(site, folder)
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


def test_what_the_project_keeps_in_reports_is_at_home_there(tmp_path):
    tracked = subprocess.run(
        ["git", "ls-files", "reports"], cwd=CHECKOUT, capture_output=True, text=True
    ).stdout.split()
    if not tracked:
        pytest.skip("no git checkout: what belongs to the project cannot be told")
    names = {Path(path).parts[1] for path in tracked}
    for name in names:
        kept = CHECKOUT / "reports" / name
        copy = shutil.copytree if kept.is_dir() else shutil.copy
        copy(kept, tmp_path / name)
    before = digests(tmp_path)
    for _ in range(2):  # into a folder without a page, then over one's own
        render(**report_inputs(tmp_path, ("studies",)))
    after = digests(tmp_path)
    assert {name: after.get(name) for name in before} == before


def test_malicious_text_stays_text(tmp_path):
    evil = "</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}"
    inputs = own_inputs(tmp_path, ("words",))
    path = inputs["compare_dirs"]["words"] / "cells.csv"
    pd.read_csv(path, dtype=str).assign(reason=evil).to_csv(path, index=False)
    counts = render(**inputs)
    assert counts["absent"] > 0
    assert (tmp_path / "reports" / "figures").is_dir()
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
    inputs = own_inputs(tmp_path, ("words",))
    path = inputs["compare_dirs"]["words"] / "cells.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[0, "cell"] = "words:table2:NOWHERE"
    frame.to_csv(path, index=False)
    with pytest.raises(RecocoError, match="NOWHERE"):
        render(**inputs)


def test_a_missing_column_is_named(tmp_path):
    inputs = own_inputs(tmp_path, ("words",))
    path = inputs["compare_dirs"]["words"] / "measures.csv"
    pd.read_csv(path, dtype=str).drop(columns="trial").to_csv(path, index=False)
    with pytest.raises(RecocoError, match="'trial'"):
        render(**inputs)


def test_an_unknown_drawing_is_refused_with_the_nearest(tmp_path):
    inputs = own_inputs(tmp_path, ("tables",))
    path = inputs["config_dir"] / "papers" / "tables" / "paper.yaml"
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


def test_a_card_shows_equations_seconds_and_places(tmp_path):
    """Clock readings differ each time: blocks of runs take 1 s, then seconds as nnz^0.8 here."""
    inputs = own_inputs(tmp_path, ("tables",))
    records = []
    for place, path in enumerate(inputs["characteristics"]):  # datasets of all sizes
        records.append(json.loads(path.read_text()) | {"nonzeros": [1000 * 2**place]})
        path.write_text(json.dumps(records[-1]))
    rows = [
        (f"{record['dataset']}/binary/{method}/{first}-{last}", seconds)
        for record in records
        if record["status"] == "ok"
        for method in ("coclus", "specco,unit=rows")
        for first, last in ((0, 5), (5, 100))
        for seconds in [1 + (last - first) * 0.01 * record["nonzeros"][0] ** 0.8]
    ]
    pd.DataFrame(
        [("runs", name, seconds + 2, 1, seconds) for name, seconds in rows],
        columns=["stage", "name", "seconds", "jobs", "computing"],
    ).to_csv(inputs["timings"], index=False)
    cards = inputs["config_dir"] / "method_cards.yaml"
    cards.write_text(cards.read_text(encoding="utf-8").replace("paper: coclus", "paper: tables"))
    render(**inputs)
    text = (inputs["out_dir"] / "index.html").read_text(encoding="utf-8")
    start = text.index('id="at-methods/coclus"')
    card = text[start : text.index('id="at-methods/specco"')]
    line = find_line("kernels.modularity:modularity", "2")
    assert f"kernels/modularity.py:{line.line}" in card
    assert "return (inside - expected / total) / total" in card
    assert "Seconds grow as nnz<sup>0.80</sup>" in card
    assert "AilemRoleNadif2015" in card and 'href="#paper=tables"' in card
    assert card.count("<circle") == sum(record["status"] == "ok" for record in records)
