"""Reuters-21578 as JSON: the stories with exactly one topic and a body, unless a card says more."""

import json
from collections.abc import Iterator
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import count_words

_KIND = "an archive of Reuters JSON"


def parse(folder: Path, options: dict) -> Parsed:
    labels, documents, total = [], [], 0
    with reading(folder / options["archive"], _KIND):
        for story in _stories(folder, options):
            total += 1
            label = _class_of(story, options)
            if label:
                labels.append(label)
                documents.append(_text(story, options))
    if not documents:
        raise RecocoError(
            f"{options['archive']} has no story of a class that is wanted; correct its card."
        )
    parsed = count_words(documents, labels, options)
    left_out = f"{total - len(labels)} of {total} stories"
    if "classes" in options or "stories" in options:
        parsed.dropped.insert(0, f"{left_out} are not among those that the card wants")
    else:
        parsed.dropped.insert(0, f"{left_out} have no body, no topic or several topics")
    return parsed


def _class_of(story: dict, options: dict) -> str | None:
    """Return the class of a story, or None if it is left out."""
    topics = story.get("topics") or []
    if not topics or (len(topics) > 1 and options.get("topic", "only") == "only"):
        return None
    if not story.get("body") and not options.get("without_body", False):
        return None
    if "stories" in options:
        number = int(story["id"])
        if not any(first <= number <= last for first, last in options["stories"]):
            return None
    return options["classes"].get(topics[0]) if "classes" in options else topics[0]


def _text(story: dict, options: dict) -> str:
    title = story.get("title") if options.get("title", True) else None
    return f"{title or ''}\n{story.get('body') or ''}"


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield every story with a body, whatever its topics."""
    path = folder / options["archive"]
    for story in _stories(folder, options):
        with reading(path, _KIND):
            text = _text(story, options) if story.get("body") else ""
        if text:
            yield text


def _stories(folder: Path, options: dict) -> Iterator[dict]:
    path = folder / options["archive"]
    with reading(path, _KIND):
        for _, content in iter_members(path, options["folder"]):
            yield from json.loads(content)
