"""Raw text split into segments of consecutive paragraphs, one segment per view."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, text
from recoco.datasets.parsers.tokens import counting, document_terms

_BLANK = re.compile(r"\n\s*\n")


def parse(folder: Path, options: dict) -> Parsed:
    """Split every document into as many segments as views, as evenly as paragraphs allow.

    A document that is too short has segments in fewer views, or in one view only if the lengths
    decide: it contributes to the vocabulary of these views, as in the published segments, but is
    then dropped. Segments are assigned to views at random.
    """
    cut = _CUTS[options.get("cut", "even")]
    views, least = options["views"], options.get("min_characters", 200)
    rare = options.get("min_count", 1)
    rng = np.random.Generator(np.random.PCG64(options.get("seed", 0)))
    labels, segments, complete = [], [], []
    for _, label, document in text.read_files(folder, options):
        if label is None:
            continue
        parts = cut(document, views, least)
        complete.append(len(parts) == views)
        parts += [""] * (views - len(parts))
        order = rng.permutation(views)
        segments.append([parts[i] for i in order])
        labels.append(label)
    whole = np.array(complete, dtype=bool)
    if not whole.any():
        raise RecocoError("no document can be split into the requested segments; correct the card.")
    parsed = Parsed([], np.array(labels)[whole], [])
    for number, column in enumerate(zip(*segments, strict=True), 1):
        view, terms, sentences = document_terms(column, **counting(options))
        frequent = np.flatnonzero(np.asarray(view.sum(axis=0)).ravel() >= rare)
        parsed.views.append(csr_matrix(view[:, frequent][whole]))
        parsed.terms.append([terms[j] for j in frequent])
        parsed.dropped += sentences if number == 1 else []
        if "min_df" not in options or frequent.size < len(terms):
            parsed.dropped.append(
                f"view {number}: {len(terms) - frequent.size} of {len(terms)} words occur fewer "
                f"than {rare} times"
            )
    parsed.dropped.append(
        f"{(~whole).sum()} of {whole.size} documents have no {views} segments of at least "
        f"{least} characters"
    )
    return parsed


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents before they are split."""
    yield from text.texts(folder, options)


def split(document: str, segments: int, least: int) -> list[str]:
    """Split a document at paragraphs into segments of at least ``least`` characters each.

    The segments are as even as possible (smallest sum of squared lengths). A document that
    cannot be split is a single segment. The title is a paragraph.
    """
    paragraphs = _paragraphs(document)
    ends = np.concatenate([[0], np.cumsum([len(paragraph) for paragraph in paragraphs])])
    # best[s][i]: lowest cost of s segments of the first i paragraphs, and where the last begins
    best: list[dict[int, tuple[int, int]]] = [{0: (0, 0)}]
    for _ in range(segments):
        row = {}
        for i in range(1, len(ends)):
            ways = [
                (cost + int(ends[i] - ends[j]) ** 2, j)
                for j, (cost, _) in best[-1].items()
                if j < i and ends[i] - ends[j] >= least
            ]
            if ways:
                row[i] = min(ways)
        best.append(row)
    if len(paragraphs) not in best[segments]:
        return ["\n\n".join(paragraphs)]
    cuts, i = [], len(paragraphs)
    for s in range(segments, 0, -1):
        j = best[s][i][1]
        cuts.append("\n\n".join(paragraphs[j:i]))
        i = j
    return cuts[::-1]


def merge(document: str, segments: int, least: int) -> list[str]:
    """Merge paragraphs into at most ``segments`` segments of at least ``least`` characters each.

    The two neighbours that are shortest together are merged, until no segment is too short or too
    many; this gives exactly the documents of the published segments. The title is a paragraph.
    """
    merged = [[paragraph] for paragraph in _paragraphs(document)]
    while merged:
        lengths = [sum(map(len, segment)) for segment in merged]
        if len(merged) == 1 or (len(merged) <= segments and min(lengths) >= least):
            break
        pairs = [left + right for left, right in itertools.pairwise(lengths)]
        at = pairs.index(min(pairs))
        merged[at : at + 2] = [merged[at] + merged[at + 1]]
    return ["\n\n".join(segment) for segment in merged] or [""]


def _paragraphs(document: str) -> list[str]:
    pieces = (piece.strip() for piece in _BLANK.split(document.replace("\r\n", "\n")))
    return [piece for piece in pieces if piece]


_CUTS = {"even": split, "merge": merge}
