"""Reuters-21578 as JSON: the stories with exactly one topic and a body."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import counting, document_terms
from recoco.errors import RecocoError


def parse(folder: Path, options: dict) -> Parsed:
    labels, documents, total = [], [], 0
    for topics, text in _stories(folder, options):
        total += 1
        if len(topics) == 1 and text:
            labels.append(topics[0])
            documents.append(text)
    if not documents:
        raise RecocoError(
            f"{options['archive']} has no story with one topic and a body; correct its card."
        )
    view, terms, dropped = document_terms(documents, **counting(options))
    left_out = total - len(labels)
    dropped.insert(0, f"{left_out} of {total} stories have no body, no topic or several topics")
    return Parsed([view], np.array(labels), [terms], dropped=dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield every story with a body, whatever its topics: a text is a text."""
    for _, text in _stories(folder, options):
        if text:
            yield text


def _stories(folder: Path, options: dict) -> Iterator[tuple[list[str], str]]:
    """Yield the topics and the text of every story; one without a body has no text."""
    path = folder / options["archive"]
    with reading(path, "an archive of Reuters JSON"):
        for _, content in iter_members(path, options["folder"]):
            for story in json.loads(content):
                body = story.get("body")
                text = f"{story.get('title') or ''}\n{body}" if body else ""
                yield story.get("topics") or [], text
