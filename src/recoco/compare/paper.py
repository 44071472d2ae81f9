"""Answer a paper: every printed cell, every fixed combination of open choices, every claim."""

from pathlib import Path

import pandas as pd

from recoco.compare import (  # noqa: F401  they register claims
    claims_coclus,
    claims_costar,
    claims_ebco,
    claims_tsplbm,
    claims_wcnmtf,
)
from recoco.compare.claims import CLAIMS, try_claim
from recoco.compare.comparison import Comparison, Findings
from recoco.compare.kinds import KINDS
from recoco.compare.outputs import OUTPUTS
from recoco.compare.published import read_published
from recoco.compare.table import Table
from recoco.config import Config
from recoco.plan import settings_of
from recoco.store import read_json, write_text


def compare_paper(
    config: Config, key: str, found: Findings, published: Path, out: Path
) -> pd.DataFrame:
    """Write the comparison of a paper as CSV files into ``out``; return its cells."""
    frames = [pd.read_parquet(path) for path in found.scores]
    # Columns without a value in one dataset would otherwise decide the type of the whole.
    runs = pd.concat([f.dropna(axis=1, how="all") for f in frames]) if frames else pd.DataFrame()
    runs = own_runs(config, key, runs)
    printed = read_published(published / "published.csv")
    records = {path.stem: read_json(path) for path in found.records}
    printed = printed[printed["paper"] == key]
    comparison = Comparison(config, key, found, published, printed, runs, records)
    tables = comparison.tables
    for item, block in comparison.items.items():
        if block["kind"] not in KINDS:
            continue  # a figure draws what another item has
        rows = printed[printed["item"] == block.get("published")]
        rows = rows[rows["value"] != ""]  # a dash is printed where the authors have no number
        if "datasets" in block:  # a dataset taken out of the file takes its cells along
            rows = rows[rows["dataset"].isin(block["datasets"])]
        tables["cells"] += KINDS[block["kind"]](comparison, item, block, rows)
    first_table = next(iter(comparison.score_tables.values()), None)
    if first_table:
        first_table.frames = tables
    tables["claims"] = _claims(key, first_table, published)
    for name, columns in OUTPUTS.items():
        frame = pd.DataFrame(tables[name]).reindex(columns=_columns(columns, tables[name]))
        write_text(out / f"{name}.csv", frame.to_csv(index=False, float_format="%.10g"))
    return pd.DataFrame(tables["cells"])


def own_runs(config: Config, key: str, scores: pd.DataFrame) -> pd.DataFrame:
    """Keep of every setting the runs that the paper asks for.

    Another paper may ask for more of the same setting; the answer to this one must not depend on
    which papers are reproduced beside it.
    """
    if not len(scores):
        return scores
    alone = Config(config.settings, config.methods, {key: config.papers[key]})
    asked = {(s.dataset, s.weighting, s.slug): runs for s, runs in settings_of(alone).items()}
    names = zip(scores["dataset"], scores["weighting"], scores["slug"], strict=True)
    most = [asked.get(name, float("inf")) for name in names]
    return scores[(scores["kind"] != "run") | (scores["run"] < most)]


def _columns(columns: list[str], rows: list[dict]) -> list[str]:
    if columns[-1] != "choice_*":
        return columns
    chosen = sorted({key for row in rows for key in row if key.startswith("choice_")})
    return [*columns[:-1], *chosen]


def _claims(key: str, table: Table | None, published: Path) -> list[dict]:
    listed = pd.read_csv(published / "claims.csv", dtype=str, keep_default_na=False)
    rows = []
    for row in listed[listed["paper"] == key].itertuples():
        outcome, evidence = (
            try_claim(row.id, table) if table and row.id in CLAIMS else ("open", "not tried here")
        )
        rows.append(
            {
                "id": row.id,
                "claim": row.claim,
                "outcome": outcome,
                "evidence": evidence,
                "scope": row.scope,
            }
        )
    return rows
