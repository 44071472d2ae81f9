"""Raw text in an archive: one file per document, the folder it lies in is its class."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np

from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import counting, document_terms
from recoco.errors import RecocoError

# a full line of uuencoded data: M for 45 bytes, then the 60 characters that stand for them
_ENCODED = re.compile(r"^M[\x20-\x60]{60}[ \t\r]*$", re.MULTILINE)


def parse(folder: Path, options: dict) -> Parsed:
    labels, documents, strays = [], [], []
    for name, label, text in _files(folder, options):
        if label is None:
            strays.append(name)
            continue
        labels.append(label)
        documents.append(text)
    if not documents:
        raise RecocoError(f"{options['archive']} has no files in class folders; correct its card.")
    view, terms, dropped = document_terms(documents, **counting(options))
    if strays:
        dropped.append(f"files outside of a class folder: {', '.join(strays)}")
    return Parsed([view], np.array(labels), [terms], dropped=dropped)


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents as they are read, before their words are counted."""
    for _, label, text in _files(folder, options):
        if label is not None:
            yield text


def _files(folder: Path, options: dict) -> Iterator[tuple[str, str | None, str]]:
    """Yield path, class and text of every file; one outside of a class folder has no class."""
    path = folder / options["archive"]
    inside = PurePosixPath(options.get("folder", ""))
    encoding = options.get("encoding", "utf-8")
    with reading(path, "an archive of text"):
        for name, content in iter_members(path, options.get("folder", "")):
            relative = PurePosixPath(name).relative_to(inside)
            if len(relative.parts) < 2:
                yield name, None, ""
                continue
            text = content.decode(encoding)
            if options.get("skip_header", False):
                text = _without_header(text, options.get("keep_fields", []))
            if options.get("skip_encoded", False):
                text = _ENCODED.sub("", text)
            yield name, relative.parts[-2], text


def _without_header(post: str, fields: list[str]) -> str:
    """Leave out all up to the first blank line but the content of the fields to be kept."""
    header, _, body = post.replace("\r\n", "\n").partition("\n\n")
    wanted = {field.lower() for field in fields}
    kept = []
    for line in header.split("\n"):
        field, _, content = line.partition(":")
        if field.lower() in wanted:
            kept.append(content.strip())
    return "\n".join([*kept, body])
