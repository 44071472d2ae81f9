"""Orange's tab-separated files: three header lines, then class and text."""

from collections.abc import Iterator
from pathlib import Path

from recoco.datasets.parsers import Parsed, malformed, read_lines
from recoco.datasets.parsers.tokens import count_words


def parse(folder: Path, options: dict) -> Parsed:
    lines = list(_lines(folder, options))
    return count_words([text for _, text in lines], [label for label, _ in lines], options)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents."""
    for _, text in _lines(folder, options):
        yield text


def _lines(folder: Path, options: dict) -> Iterator[tuple[str, str]]:
    for name in options["files"]:
        path = folder / name
        lines = read_lines(path)
        if len(lines) < 3 or lines[0].split("\t")[:2] != ["Category", "Text"]:
            raise malformed(path, 1, "not the header Category, Text and two more lines")
        for number, line in enumerate(lines[3:], 4):
            if not line.strip():
                continue
            label, tab, text = line.partition("\t")
            if not tab or not label:
                raise malformed(path, number, "not a class, a tab and a text")
            yield label, text
