"""The DBLP four-area network: papers x terms and papers x authors, classes from the venues."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines
from recoco.errors import RecocoError


def parse(folder: Path, options: dict) -> Parsed:
    papers = list(_dictionary(folder / "paper.txt"))
    place = {paper: i for i, paper in enumerate(papers)}
    labels = _areas(folder, place, options["areas"])
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
    return Parsed(views, labels, terms, class_order=list(options["areas"]))


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the titles of the papers."""
    yield from _dictionary(folder / "paper.txt").values()


def _areas(folder: Path, place: dict[str, int], areas: dict[str, list[str]]) -> np.ndarray:
    """Return the area of every paper: that of the venue it appeared at."""
    venues = _dictionary(folder / "conf.txt")
    area_of = {venue: area for area, members in areas.items() for venue in members}
    if set(area_of) != set(venues.values()):
        odd = ", ".join(sorted(set(area_of) ^ set(venues.values())))
        raise RecocoError(f"conf.txt and the areas of the card disagree about {odd}; correct it.")
    path = folder / "paper_conf.txt"
    found = np.full(len(place), "", dtype=object)
    for number, paper, venue in _relation(path):
        if paper not in place or venue not in venues:
            raise malformed(path, number, f"there is no paper {paper} or no venue {venue}")
        if found[place[paper]]:
            raise malformed(path, number, f"paper {paper} has a second venue")
        found[place[paper]] = area_of[venues[venue]]
    without = int((found == "").sum())
    if without:
        raise RecocoError(f"paper_conf.txt has no venue for {without} papers; fetch it again.")
    return found.astype(str)


def _dictionary(path: Path) -> dict[str, str]:
    names = {}
    for number, line in enumerate(read_lines(path), 1):
        key, tab, name = line.partition("\t")
        if not tab:
            raise malformed(path, number, "not a number, a tab and a name")
        names[key] = name.strip()
    return names


def _relation(path: Path):
    for number, line in enumerate(read_lines(path), 1):
        first, tab, second = line.partition("\t")
        if not tab:
            raise malformed(path, number, "not two numbers and a tab")
        yield number, first, second.strip()
