"""What the report is made of: read once, checked, and each printed cell with its answer."""

import functools
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from recoco.compare.outputs import OUTPUTS
from recoco.compare.published import printed_cells
from recoco.compare.twins import judged_record, twins_of
from recoco.config import load_methods
from recoco.config.papers import all_papers
from recoco.config.schema import check, read_yaml
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.report import formats
from recoco.report.overlay import Known, files_of, known_cells, sentence

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

    @property
    def items(self) -> dict[str, dict]:
        """The configured items of the paper, by name."""
        return self.config["items"]

    def names_of(self, name: str) -> set[str]:
        """Return the names of an item: its own and the one in published.csv."""
        printed = self.items[name]["published"] if name in self.items else ""
        return {name, printed or name}

    def of_item(self, frame: str, name: str) -> pd.DataFrame:
        """Return the rows of a frame that belong to an item, by its own or its printed name."""
        rows = self.frames[frame]
        return rows[rows["item"].isin(self.names_of(name))]

    def rows_of(self, frame: str, name: str) -> list[dict[str, str]]:
        """Return the rows of a frame that belong to an item, each as a dictionary."""
        return self.of_item(frame, name).to_dict("records")

    def printed_combination(self, name: str) -> str | None:
        """Return the combination that reads the item as printed."""
        rows = self.of_item("combinations", name)
        printed = rows[rows["printed"].map(formats.as_bool).astype(bool)]
        return printed["combination"].iloc[0] if len(printed) else None

    @functools.cached_property
    def measures_of(self) -> dict[str, list[dict]]:
        """Measures of each cell, one row per combination."""
        return self._by_cell("measures")

    @functools.cached_property
    def curves_of(self) -> dict[str, list[dict]]:
        """What the best of n starts scores in each cell, one row per n."""
        return self._by_cell("curves")

    def _by_cell(self, frame: str) -> dict[str, list[dict]]:
        grouped = defaultdict(list)
        for row in self.frames[frame].to_dict("records"):
            grouped[row["cell"]].append(row)
        return grouped


@dataclass(frozen=True)
class PrintedCell:
    """A printed cell and its answer, if there is one.

    ``known`` is what the reference run says of a cell that has no number here. It is shown, with
    its origin, and used for nothing else.
    """

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
    known: Known | None = None
    on_twin: dict | None = None  # its row of drawn.csv

    @property
    def verdict(self) -> str:
        """The verdict here, whatever the reference says."""
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
        """What was measured here."""
        return self.answer_text(self.answer) if self.answer else ""

    @property
    def twin(self) -> str:
        """The value measured on a twin, which is not judged; "" if there is none."""
        if self.on_twin is None:
            return ""
        numbers = (self.on_twin["twin"], self.on_twin["twin_sd"])
        return formats.measured_text(self.metric, *numbers, self.places)

    def answer_text(self, row) -> str:
        """Return the measured value of a row of cells.csv or measures.csv."""
        return formats.measured_text(self.metric, row["measured"], row["measured_sd"], self.places)

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
    errata: list[dict[str, str]]
    provenance: dict
    timings: pd.DataFrame
    titles: dict[str, str]
    methods: dict[str, dict]
    score_files: list[Path] = field(default_factory=list)
    two_counts: str = ""  # of cells computed here and known from the reference; if there is one
    cards: dict[str, dict] = field(default_factory=dict)
    twins: set[str] = field(default_factory=set)

    def cells_of(self, paper: str, name: str | None = None) -> list[PrintedCell]:
        """Return the printed cells of a paper, or of one item of it."""
        cells = [cell for cell in self.cells if cell.paper == paper]
        if name is None:
            return cells
        names = self.papers[paper].names_of(name) if paper in self.papers else {name}
        return [cell for cell in cells if cell.item in names]

    @functools.cached_property
    def scores(self) -> pd.DataFrame:
        """Scores of every single run, read when first needed."""
        frames = [pd.read_parquet(path) for path in sorted(self.score_files)]
        if not frames:
            return pd.DataFrame(columns=["dataset", "weighting", "slug", "status"])
        scores = pd.concat(frames, ignore_index=True)
        return scores[scores["kind"] == "run"]

    def runs_of(self, dataset: str, weighting: str, slug: str) -> pd.DataFrame:
        """Return the scores of the runs of one setting."""
        scores = self.scores
        return scores[
            (scores["dataset"] == dataset)
            & (scores["weighting"] == weighting)
            & (scores["slug"] == slug)
        ]


def gather(
    compare_dirs,
    scores,
    characteristics,
    provenance,
    config_dir,
    timings=None,
    with_reference=None,
) -> Material:
    """Read all inputs of the report; see `recoco.report.render`."""
    config_dir = Path(config_dir)
    # papers of this report come first, in its order
    sources = {**dict.fromkeys(compare_dirs), **all_papers(config_dir)}
    papers = {key: _read_paper(sources[key], Path(p)) for key, p in compare_dirs.items()}
    methods = config_dir / "methods.yaml"
    records = {path.stem: read_json(path) for path in map(Path, characteristics)}
    twins = twins_of(records)
    rows, drawn = (
        {key: paper.frames[frame].to_dict("records") for key, paper in papers.items()}
        for frame in ("cells", "drawn")
    )
    referenced = with_reference and files_of(with_reference, papers)
    known = known_cells(with_reference, rows) if referenced else {}
    return Material(
        papers=papers,
        cells=_answer(printed_cells(sources.values()), rows, known, drawn),
        datasets={name: judged_record(record) for name, record in records.items()},
        errata=[row for paper in sources.values() for row in paper.errata],
        provenance=read_json(provenance),
        timings=_read_csv(Path(timings)) if timings else pd.DataFrame(columns=["stage"]),
        titles={key: paper.config["title"] for key, paper in sources.items()},
        methods=load_methods(config_dir) if methods.is_file() else {},
        score_files=[path for path in map(Path, scores) if path.stem not in twins],
        two_counts=sentence(rows, known) if referenced else "",
        twins=twins,
        cards=_read_cards(config_dir / "method_cards.yaml"),
    )


def _read_cards(path: Path) -> dict[str, dict]:
    """Read the cards of the methods, if the configuration has any."""
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
        raise RecocoError(f"{path} is not a readable CSV ({error}): write it again.") from None


def _read_paper(source, folder: Path) -> Paper:
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
    return Paper(source.key, source.config, folder, frames)


def _answer(
    published: pd.DataFrame,
    rows: dict[str, list[dict]],
    known: dict[str, Known],
    drawn: dict[str, list[dict]],
) -> list[PrintedCell]:
    """Give each printed cell its answer; an answer to a cell that is not printed is an error."""
    answers, on_twins = (
        {row["cell"]: row for of_paper in tables.values() for row in of_paper}
        for tables in (rows, drawn)
    )
    cells = [
        PrintedCell(
            row["cell"],
            row["paper"],
            *(row[column] for column in KEY),
            row["value"],
            row["sd"],
            row["note"],
            answers.pop(row["cell"], None),
            known.get(row["cell"]),
            on_twins.get(row["cell"]),
        )
        for row in published.to_dict("records")
    ]
    for unknown in answers:
        raise RecocoError(
            f"A cells.csv answers {unknown!r}, which published.csv does not have: "
            "add the printed cell or correct its name."
        )
    return cells
