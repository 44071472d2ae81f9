"""What the schema of a card cannot say: names of files, sizes of models, odd values."""

import math
import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

from recoco.core.errors import RecocoError
from recoco.datasets.raw_files import folded, name_of, problem_of_name

_MOST_NONZEROS = 10**9  # of a planted model or a twin, in all views


def check_card(card: dict, where: str) -> None:
    """Raise if a card that fits its schema could still do harm, or cannot be meant.

    Parameters
    ----------
    card : dict
    where : str
        The file of the card, for the error.
    """
    for position, value in _values(card, ""):
        if problem := _problem_of(position, value):
            raise RecocoError(f"{where}: {position.lstrip('.')} {problem}: correct it.")
    for number, source in enumerate(card["sources"]):
        at = f"{where}: sources[{number}]"
        _check_names(source, at)
        if source["kind"] == "url":
            _check_addresses(source, at)
        if source["kind"] == "synthetic":
            _check_size(source["planted"], at)
    if "twin" in card:
        _check_twin({**(card.get("expected") or {}), **card["twin"]}, f"{where}: twin")


def _values(content: object, position: str) -> Iterator[tuple[str, object]]:
    """Yield every key and every plain value of a card with its position."""
    if isinstance(content, dict):
        for key, value in content.items():
            shown = str(key)[:80] if str(key).isprintable() else repr(key)[:80]
            below = f"{position}.{shown}"
            yield f"the name of {below.lstrip('.')}", key
            yield from _values(value, below)
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _values(value, f"{position}[{number}]")
    else:
        yield position, content


def _problem_of(position: str, value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    # A terminal obeys control characters. The columns of a file may be separated by one.
    if isinstance(value, str) and not position.endswith(".separator"):
        kinds = (unicodedata.category(letter) for letter in value if letter not in "\t\n\r")
        if any(kind in ("Cc", "Cs") for kind in kinds):
            return "has a control character"
    return ""


def _check_names(source: dict, at: str) -> None:
    """Check the names that the files of a source get in the raw folder."""
    seen: dict[str, str] = {}
    for file in source.get("files", []):
        name = name_of(file)
        # What a path on this machine becomes depends on what is there; `admit` checks its name.
        problem = "" if source["kind"] == "local" else problem_of_name(name)
        if problem:
            raise RecocoError(f"{at}: {name[:80]!r} {problem}: give the file another `name`.")
        if folded(name) in seen:
            raise RecocoError(
                f"{at}: {name!r} and {seen[folded(name)]!r} are the same name on some systems: "
                "give one of the files another `name`."
            )
        seen[folded(name)] = name


def _check_addresses(source: dict, at: str) -> None:
    for number, file in enumerate(source["files"]):
        try:
            urlsplit(file["at"])
        except ValueError:  # brackets that hold no address
            raise RecocoError(
                f"{at}.files[{number}].at is an address that cannot be understood: correct it."
            ) from None


def _check_size(planted: dict, at: str) -> None:
    views = planted.get("views", 1)
    if planted["rows"] * planted["columns"] * planted["density"] * views > _MOST_NONZEROS:
        raise RecocoError(
            f"{at}.planted has more than {_MOST_NONZEROS} non-zeros: lower its size or density."
        )


def _check_twin(twin: dict, at: str) -> None:
    # every class has an order of the terms of its own
    orders = len(twin["class_sizes"]) * sum(twin.get("columns", []))
    size = max(orders, sum(twin["class_sizes"]), sum(twin.get("nonzeros", [])))
    if size > _MOST_NONZEROS:
        raise RecocoError(f"{at} has more than {_MOST_NONZEROS} numbers: lower its size.")
