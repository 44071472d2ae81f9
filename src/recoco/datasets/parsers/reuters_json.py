"""Reuters-21578 as JSON: the stories with exactly one topic and a body."""

import json
from collections.abc import Iterator
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import count_words


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
    parsed = count_words(documents, labels, options)
    left_out = f"{total - len(labels)} of {total} stories"
    parsed.dropped.insert(0, f"{left_out} have no body, no topic or several topics")
    return parsed


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield every story with a body, whatever its topics."""
    for _, text in _stories(folder, options):
        if text:
            yield text


def _stories(folder: Path, options: dict) -> Iterator[tuple[list[str], str]]:
    """Yield topics and text of every story; the text is empty if there is no body."""
    path = folder / options["archive"]
    with reading(path, "an archive of Reuters JSON"):
        for _, content in iter_members(path, options["folder"]):
            for story in json.loads(content):
                body = story.get("body")
                text = f"{story.get('title') or ''}\n{body}" if body else ""
                yield story.get("topics") or [], text
