"""The DBLP four-area network: papers x terms and papers x authors, classes from the venues."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, keep_rows, malformed, matrix, read_lines
from recoco.datasets.parsers.tokens import STOP_WORDS


def parse(folder: Path, options: dict) -> Parsed:
    papers = list(_dictionary(folder / "paper.txt"))
    place = {paper: i for i, paper in enumerate(papers)}
    some = options.get("some_venues", False)
    labels = _areas(folder, place, options["areas"], some)
    views, terms = [], []
    for what in ("term", "author"):
        names = _dictionary(folder / f"{what}.txt")
        column_of = {key: j for j, key in enumerate(names)}
        path = folder / f"paper_{what}.txt"
        row, column = [], []
        for number, paper, other in _relation(path):
            if paper not in place or other not in column_of:
                raise malformed(path, number, f"there is no paper {paper} or no {what} {other}")
            row.append(place[paper])
            column.append(column_of[other])
        views.append(matrix(np.ones(len(row)), row, column, (len(papers), len(names))))
        terms.append(list(names.values()))
    dropped = _drop_stop_words(views, terms) if options.get("without_stop_words") else []
    parsed = Parsed(views, labels, terms, list(options["areas"]), dropped)
    return _subset(parsed) if some else parsed


def _drop_stop_words(views: list[csr_matrix], terms: list[list[str]]) -> list[str]:
    """Drop the terms that are stop words, and return a sentence about it."""
    kept = [j for j, term in enumerate(terms[0]) if term not in STOP_WORDS]
    dropped = len(terms[0]) - len(kept)
    views[0] = csr_matrix(views[0][:, kept])
    terms[0] = [terms[0][j] for j in kept]
    return [f"{dropped} terms are stop words"]


def _subset(parsed: Parsed) -> Parsed:
    """Keep the papers of the named venues that have terms and authors."""
    of_venue = parsed.labels != ""
    filled = np.all([np.diff(view.indptr) > 0 for view in parsed.views], axis=0)
    kept = np.flatnonzero(of_venue & filled)
    dropped = [
        *parsed.dropped,
        f"{int((~of_venue).sum())} of {of_venue.size} papers are of other venues",
        f"{int((of_venue & ~filled).sum())} papers of the venues have no term or no author",
    ]
    views, terms = keep_rows(parsed.views, parsed.terms, kept)
    return Parsed(views, parsed.labels[kept], terms, parsed.class_order, dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the titles of the papers."""
    yield from _dictionary(folder / "paper.txt").values()


def _areas(
    folder: Path, place: dict[str, int], areas: dict[str, list[str]], some: bool
) -> np.ndarray:
    """Return the area of the venue of every paper, and "" for other venues."""
    venues = _dictionary(folder / "conf.txt")
    area_of = {venue: area for area, members in areas.items() for venue in members}
    known = set(venues.values())
    wrong = set(area_of) - known if some else set(area_of) ^ known
    if wrong:
        odd = ", ".join(sorted(wrong))
        raise RecocoError(f"conf.txt and the areas of the card disagree about {odd}; correct it.")
    path = folder / "paper_conf.txt"
    area = np.full(len(place), None, dtype=object)
    for number, paper, venue in _relation(path):
        if paper not in place or venue not in venues:
            raise malformed(path, number, f"there is no paper {paper} or no venue {venue}")
        if area[place[paper]] is not None:
            raise malformed(path, number, f"paper {paper} has a second venue")
        area[place[paper]] = area_of.get(venues[venue], "")
    without = sum(each is None for each in area)
    if without:
        raise RecocoError(f"paper_conf.txt has no venue for {without} papers; fetch it again.")
    return area.astype(str)


def _dictionary(path: Path) -> dict[str, str]:
    names = {}
    for number, line in enumerate(read_lines(path), 1):
        key, tab, name = line.partition("\t")
        if not tab:
            raise malformed(path, number, "not a number, a tab and a name")
        names[key] = name.strip()
    return names


def _relation(path: Path) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(read_lines(path), 1):
        first, tab, second = line.partition("\t")
        if not tab:
            raise malformed(path, number, "not two numbers and a tab")
        yield number, first, second.strip()
