"""AMiner citation dumps: papers of some venues by words of titles, words of abstracts, and authors.

Two formats are read line by line, because a dump has millions of papers: text, with a mark at the
beginning of each line (``#*`` title, ``#@`` authors, ``#c`` or ``#conf`` venue, ``#t`` or ``#year``
year, ``#!`` abstract, ``#index`` number) and a blank line between papers; and JSON, one object per
line. The graphs of the TSPLBM paper are ``cooccurrence_graph`` of each view, see
:mod:`recoco.datasets.similarity_graphs`.
"""

import gzip
import io
import itertools
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, keep_rows, malformed, matrix, reading
from recoco.datasets.parsers.tokens import counting, document_terms

# characters; a line of a compressed file could otherwise fill the memory
_LONGEST_LINE = 1 << 26
# of two marks that begin alike, the longer one comes first
_MARKS = {
    "#index": "index",
    "#arnetid": "",
    "#citation": "",
    "#conf": "venue",
    "#year": "year",
    "#*": "title",
    "#@": "authors",
    "#t": "year",
    "#c": "venue",
    "#o": "",
    "#%": "",
    "#!": "abstract",
}


@dataclass
class Paper:
    """One paper of a dump."""

    index: str = ""
    title: str = ""
    venue: str = ""
    year: str = ""
    abstract: str = ""
    authors: list[str] = field(default_factory=list)


