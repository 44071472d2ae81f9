"""A paper is a folder of data: what it prints, what it claims, and how that is reproduced.

``config/papers/KEY`` contains one paper. Folders of papers elsewhere are listed in $RECOCO_PAPERS,
separated like $PATH. No other module knows the names of the files in them.
"""

import csv
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from recoco.config.schema import check, nearest, read_yaml
from recoco.core import paths
from recoco.core.errors import RecocoError

PAPER, CLAIMS, EXAMPLES = "paper.yaml", "claims.yaml", "examples.yaml"
PRINTED, DATASETS, ERRATA, CAUSES = "published.csv", "datasets.csv", "errata.csv", "causes.csv"
CARDS = "cards"

_COLUMNS = {
    PRINTED: (
        *("paper", "item", "dataset", "weighting", "method", "metric"),
        *("value", "sd", "best", "note"),
    ),
    DATASETS: (
        *("paper", "dataset", "documents", "words", "clusters", "sparsity_percent"),
        *("nonzero_percent", "balance", "nz_m_percent", "graphs"),
        *("source_note", "class_sizes", "note"),
    ),
    ERRATA: ("id", "paper", "item", "where", "printed", "correct", "evidence", "kind", "cells"),
    CAUSES: ("paper", "cells", "cause", "evidence"),
}
# Columns that a file may lack, as if they were empty.
_OPTIONAL: dict[str, set[str]] = {ERRATA: {"cells"}}


def printed_columns() -> list[str]:
    """Return the columns of the printed numbers."""
    return list(_COLUMNS[PRINTED])


@dataclass(frozen=True)
class Paper:
    """One paper, read from its folder; each file is read when first needed."""

    folder: Path

    @property
    def key(self) -> str:
        return self.folder.name

    @cached_property
    def config(self) -> dict:
        """Content of paper.yaml, completed with defaults: the paper's details and its items."""
        from recoco.items import check_items

        content = read_yaml(self.folder / PAPER)
        check(content, "paper", self.where(PAPER))
        check_items(content["items"], self.where(PAPER))
        if content["key"] != self.key:
            raise RecocoError(
                f"{self.where(PAPER)}: the key is {content['key']!r}, but the folder is "
                f"{self.key!r}: give both the same name."
            )
        return content

    @cached_property
    def printed(self) -> list[dict[str, str]]:
        """Numbers that the paper prints, as text because their number of digits matters."""
        return self._table(PRINTED)

    @cached_property
    def datasets(self) -> dict[str, dict[str, str]]:
        """Printed characteristics of the datasets, by printed name."""
        return {row["dataset"]: row for row in self._table(DATASETS)}

    @cached_property
    def errata(self) -> list[dict[str, str]]:
        """Misprints and contradictions of the paper."""
        return self._table(ERRATA)

    @cached_property
    def causes(self) -> list[dict[str, str]]:
        """Why printed numbers do not come out, where that is not computed."""
        return self._table(CAUSES)

    @cached_property
    def claims(self) -> dict[str, dict]:
        """Claims in the text of the paper and how each one is checked, by identifier."""
        path = self.folder / CLAIMS
        claims = read_yaml(path) if path.is_file() else {}
        check(claims, "claims", self.where(CLAIMS))
        for identifier, claim in claims.items():
            if "form" in claim.get("check", {}):
                name = claim["check"]["form"]
                check(claim["check"], "claims", f"{self.where(CLAIMS)}, {identifier}.check", name)
        return claims

    @cached_property
    def examples(self) -> dict[str, dict]:
        """Worked examples, by name."""
        path = self.folder / EXAMPLES
        examples = read_yaml(path) if path.is_file() else {}
        check(examples, "examples", self.where(EXAMPLES))
        return examples

    @cached_property
    def cards(self) -> dict[str, Path]:
        """Cards of datasets that come with the paper, by name."""
        return {path.stem: path for path in sorted((self.folder / CARDS).glob("*.yaml"))}

    def files(self, *names: str) -> list[str]:
        """Return the files that the paper has, relative to the project folder."""
        return [self.where(name) for name in names if (self.folder / name).is_file()]

    def where(self, name: str) -> str:
        """Return the path of a file of the paper, relative to the project folder."""
        path, root = self.folder / name, paths.root()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)

    def _table(self, name: str) -> list[dict[str, str]]:
        path = self.folder / name
        if not path.is_file():
            return []
        try:
            with path.open(encoding="utf-8", newline="") as stream:
                reader = csv.DictReader(stream, strict=True)
                rows, columns = list(reader), reader.fieldnames or []
        except (csv.Error, UnicodeDecodeError) as error:
            raise RecocoError(f"{self.where(name)} is not a readable CSV ({error}).") from None
        for column in columns:
            if column not in _COLUMNS[name]:
                known = nearest(column, _COLUMNS[name])
                raise RecocoError(f"{self.where(name)}: unknown column {column!r}: {known}")
        optional = _OPTIONAL.get(name, set())
        missing = [c for c in _COLUMNS[name] if c not in columns and c not in optional]
        if missing:
            raise RecocoError(f"{self.where(name)}: the column {missing[0]!r} is missing: add it.")
        for number, row in enumerate(rows, 2):
            if None in row or None in row.values():
                raise RecocoError(
                    f"{self.where(name)}, line {number} does not have {len(columns)} fields: "
                    "quote a field that contains a comma."
                )
            if row["paper"] != self.key:
                raise RecocoError(
                    f"{self.where(name)}, line {number} is about {row['paper']!r}: "
                    f"a paper's folder has rows about {self.key!r} only."
                )
        empty = dict.fromkeys(optional, "")
        return [empty | row for row in rows]


