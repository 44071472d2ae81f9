"""Running text, one document at a time: raw texts of cards, folders, Wikipedia dumps."""

import bz2
import contextlib
import gzip
import html
import os
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.datasets.card import load_card
from recoco.datasets.fetching import fetch
from recoco.datasets.mirrors import at_hand
from recoco.datasets.parsers import module_of
from recoco.datasets.receipts import RECEIPT, check_raw

_PIECE = 1 << 20  # number of characters of a text file read at once
_PLAIN_EVERY = 15.0  # seconds between two lines of progress in a log


def texts_at_hand(name: str) -> bool:
    """Return whether the raw texts of a dataset have been fetched or are in a mirror folder."""
    try:
        return read_json(paths.raw(name) / RECEIPT)["status"] == "ok"
    except (OSError, ValueError, KeyError):
        return at_hand(name)


def documents_of(name: str) -> Iterator[str]:
    """Yield the raw texts of a dataset, fetching it if necessary.

    These are the texts that the card's parser reads, before words are counted.
    """
    card = load_card(name)
    folder = paths.raw(name)
    if not (folder / RECEIPT).is_file():
        fetch(name, folder)
    receipt = check_raw(name, folder)
    if receipt["status"] != "ok":
        raise RecocoError(f"Dataset {name} is unreachable: {card['by_hand']}")
    parser = card["sources"][receipt["source_index"]].get("parser", {"name": "planted"})
    texts = getattr(import_module(module_of(parser["name"])), "texts", None)
    if texts is None:
        raise RecocoError(
            f"Dataset {name} has no running text (its files are read as {parser['name']}): "
            "take one whose card has raw text, such as ng20raw."
        )
    yield from texts(folder, parser)


class TextFiles:
    """The documents of a folder of ``.txt`` files, of one text file, or of a Wikipedia dump.

    A text file is one document. It is read in pieces of about a million characters, split at white
    space, so files of any size can be read; only windows across such a split are missed. A dump
    (``.xml``, ``.xml.bz2`` or ``.xml.gz``) yields its articles, without redirects and markup.

    Parameters
    ----------
    path : path-like
        The folder or file.
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        if self.path.is_dir():
            self.files = sorted(file for file in self.path.rglob("*.txt") if file.is_file())
            if not self.files:
                raise RecocoError(f"{self.path} has no .txt files: give a folder of texts.")
        elif self.path.is_file():
            self.files = [self.path]
        else:
            raise RecocoError(f"There is no {self.path}: give a folder of texts, a text or a dump.")
        self._sizes = [file.stat().st_size for file in self.files]
        self._passed = 0
        self._open: Any = None

    def __iter__(self) -> Iterator[str]:
        self._passed = 0
        for file, size in zip(self.files, self._sizes, strict=True):
            dump = ".xml" in file.suffixes
            try:
                with file.open("rb") as self._open:
                    yield from self._articles(file) if dump else self._text(file)
            except RecocoError:
                raise
            except (OSError, EOFError, ValueError, LookupError, zlib.error, SyntaxError) as error:
                kind = "a Wikipedia dump" if dump else "text"
                raise RecocoError(
                    f"{file.name} cannot be read as {kind} ({error}): download it again."
                ) from None
            finally:
                self._open = None
            self._passed += size

    @property
    def share_read(self) -> float:
        """Fraction of the bytes on disk read so far."""
        now = self._open.tell() if self._open else 0
        return min(1.0, (self._passed + now) / max(1, sum(self._sizes)))

    def _text(self, file: Path) -> Iterator[str]:
        with self._unpacked(file) as stream:
            rest = ""
            while content := stream.read(_PIECE):
                # a split inside a character loses only that character
                piece = rest + content.decode("utf-8", errors="replace")
                cut = max(piece.rfind(" "), piece.rfind("\n"))
                if len(content) == _PIECE and cut > 0:
                    yield piece[:cut]
                    rest = piece[cut:] if len(piece) - cut < _PIECE else ""
                else:
                    rest = piece
            if rest:
                yield rest

    def _articles(self, file: Path) -> Iterator[str]:
        root, pages = None, 0
        with self._unpacked(file) as stream:
            for event, element in ElementTree.iterparse(stream, ("start", "end")):
                if root is None:
                    root = element
                if event == "end" and element.tag.rpartition("}")[2] == "page":
                    pages += 1
                    text = _article(element)
                    root.clear()  # otherwise the whole dump would stay in memory
                    if text:
                        yield plain(text)
        if not pages:
            raise RecocoError(f"{file.name} has no pages: give a dump named pages-articles.")

    @contextlib.contextmanager
    def _unpacked(self, file: Path):
        if file.suffix == ".bz2":
            with bz2.BZ2File(self._open) as stream:
                yield stream
        elif file.suffix == ".gz":
            with gzip.GzipFile(fileobj=self._open) as stream:
                yield stream
        else:
            yield self._open


def _article(page) -> str:
    """Return the wiki text of a page; empty if it is not an article."""
    text = ""
    for element in page.iter():
        name = element.tag.rpartition("}")[2]
        if name == "redirect" or (name == "ns" and (element.text or "0").strip() != "0"):
            return ""
        if name == "text":
            text = element.text or ""
    return text


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_APART = re.compile(r"<(ref|math|gallery|code|pre)\b[^<>/]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_INNERMOST = re.compile(r"\{\{[^{}]*\}\}|\{\|[^{}]*\|\}")
_FILE = re.compile(r"\[\[(?:file|image|category)\s*:[^\[\]]*\]\]", re.IGNORECASE)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_ADDRESS = re.compile(r"\[?https?://\S+|\]")
_DEPTH = 8  # maximum nesting of templates


def plain(wiki: str) -> str:
    """Return the readable text of wiki markup, roughly: no templates, tables, notes or tags."""
    text = _COMMENT.sub(" ", html.unescape(wiki))
    text = _APART.sub(" ", text)
    for _ in range(_DEPTH):
        text, found = _INNERMOST.subn(" ", text)
        if not found:
            break
    text = _TAG.sub(" ", text)
    # links first, because a caption may contain some
    text = _LINK.sub(_label, text)
    text = _FILE.sub(" ", text)
    return _ADDRESS.sub(" ", text).replace("'''", "").replace("''", "")


def _label(link: re.Match) -> str:
    return link[0] if _FILE.match(link[0]) else link[1]


@contextlib.contextmanager
def shown_progress(texts: TextFiles) -> Iterator[Callable[[int, int], None]]:
    """Provide a ``progress`` for `count_windows` that shows how much of ``texts`` has been read.

    It is a bar on a terminal, otherwise a line every 15 seconds.
    """
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(texts.path.name, total=1.0)
            yield lambda documents, words: bar.update(task, completed=texts.share_read)
        return
    last = time.monotonic()

    def line(documents: int, words: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_EVERY:
            last = time.monotonic()
            print(
                f"  {texts.share_read:.1%} of {texts.path.name}: {documents} documents, "
                f"{words} words",
                file=sys.stderr,
                flush=True,
            )

    yield line
