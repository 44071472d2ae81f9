"""What a deposit server answers, checked before it is used or shown."""

import json
import math
import re
from collections.abc import Callable
from functools import lru_cache

from recoco.core.errors import RecocoError
from recoco.core.texts import one_line, without_escapes

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_LARGEST = 1 << 53  # beyond this, numbers in JSON are no longer exact


def plain(text: str, secret: str, length: int | None = None) -> str:
    """Return a text as one line that is safe to print, without the secret.

    Parameters
    ----------
    text : what a server wrote: it may contain escape sequences or echo the token
    secret : the token
    length : characters that are kept
    """
    if length is not None:
        text = text[: 20 * length]  # the rest would not be shown, and may be long
    if secret:  # escape sequences may break it up
        text = _pattern(secret).sub("(token)", without_escapes(text))
    return one_line(text, length)


@lru_cache(maxsize=8)
def _pattern(secret: str) -> re.Pattern:
    """Match the secret, also if it is quoted for URLs or JSON or broken up by what is invisible."""
    forms = (rf"(?:{re.escape(c)}|%{ord(c):02x}|\\u00{ord(c):02x})" for c in secret)
    return re.compile(r"[^\x21-\x7e]*\\*".join(forms), re.IGNORECASE)


def is_identifier(value: object) -> bool:
    """Whether a value may be a step of the path of a URL: nothing to quote, no way upwards."""
    if isinstance(value, int) and not isinstance(value, bool):
        return 0 <= value <= _LARGEST
    return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


class Answer:
    """A JSON value that may be anything.

    Parameters
    ----------
    place : where it came from, for messages
    show : makes a text fit for a message of limited length
    name : what it is called in the answer
    """

    def __init__(self, value: object, place: str, show: Callable[..., str], name: str = ""):
        self.value, self.place, self.show, self.name = value, place, show, name

    def wrong(self, expected: str) -> RecocoError:
        """Return the error that says what the value should have been."""
        shapes: dict[type, str] = {dict: "an object", list: "a list"}  # contents would not help
        shown = shapes.get(type(self.value)) or self.show(json.dumps(self.value), length=60)
        told = f"{self.name} = {shown}" if self.name else shown
        return RecocoError(
            f"{self.place} answered {told}, which is not {expected}: "
            "check --server and --interface, then run the same command again."
        )

    def at(self, *keys: str) -> "Answer":
        """Return a value in nested objects; one that is missing counts as null."""
        value, name = self.value, self.name
        for key in keys:
            if not isinstance(value, dict):
                raise self._part(value, name).wrong("an object")
            value, name = value.get(key), f"{name}.{key}".strip(".")
        return self._part(value, name)

    def _part(self, value: object, name: str) -> "Answer":
        return Answer(value, self.place, self.show, name)

    def maybe(self, *keys: str) -> "Answer | None":
        """Return a value in nested objects, or None if it or what contains it is missing."""
        found = self
        for key in keys:
            found = found.at(key)
            if found.value is None:
                return None
        return found

    def items(self) -> list["Answer"]:
        """Return the values of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        name = self.name or "item"
        return [self._part(value, f"{name}[{i}]") for i, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            raise self.wrong("a text")
        return self.value

    def number(self) -> int:
        """Return a number of bytes or parts; some servers write it with a decimal point."""
        value = self.value
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
            raise self.wrong("a natural number")
        return value

    def identifier(self) -> str:
        """Return a key of the server that becomes part of a URL."""
        if not is_identifier(self.value):
            raise self.wrong("an identifier")
        return str(self.value)


def parse(content: bytes, place: str, show: Callable[..., str]) -> Answer:
    """Read an answer in JSON; an empty one counts as an empty object."""
    if not content.strip():
        return Answer({}, place, show)
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):  # a UnicodeDecodeError is a ValueError
        shown = show(content.decode("utf-8", "replace"), length=60)
        raise RecocoError(
            f"{place} did not answer in JSON ({shown}): "
            "check --server and --interface, then run the same command again."
        ) from None
    return Answer(value, place, show)


def _no_number(name: str):
    raise ValueError(f"{name} is not JSON")