def paper_folders(config_dir: Path | None = None) -> dict[str, Path]:
    """Return the folder of every known paper by key, in alphabetical order.

    Parameters
    ----------
    config_dir : folder that holds ``papers``; the project's own if None
    """
    inside = ((config_dir or paths.config()) / "papers").glob(f"*/{PAPER}")
    folders = {path.parent.name: path.parent for path in inside}
    for named in filter(None, os.environ.get("RECOCO_PAPERS", "").split(os.pathsep)):
        folder = (paths.root() / Path(named).expanduser()).resolve()
        if not (folder / PAPER).is_file():
            raise RecocoError(
                f"RECOCO_PAPERS names {named}, which has no {PAPER}: name the folder of a paper."
            )
        if folders.get(folder.name, folder).resolve() != folder:
            raise RecocoError(
                f"There are two papers {folder.name!r}: {folders[folder.name]} and {folder}: "
                "rename one folder and its key."
            )
        folders[folder.name] = folder
    return dict(sorted(folders.items()))


def use_folder(named: str) -> str:
    """Return the key of a paper given by its key or its folder; a folder becomes a known paper.

    A name without a separator is a key if there is such a paper, else the folder of that name.
    """
    folder = Path(named).expanduser().resolve()
    has_paper = (folder / PAPER).is_file()
    if os.sep not in named and (not has_paper or named in paper_folders()):
        return named
    if not has_paper:
        raise RecocoError(f"{named} has no {PAPER}: name a paper's key or its folder.")
    known = [part for part in os.environ.get("RECOCO_PAPERS", "").split(os.pathsep) if part]
    if paper_folders().get(folder.name) != folder:
        os.environ["RECOCO_PAPERS"] = os.pathsep.join([*known, str(folder)])
    return folder.name


def all_papers(config_dir: Path | None = None) -> dict[str, Paper]:
    """Return every known paper by key."""
    return {key: Paper(folder) for key, folder in paper_folders(config_dir).items()}


def load_paper(key: str) -> Paper:
    """Return one paper by key."""
    papers = all_papers()
    if key not in papers:
        raise RecocoError(f"There is no paper {key!r}: {nearest(key, papers)}")
    return papers[key]
