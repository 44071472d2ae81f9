"""Text that anybody may have written, made fit for files, pages and terminals."""

import re

_MOST = 2000  # characters; the message of an error may contain a whole array
_KEPT = "\n\t"
# What makes a terminal do something: change colours, its title, what was printed before.
_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?")


def printable(text: str, most: int = _MOST) -> str:
    r"""Return a text that every file and page can hold, at most ``most`` characters long.

    Control characters and lone surrogates, which no encoding knows, are spelled out.

    >>> print(printable("no such file: \udc80"))
    no such file: \udc80
    """
    if len(text) > most:
        text = f"{text[: most - 2]} …"
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT or _harmless(c) else _spelled(c) for c in text
    )


def one_line(text: str, most: int | None = None) -> str:
    r"""Return a text as one line without anything a terminal would act on, at most ``most`` long.

    >>> one_line("\x1b[31mred\nand dead")
    'red and dead'
    """
    text = "".join(c if c.isprintable() else " " for c in without_escapes(text))
    return " ".join(text.split())[:most]


def without_escapes(text: str) -> str:
    """Return a text without the escape sequences of terminals."""
    return _ESCAPE.sub("", text)


def _harmless(character: str) -> bool:
    """Return whether a character is not printable but common in texts, such as a wide space."""
    return ord(character) >= 0xA0 and not 0xD800 <= ord(character) <= 0xDFFF


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
