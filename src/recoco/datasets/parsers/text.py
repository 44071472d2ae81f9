"""Raw text in an archive: one file per document, in a folder named after its class."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from recoco.core.errors import RecocoError
from recoco.datasets.archives import iter_members
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.tokens import count_words

# a full line of uuencoded data: M for 45 bytes, then the 60 characters that encode them
_ENCODED = re.compile(r"^M[\x20-\x60]{60}[ \t\r]*$", re.MULTILINE)


def parse(folder: Path, options: dict) -> Parsed:
    labels, documents, strays = [], [], []
    for name, label, text in read_files(folder, options):
        if label is None:
            strays.append(name)
            continue
        labels.append(label)
        documents.append(text)
    if not documents:
        raise RecocoError(f"{options['archive']} has no files in class folders; correct its card.")
    parsed = count_words(documents, labels, options)
    if strays:
        parsed.dropped.append(f"files outside of a class folder: {', '.join(strays)}")
    return parsed


def texts(folder: Path, options: dict) -> Iterator[str]:
    """Yield the documents."""
    for _, label, text in read_files(folder, options):
        if label is not None:
            yield text


def read_files(folder: Path, options: dict) -> Iterator[tuple[str, str | None, str]]:
    """Yield path, class and text of every file; outside a class folder, the class is None."""
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
    """Remove everything up to the first blank line except the contents of some fields."""
    header, _, body = post.replace("\r\n", "\n").partition("\n\n")
    wanted = {field.lower() for field in fields}
    kept = []
    for line in header.split("\n"):
        field, _, content = line.partition(":")
        if field.lower() in wanted:
            kept.append(content.strip())
    return "\n".join([*kept, body])
