"""The report: one self-contained page, and the files beside it."""

import base64
import hashlib
import re
import shutil
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from recoco.compare.verdicts import VERDICTS
from recoco.core.errors import RecocoError
from recoco.core.files import atomic, write_text
from recoco.report import cells, exports, formats, items, method_cards, overlay, pages, trials
from recoco.report.inputs import Material, gather
from recoco.report.verdict_picture import verdict_picture
from recoco.report.verdicts import count_verdicts, style_of_verdicts, summary_line

_HERE = Path(__file__).parent
_GENERATOR = "recoco report"
# Files and folders that are kept although they are not rendered.
_KEPT = {"README.md", "bench", "reference", "speed", ".gitkeep"}
_STAMP = ".snakemake_timestamp"  # Snakemake's mark in folders that a rule writes
_FOLDERS = ("tables", "figures", "data")


def render_site(out_dir, **inputs) -> dict[str, int]:
    """Write the whole report; see `recoco.report.render`."""
    out_dir = Path(out_dir)
    _check_folder(out_dir)
    material = gather(**inputs)
    written: set[Path] = set()

    def put(name: str, content: str | bytes) -> None:
        path = out_dir / name
        if isinstance(content, bytes):
            with atomic(path) as stream:
                stream.write(content)
        else:
            write_text(path, content)
        written.add(path)

    made_tables, made_figures = {}, {}
    for key, paper in material.papers.items():
        for name, item in paper.items.items():
            if items.is_drawn(item):
                made_figures[key, name], svg, pdf = items.draw(material, paper, name)
                put(f"figures/{key}_{name}.svg", svg)
                put(f"figures/{key}_{name}.pdf", pdf)
            if table := items.item_table(material, paper, name):
                made_tables[key, name] = table
                put(f"tables/{table.name}.md", exports.to_markdown(table))
                put(f"tables/{table.name}.tex", exports.to_latex(table))
                put(f"tables/{table.name}.csv", exports.to_csv(table))
        for path in sorted(paper.folder.glob("*.csv")):
            put(f"data/{key}_{path.name}", path.read_bytes())
    put("verdicts.svg", verdict_picture(material))
    environment = _environment()
    runs = environment.get_template("trials.html")
    for name, shown in trials.trial_pages(material):
        put(name, runs.render(generator=_GENERATOR, style=_style(), **shown))
    put("index.html", _page(environment, material, made_tables, made_figures))
    _sweep(out_dir, written)
    return count_verdicts(cell.verdict for cell in material.cells)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["zip"] = zip
    environment.filters["address"] = lambda text: quote(str(text), safe="")
    environment.filters["metric"] = formats.metric_name
    environment.filters["minus"] = lambda text: re.sub(r"(?<![\w.])-(?=\d)", "−", str(text))
    return environment


def _style() -> Markup:
    # A pattern of the fixed part may cover a square of any verdict, so that part comes last.
    fixed = (_HERE / "assets" / "style.css").read_text(encoding="utf-8")
    return Markup(style_of_verdicts() + fixed)


def _page(environment: Environment, material: Material, made_tables, made_figures) -> str:
    scripts = [_HERE / "assets" / name for name in ("only_here.js", "site.js")]
    script = "".join(path.read_text(encoding="utf-8") for path in scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = cells.dialog_data(material)
    return environment.get_template("index.html").render(
        generator=_GENERATOR,
        style=_style(),
        script=Markup(script),
        script_hash=digest,
        data=Markup(formats.json_in_script(data)),
        verdicts=VERDICTS,
        provenance=material.provenance,
        summary=summary_line([paper.frames["cells"] for paper in material.papers.values()]),
        two_counts=material.two_counts,
        tally=overlay.tally(material.cells),
        origin=overlay.LABEL,
        overlaid=any(cell.known for cell in material.cells),
        total=sum(cell.verdict != "unprinted" for cell in material.cells),
        map=cells.verdict_map(material),
        causes=pages.causes(material),
        papers=pages.paper_pages(material, made_tables, made_figures),
        datasets=pages.dataset_cards(material),
        measured_columns=pages.CHARACTERISTICS,
        metric_of_cards=method_cards.METRIC,
        methods=method_cards.method_cards(material),
        errata=material.errata,
        stages=pages.stage_rows(material),
        slowest=pages.slowest_jobs(material),
    )


def _check_folder(out_dir: Path) -> None:
    """Raise an error if a folder is not a report: all other files in it would be removed."""
    if not out_dir.exists():
        return
    if not out_dir.is_dir():
        raise RecocoError(f"{out_dir} is not a folder: name another place for the report.")
    index = out_dir / "index.html"
    ours = index.is_file() and _GENERATOR in index.read_text("utf-8", errors="replace")[:2000]
    # A first rendering that was interrupted leaves some of these, but no page.
    expected = _KEPT | {*_FOLDERS, _STAMP, "verdicts.svg"}
    names = sorted(path.name for path in out_dir.iterdir())
    others = [n for n in names if n not in expected and not n.startswith(".index.html.")]
    if others and not ours:
        raise RecocoError(
            f"{out_dir} holds {others[0]!r}, which is not part of a report: "
            "name an empty folder or that of an earlier report."
        )


def _sweep(out_dir: Path, written: set[Path]) -> None:
    """Remove the files of an earlier rendering; create all folders, even if they stay empty."""
    folders = {out_dir, *(out_dir / name for name in _FOLDERS)}
    for folder in sorted(folders):
        folder.mkdir(exist_ok=True)
        for path in sorted(folder.iterdir()):
            if path in written or path in folders or path.name == _STAMP:
                continue
            if folder == out_dir and path.name in _KEPT:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
