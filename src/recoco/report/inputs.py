"""What the report is made of: read once, checked, and each printed cell found its answer."""

import functools
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from recoco.compare.outputs import OUTPUTS
from recoco.compare.published import read_published
from recoco.config import load_methods
from recoco.errors import RecocoError
from recoco.report import formats
from recoco.schema import check, read_yaml
from recoco.store import read_json

KEY = ["item", "dataset", "weighting", "method", "metric"]
_COLUMNS = {name: [c for c in columns if c != "choice_*"] for name, columns in OUTPUTS.items()}
_NEEDED = ("cells", "measures", "combinations")


@dataclass(frozen=True)
class Paper:
    """One paper: its configuration and the frames that compare wrote about it."""

    key: str
    config: dict
    folder: Path
    frames: dict[str, pd.DataFrame]

    def of_item(self, frame: str, item: str) -> pd.DataFrame:
        """Return the rows of a frame that belong to an item, by its own or its printed name."""
        rows = self.frames[frame]
        names = {item, self.config["items"].get(item, {}).get("published", item)}
        return rows[rows["item"].isin(names)]

    def printed_combination(self, item: str) -> str | None:
        """Return the combination that reads the item as printed."""
        rows = self.of_item("combinations", item)
        said = rows[rows["printed"].map(formats.as_bool).astype(bool)]
        return said["combination"].iloc[0] if len(said) else None

    @functools.cached_property
    def measures_of(self) -> dict[str, list[dict]]:
        """Measures of each cell, one row per combination."""
        grouped = defaultdict(list)
        for row in self.frames["measures"].to_dict("records"):
            grouped[row["cell"]].append(row)
        return grouped


@dataclass(frozen=True)
class PrintedCell:
    """A cell of config/published/published.csv and, where there is one, its answer."""

    id: str
    paper: str
    item: str
    dataset: str
    weighting: str
    method: str
    metric: str
    value: str
    sd: str
    note: str
    answer: dict | None = None

    @property
    def verdict(self) -> str:
        if self.answer:
            return self.answer["verdict"]
        return "absent" if self.value else "unprinted"

    @property
    def printed(self) -> str:
        return formats.printed_text(self.value, self.sd, self.note)

    @property
    def places(self) -> int:
        """Decimals of a measured value: one more than the paper gives."""
        return formats.decimals(self.value) + 1

    @property
    def measured(self) -> str:
        return self.answer_text(self.answer) if self.answer else ""

    def answer_text(self, row) -> str:
        """Return the measured value of a row of cells.csv or measures.csv."""
        value, sd = formats.as_float(row["measured"]), formats.as_float(row["measured_sd"])
        return formats.measured_text(self.metric, value, sd, self.places)

    @property
    def name(self) -> str:
        weighting = "" if self.weighting in {"", "na"} else f" · {self.weighting}"
        return f"{self.dataset}{weighting} · {self.method} · {formats.metric_name(self.metric)}"


@dataclass(frozen=True)
class Material:
    """Everything the report shows."""

    papers: dict[str, Paper]
    cells: list[PrintedCell]
    datasets: dict[str, dict]
    errata: pd.DataFrame
    provenance: dict
    timings: pd.DataFrame
    titles: dict[str, str]
    methods: dict[str, dict]
    score_files: list[Path] = field(default_factory=list)
    cards: dict[str, dict] = field(default_factory=dict)

    def cells_of(self, paper: str, item: str | None = None) -> list[PrintedCell]:
        """Return the printed cells of a paper, or of one configured item of it."""
        found = [cell for cell in self.cells if cell.paper == paper]
        if item is None:
            return found
        config = self.papers[paper].config if paper in self.papers else {"items": {}}
        names = {item, config["items"].get(item, {}).get("published", item)}
        return [cell for cell in found if cell.item in names]

    @functools.cached_property
    def scores(self) -> pd.DataFrame:
        """Scores of every single run, read when the first figure asks for them."""
        frames = [pd.read_parquet(path) for path in sorted(self.score_files)]
        if not frames:
            return pd.DataFrame(columns=["dataset", "weighting", "slug", "status"])
        scores = pd.concat(frames, ignore_index=True)
        return scores[scores["kind"] == "run"]


def gather(compare_dirs, scores, characteristics, provenance, config_dir, timings=None) -> Material:
    """Read all inputs of the report."""
    config_dir = Path(config_dir)
    papers = {key: _read_paper(key, Path(p), config_dir) for key, p in compare_dirs.items()}
    published = read_published(config_dir / "published" / "published.csv")
    errata = config_dir / "published" / "errata.csv"
    methods = config_dir / "methods.yaml"
    documents = [read_json(path) for path in characteristics]
    titles = {
        path.stem: read_yaml(path).get("title", path.stem)
        for path in sorted((config_dir / "papers").glob("*.yaml"))
    }
    return Material(
        papers=papers,
        cells=_answer(published, papers),
        datasets={document["dataset"]: document for document in documents},
        errata=_read_csv(errata) if errata.is_file() else pd.DataFrame(columns=["id", "paper"]),
        provenance=read_json(provenance),
        timings=_read_csv(Path(timings)) if timings else pd.DataFrame(columns=["stage"]),
        titles=titles,
        methods=load_methods(config_dir) if methods.is_file() else {},
        score_files=[Path(path) for path in scores],
        cards=_read_cards(config_dir / "method_cards.yaml"),
    )


def _read_cards(path: Path) -> dict[str, dict]:
    """Read what the cards of the methods say, where there is anything."""
    if not path.is_file():
        return {}
    cards = read_yaml(path)
    check(cards, "method_cards", path.name)
    return cards


def _read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV as text: the digits of a printed number are part of it."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise RecocoError(f"{path} is missing: run the stage that writes it first.") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise RecocoError(f"{path} is no readable CSV ({error}): write it again.") from None


def _read_paper(key: str, folder: Path, config_dir: Path) -> Paper:
    frames = {}
    for name, columns in _COLUMNS.items():
        path = folder / f"{name}.csv"
        if not path.is_file() and name not in _NEEDED:
            frames[name] = pd.DataFrame(columns=columns, dtype=str)
            continue
        frame = _read_csv(path)
        missing = [column for column in columns if column not in frame.columns]
        if missing:
            raise RecocoError(
                f"{path} lacks the column {missing[0]!r}: write it again with this version."
            )
        frames[name] = frame
    return Paper(key, read_yaml(config_dir / "papers" / f"{key}.yaml"), folder, frames)


def _answer(published: pd.DataFrame, papers: dict[str, Paper]) -> list[PrintedCell]:
    """Give each printed cell its answer, and refuse answers to cells that nobody printed."""
    answers = {
        row["cell"]: row
        for paper in papers.values()
        for row in paper.frames["cells"].to_dict("records")
    }
    cells = [
        PrintedCell(
            row["cell"],
            row["paper"],
            *(row[column] for column in KEY),
            row["value"],
            row["sd"],
            row["note"],
            answers.pop(row["cell"], None),
        )
        for row in published.to_dict("records")
    ]
    for left in answers:
        raise RecocoError(
            f"A cells.csv answers {left!r}, which published.csv does not have: "
            "add the printed cell or mend its name."
        )
    return cells
