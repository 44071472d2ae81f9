"""Compare a paper: every printed cell, every fixed combination of open choices, every claim."""

from pathlib import Path

import pandas as pd

from recoco.compare.causes import add_causes
from recoco.compare.claims import claim_rows
from recoco.compare.comparison import Comparison, Findings
from recoco.compare.outputs import OUTPUTS
from recoco.compare.published import printed_cells, printed_rows
from recoco.compare.twins import drawn_record, judged_record, numbers_on_twins, twins_of, without
from recoco.compare.verdicts import CAUSED
from recoco.config import Config
from recoco.config.papers import load_paper
from recoco.core.files import read_json, write_text
from recoco.items import kind_of
from recoco.plan import settings_of


def compare_paper(config: Config, key: str, findings: Findings, out: Path) -> pd.DataFrame:
    """Write the comparison of a paper as CSV files into ``out``; return its cells."""
    comparison = _answered(begin(config, key, findings))
    tables = comparison.tables
    records = _records(findings)
    if drawn := twins_of(records):
        as_data = {name: drawn_record(record) for name, record in records.items()}
        with_twins = _answered(_begin(config, key, findings, as_data)).tables["cells"]
        tables["drawn"] = numbers_on_twins(tables["cells"], with_twins, drawn)
    add_causes(tables["cells"], comparison.paper.causes, comparison.misprints)
    for table in comparison.score_tables.values():
        table.frames = tables
    tables["claims"] = claim_rows(comparison.paper.claims, comparison.score_tables)
    for name, columns in OUTPUTS.items():
        frame = pd.DataFrame(tables[name]).reindex(columns=_columns(columns, tables[name]))
        write_text(out / f"{name}.csv", frame.to_csv(index=False, float_format="%.10g"))
    return pd.DataFrame(tables["cells"])


def _answered(comparison: Comparison) -> Comparison:
    """Add the rows of all items to a comparison."""
    for name, item in comparison.items.items():
        rows = printed_rows(comparison, item)
        cells = kind_of(item).compare(comparison, name, item, rows)
        comparison.tables["cells"] += [_misprinted(comparison.misprints, cell) for cell in cells]
    return comparison


def _misprinted(misprints: dict[str, str], cell: dict) -> dict:
    """Return a cell with the verdict that an erratum gives it, if it has a number."""
    if cell["cell"] not in misprints or cell["verdict"] not in CAUSED | {"reproduced"}:
        return cell
    reason = cell["reason"].rstrip(".")
    if cell["verdict"] != "misprint":
        reason += f"; {misprints[cell['cell']]}"
    return {**cell, "verdict": "misprint", "reason": f"{reason}."}


def begin(config: Config, key: str, findings: Findings) -> Comparison:
    """Return the comparison of a paper before any item was answered; twins do not count in it."""
    records = _records(findings)
    judged = {name: judged_record(record) for name, record in records.items()}
    return _begin(config, key, without(findings, twins_of(records)), judged)


def _records(findings: Findings) -> dict[str, dict]:
    """Return what ``prepare`` wrote about the datasets, by name."""
    return {path.stem: read_json(path) for path in findings.records}


def _begin(config: Config, key: str, findings: Findings, records: dict) -> Comparison:
    frames = [pd.read_parquet(path) for path in findings.scores]
    # A column that is empty for one dataset must not decide the type of the whole column.
    runs = pd.concat([f.dropna(axis=1, how="all") for f in frames]) if frames else pd.DataFrame()
    runs = own_runs(config, key, runs)
    paper = load_paper(key)
    return Comparison(config, key, findings, paper, printed_cells([paper]), runs, records)


def own_runs(config: Config, key: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the runs of every setting that the paper needs.

    Another paper may need more runs of the same setting; the answers to this one must not depend
    on which papers are reproduced together with it.
    """
    if not len(scores):
        return scores
    alone = config.alone(key)
    needed = {(s.dataset, s.weighting, s.slug): runs for s, runs in settings_of(alone).items()}
    names = zip(scores["dataset"], scores["weighting"], scores["slug"], strict=True)
    most = [needed.get(name, float("inf")) for name in names]
    return scores[(scores["kind"] != "run") | (scores["run"] < most)]


def _columns(columns: list[str], rows: list[dict]) -> list[str]:
    if columns[-1] != "choice_*":
        return columns
    choices = {key for row in rows for key in row if key.startswith("choice_")}
    return [*columns[:-1], *sorted(choices)]
