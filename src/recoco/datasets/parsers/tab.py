"""Orange's tab-separated files: three header lines, then class and text."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recoco.datasets.parsers import Parsed, malformed, read_lines
from recoco.datasets.parsers.tokens import counting, document_terms


def parse(folder: Path, options: dict) -> Parsed:
    labels, documents = [], []
    for label, text in _lines(folder, options):
        labels.append(label)
        documents.append(text)
    view, terms, dropped = document_terms(documents, **counting(options))
    return Parsed([view], np.array(labels), [terms], dropped=dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents as they are read, before their words are counted."""
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