def parse(folder: Path, options: dict) -> Parsed:
    """Build the three views of the papers of some venues.

    Options
    -------
    file : name of the dump, optionally compressed as .gz or as the only file of a .zip
    venues : {class: [names of the venue in the dump]}, case-insensitive
    years : [first, last], optional
    complete : drop papers without words in title or abstract, or without authors (default true)
    min_length, min_df, stem : of the words, see ``document_terms``
    """
    papers, classes, dropped = _selected(folder / options["file"], options)
    views, terms = [], []
    for what in ("title", "abstract"):
        texts = [getattr(paper, what) for paper in papers]
        try:
            view, words, left_out = document_terms(texts, **counting(options))
        except RecocoError as error:
            raise RecocoError(f"The {what}s of {options['file']}: {error}") from None
        view.data[:] = 1.0
        views.append(view)
        terms.append(words)
        dropped.extend(f"{what}: {sentence}" for sentence in left_out)
    authors, names = _authors(papers)
    views.append(authors)
    terms.append(names)
    labels = np.array(classes)
    if options.get("complete", True):
        views, terms, labels = _complete(views, terms, labels, dropped)
    _all_classes(labels, options)
    return Parsed(views, labels, terms, class_order=list(options["venues"]), dropped=dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield title and abstract of each paper of the venues."""
    for paper in _selected(folder / options["file"], options)[0]:
        yield f"{paper.title} {paper.abstract}".strip()


def papers_of(path: Path) -> Iterator[Paper]:
    """Yield the papers of a dump in either format."""
    with reading(path, "a citation dump"), _lines(path) as lines:
        first = next((line for line in lines if line[1].strip()), None)
        if first is None:
            raise RecocoError(f"{path.name} is empty: fetch it again.")
        rest = itertools.chain([first], lines)
        text = first[1].lstrip()
        if text[0] in "{[":
            yield from _from_json(path, rest)
        elif text[0] == "#" or text.strip().isdigit():
            yield from _from_text(rest)
        else:
            raise malformed(path, first[0], "neither a mark such as #* nor a JSON object")


@contextmanager
def _lines(path: Path):
    """Open a file, compressed or not, and provide its numbered lines."""
    stream: Any
    with path.open("rb") as raw:
        if path.suffix == ".gz":
            stream = gzip.GzipFile(fileobj=raw)
        elif path.suffix == ".zip":
            archive = zipfile.ZipFile(raw)
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(names) != 1:
                raise RecocoError(f"{path.name} has {len(names)} files: extract the right one.")
            stream = archive.open(names[0])
        else:
            stream = raw
        # a few invalid characters do not make a dump useless
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="\n")
        yield _numbered(path, text)


def _numbered(path: Path, text) -> Iterator[tuple[int, str]]:
    number = 0
    while line := text.readline(_LONGEST_LINE):
        number += 1
        if len(line) == _LONGEST_LINE:
            raise malformed(path, number, "longer than any paper")
        yield number, line


def _from_text(lines) -> Iterator[Paper]:
    record: dict[str, str] = {}
    last = ""
    for _, line in lines:
        line = line.strip()
        name = next((mark for mark in _MARKS if line.startswith(mark)), None)
        key = _MARKS[name] if name else ""
        # a paper ends with a blank line or, if that is missing, with a mark it already has
        if not line or (key in ("title", "index") and key in record):
            if record:
                yield _paper(record)
            record, last = {}, ""
        if name is not None:
            last = key
            if key:
                record[key] = line[len(name) :].strip()
        elif line and last in record:
            record[last] += f" {line}"  # a text that continues on the next line
    if record:
        yield _paper(record)


def _paper(record: dict[str, str]) -> Paper:
    names = record.pop("authors", "")
    split = names.split(";" if ";" in names else ",")
    return Paper(**record, authors=_names(split))


def _names(names) -> list[str]:
    """Normalise white space of names, and drop duplicates."""
    cleaned = (" ".join(str(name).split()) for name in names)
    return list(dict.fromkeys(name for name in cleaned if name))


def _from_json(path: Path, lines) -> Iterator[Paper]:
    for number, line in lines:
        # in some dumps the objects are the elements of a single list
        line = line.strip().lstrip("[, ").rstrip("], ")
        if not line:
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            raise malformed(path, number, "not one JSON object in a line") from None
        if not isinstance(entry, dict):
            raise malformed(path, number, "not a JSON object")
        authors = entry.get("authors") or []
        if isinstance(authors, str):
            authors = authors.split(";" if ";" in authors else ",")
        yield Paper(
            index=str(entry.get("id") or ""),
            title=str(entry.get("title") or ""),
            venue=_plain(entry.get("venue")),
            year=str(entry.get("year") or ""),
            abstract=_abstract(entry),
            authors=_names(_plain(author) for author in authors),
        )


def _plain(value) -> str:
    """Return a name, which may be wrapped in an object."""
    if isinstance(value, dict):
        value = value.get("name") or value.get("raw")
    return str(value or "")


def _abstract(entry: dict) -> str:
    """Return the abstract, assembled from an inverted index if necessary."""
    index = (entry.get("indexed_abstract") or {}).get("InvertedIndex")
    if entry.get("abstract") or not index:
        return str(entry.get("abstract") or "")
    places = sorted((place, word) for word, positions in index.items() for place in positions)
    return " ".join(word for _, word in places)


def _selected(path: Path, options: dict) -> tuple[list[Paper], list[str], list[str]]:
    """Return papers of the venues and years, their classes, and what was left out."""
    class_of: dict[str, str] = {}
    for name, venues in options["venues"].items():
        for venue in venues:
            if class_of.setdefault(_folded(venue), name) != name:
                raise RecocoError(f"The venue {venue} is in two classes; correct the card.")
    first, last = options.get("years", (None, None))
    papers, classes, seen = [], [], set()
    read = repeated = outside = 0
    for paper in papers_of(path):
        read += 1
        name = class_of.get(_folded(paper.venue))
        if name is None:
            continue
        if first is not None and not (paper.year.isdigit() and first <= int(paper.year) <= last):
            outside += 1
            continue
        identity = paper.index or _folded(f"{paper.title} {paper.year}")
        if identity in seen:
            repeated += 1
            continue
        seen.add(identity)
        papers.append(paper)
        classes.append(name)
    dropped = [f"{read - len(papers)} of {read} papers are of other venues or left out"]
    if outside:
        dropped.append(f"{outside} papers of the venues are not of the years {first} to {last}")
    if repeated:
        dropped.append(f"{repeated} papers of the venues are in the dump twice")
    _all_classes(classes, options)
    return papers, classes, dropped


def _all_classes(labels, options: dict) -> None:
    missing = [name for name in options["venues"] if name not in set(labels)]
    if missing:
        raise RecocoError(
            f"{options['file']} has no paper of {', '.join(missing)} that can be used; correct "
            "the names of the venues in the card."
        )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _authors(papers: list[Paper]) -> tuple[csr_matrix, list[str]]:
    """Return the matrix of papers by authors, in alphabetical order."""
    names = sorted({name for paper in papers for name in paper.authors})
    column_of = {name: j for j, name in enumerate(names)}
    row = [i for i, paper in enumerate(papers) for _ in paper.authors]
    column = [column_of[name] for paper in papers for name in paper.authors]
    return matrix(np.ones(len(row)), row, column, (len(papers), len(names))), names


def _complete(views, terms, labels, dropped):
    """Drop papers that are empty in a view, then features without papers."""
    filled = np.all([np.diff(view.indptr) > 0 for view in views], axis=0)
    if filled.all():
        return views, terms, labels
    dropped.append(
        f"{int((~filled).sum())} of {filled.size} papers of the venues have no words in title or "
        "abstract, or no authors"
    )
    return *keep_rows(views, terms, filled), labels[filled]
