"""OCTIS corpora: lines with tokenised text, partition and class, and a vocabulary."""

from pathlib import Path

import numpy as np

from recoco.datasets.parsers import Parsed, malformed, matrix, read_lines


def parse(folder: Path, options: dict) -> Parsed:
    terms = [line.strip() for line in read_lines(folder / options["vocabulary"]) if line.strip()]
    place = {term: j for j, term in enumerate(terms)}
    path = folder / options["corpus"]
    labels: list[str] = []
    row, column = [], []
    unknown = 0
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split("\t")
        if len(fields) != 3:
            raise malformed(path, number, f"{len(fields)} tab-separated fields instead of 3")
        for word in fields[0].split():
            if word in place:
                row.append(len(labels))
                column.append(place[word])
            else:
                unknown += 1
        labels.append(fields[2])
    view = matrix(np.ones(len(row)), row, column, (len(labels), len(terms)))
    dropped = [f"{unknown} words of the texts are not in the vocabulary"] if unknown else []
    return Parsed([view], np.array(labels), [terms], dropped=dropped)
