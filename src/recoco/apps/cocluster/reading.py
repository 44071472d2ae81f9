"""Read a folder of text files as a document-term matrix, whatever else it contains."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers.tokens import STOP_WORDS, document_terms
from recoco.datasets.sources import files_below

MOST_WORDS = 10_000
_LEAST_DOCUMENTS = 4
_COMMON = 0.5  # words in a larger share of the documents do not distinguish them
_LONGEST = 25  # letters; longer "words" are addresses, tables and encoded files
_LOOK = 8192  # bytes that decide whether a file is text
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_NOT_TEXT = (b"%PDF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh")
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\x1b")
# a full line of uuencoded data: M for 45 bytes, then the 60 characters that encode them
_ENCODED = re.compile(r"^M[\x20-\x60]{60}[ \t\r]*$", re.MULTILINE)


@dataclass
class Texts:
    """The word counts of the documents in a folder.

    Attributes
    ----------
    files : list of str, paths relative to the folder, one per row of the matrix
    X : csr_matrix of counts
    terms : list of str, the words, one per column
    encodings : how many files were read in each encoding
    notes : list of sentences about what was left out
    """

    files: list[str]
    X: csr_matrix
    terms: list[str]
    encodings: Counter
    notes: list[str] = field(default_factory=list)


def read_folder(
    folder: Path,
    most_words: int = MOST_WORDS,
    skip_headers: bool = False,
    stop_words: frozenset[str] = frozenset(),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Texts:
    """Read and count all text files below a folder.

    Parameters
    ----------
    folder : Path
    most_words : int
        Keep at most this many words, those in the most documents.
    skip_headers : bool
        Skip everything up to the first blank line of each file (headers of mails and posts).
    stop_words : set of str
        Words to ignore in addition to recoco's own (English) ones.
    progress : callable ``progress(what, done, total)``
    """
    if not folder.exists():
        raise RecocoError(f"{folder} does not exist: give a folder of text files.")
    if not folder.is_dir():
        raise RecocoError(f"{folder} is not a folder: give the folder with your text files.")
    paths = files_below(folder)
    if not paths:
        raise RecocoError(f"{folder} has no files in it: give a folder of text files.")
    reader = _Reader(folder, paths, skip_headers, progress)
    try:
        X, terms, _ = document_terms(reader.texts())
    except RecocoError:  # no words at all; the reader knows why
        raise RecocoError(f"{folder} contains no words: {reader.why_empty()}") from None
    if X.shape[0] < _LEAST_DOCUMENTS:
        count = f"{X.shape[0]} document{'s' * (X.shape[0] != 1)} with text"
        raise RecocoError(
            f"{folder} has {count}: co-clusters need at least {_LEAST_DOCUMENTS}, a file for "
            f"each document{reader.skipped()}."
        )
    notes = reader.notes()
    X, terms = _vocabulary(X, terms, most_words, stop_words, notes, folder)
    return Texts(reader.read, X, terms, reader.encodings, notes)


class _Reader:
    """Yields the texts of files, and records how they were read and which were skipped."""

    def __init__(self, folder: Path, paths: list[Path], skip_headers: bool, progress):
        self.folder, self.paths = folder, paths
        self.skip_headers, self.progress = skip_headers, progress
        self.read: list[str] = []
        self.encodings: Counter = Counter()
        self.binary: list[str] = []
        self.closed: list[str] = []
        self.blank: list[str] = []

    def texts(self) -> Iterator[str]:
        for number, path in enumerate(self.paths):
            self.progress("reading files", number, len(self.paths))
            name = path.relative_to(self.folder).as_posix()
            try:
                content = path.read_bytes()
            except OSError:
                self.closed.append(name)
                continue
            if not content.strip():
                self.blank.append(name)
                continue
            encoding = _encoding(content)
            if encoding is None:
                self.binary.append(name)
                continue
            text = content.decode(encoding, errors="replace")
            if self.skip_headers:
                text = text.replace("\r\n", "\n").partition("\n\n")[2]
            self.encodings[encoding] += 1
            self.read.append(name)
            yield _ENCODED.sub("", text)

    def why_empty(self) -> str:
        if self.binary and not self.read:
            return (
                f"its {len(self.binary)} files are not text ({self.binary[0]}, ...); "
                "save the documents as plain text first."
            )
        if self.closed and not self.read:
            return f"none of its {len(self.closed)} files is readable; change their permissions."
        return "all files are empty or contain no letters; give a folder of texts."

    def skipped(self) -> str:
        count = len(self.binary) + len(self.closed) + len(self.blank)
        return f" ({count} other files are unreadable, empty or not text)" if count else ""

    def notes(self) -> list[str]:
        kinds = (
            (self.binary, "not text"),
            (self.closed, "not readable"),
            (self.blank, "empty"),
        )
        return [
            f"{len(names)} of {len(self.paths)} files are {what} and were skipped "
            f"({', '.join(names[:3])}{', ...' * (len(names) > 3)})."
            for names, what in kinds
            if names
        ]


def _encoding(content: bytes) -> str | None:
    """Return the encoding that a text is read in, or None if it is not text."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    head = content[:_LOOK]
    controls = len(head) - len(head.translate(None, _CONTROL))
    if head.startswith(_NOT_TEXT) or b"\0" in head or controls > len(head) // 20:
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"  # one byte, one character: never fails, wrong only in accents
    return "utf-8"


def _vocabulary(X, terms, most_words: int, stop_words, notes: list[str], folder: Path):
    """Keep the words that distinguish documents; describe the others in ``notes``."""
    n = X.shape[0]
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    least = 2 if n < 1000 else 3
    rare = frequency < least
    common = frequency > max(_COMMON * n, least)
    odd = np.array([len(term) > _LONGEST or term in stop_words for term in terms])
    kept = np.flatnonzero(~rare & ~common & ~odd)
    notes.append(
        f"{len(STOP_WORDS)} English stop words, numbers and single letters are not counted; of the "
        f"other {len(terms):,} words, {rare.sum():,} in fewer than {least} documents and "
        f"{common.sum():,} in more than half of them are ignored."
    )
    if kept.size > most_words:
        notes.append(
            f"Of the remaining {kept.size:,} words, the {most_words:,} in the most documents are "
            "used."
        )
        first = np.argsort(-frequency[kept], kind="stable")[:most_words]
        kept = np.sort(kept[first])
    if kept.size < 2:
        raise RecocoError(
            f"The documents in {folder} share only {kept.size} words that distinguish them: "
            "give more or longer documents in one language."
        )
    return csr_matrix(X[:, kept]), [terms[j] for j in kept]
