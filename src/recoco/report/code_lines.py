"""Where a named piece of recoco stands in its source: found when asked, never written down."""

import ast
import contextlib
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recoco.errors import RecocoError
from recoco.schema import read_yaml

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class CodeLine:
    """A line of the source: its file below ``src/recoco``, its number, itself."""

    file: str
    line: int
    function: str
    source: str


def find_line(code: str, at: str = "") -> CodeLine:
    """Return the line of a function that holds ``at``, or the one that begins the function.

    Parameters
    ----------
    code : ``module:function`` or ``module:Class.method``, the module seen from recoco
    at : a piece of one line of the function; more than one line with it is refused
    """
    module, _, name = code.partition(":")
    path = _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        raise RecocoError(f"{code}: there is no module recoco.{module}: mend the name.")
    lines, functions = _read(path)
    if name not in functions:
        raise RecocoError(f"{code}: recoco.{module} has no function {name}: mend the name.")
    first, last = functions[name]
    if at:
        found = [number for number in range(first, last + 1) if at in lines[number - 1]]
        if len(found) != 1:
            raise RecocoError(
                f"{code}: {len(found)} lines of the function hold {at!r}: name a piece of one line."
            )
        first = found[0]
    file = path.relative_to(_PACKAGE).as_posix()
    return CodeLine(file, first, name, lines[first - 1].strip())


def digest_of_cards(path: Path) -> str:
    """Return a hash of where the equations on the cards of the methods stand now.

    The report names these lines, so that it is out of date as soon as one of them moves.
    """
    if not path.is_file():
        return ""
    digest = hashlib.sha256()
    for card in read_yaml(path).values():
        for entry in card["equations"]:
            with contextlib.suppress(RecocoError):  # the page says that it is not there
                digest.update(repr(find_line(entry["code"], entry.get("at", ""))).encode())
    return digest.hexdigest()[:16]


@cache
def _read(path: Path) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """Return the lines of a file and the first and last line of each of its functions."""
    text = path.read_text(encoding="utf-8")
    functions: dict[str, tuple[int, int]] = {}

    def walk(nodes, prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                functions[f"{prefix}{node.name}"] = (node.lineno, node.end_lineno)

    walk(ast.parse(text).body, "")
    return text.splitlines(), functions
