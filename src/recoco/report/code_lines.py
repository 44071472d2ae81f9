"""The line of code that computes an equation, found by the tag in the comment beside it."""

import ast
import contextlib
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recoco.config.schema import read_yaml
from recoco.core.errors import RecocoError

_PACKAGE = Path(__file__).resolve().parents[1]
_TAG = re.compile(r"(.*?)(?:# eq\. (.+))?")


@dataclass(frozen=True)
class CodeLine:
    """A line of the source: its file below ``src/recoco``, its number, function and text."""

    file: str
    line: int
    function: str
    source: str


def find_line(code: str, eq: str) -> CodeLine:
    """Return the line of a function that computes an equation.

    Parameters
    ----------
    code : ``module:function`` or ``module:Class.method``, the module relative to recoco
    eq : the equation's tag, which a comment ``# eq. TAG`` gives beside or right above its line
    """
    module, _, name = code.partition(":")
    path = _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        raise RecocoError(f"{code}: there is no module recoco.{module}: correct the name.")
    lines, functions = _read(path)
    if name not in functions:
        raise RecocoError(f"{code}: recoco.{module} has no function {name}: correct the name.")
    first, last = functions[name]
    tagged = []
    for number in range(first, last + 1):
        code_part, tag = _TAG.fullmatch(lines[number - 1]).groups()
        if tag == eq:
            tagged.append(number if code_part.strip() else number + 1)
    if len(tagged) != 1:
        raise RecocoError(
            f"{code}: {len(tagged)} lines of the function have the comment '# eq. {eq}': "
            "put it beside the one line that computes the equation."
        )
    source = _TAG.fullmatch(lines[tagged[0] - 1])[1].strip()
    return CodeLine(path.relative_to(_PACKAGE).as_posix(), tagged[0], name, source)


def digest_of_cards(path: Path) -> str:
    """Return a hash of the lines that compute the equations on the method cards.

    The report shows these lines, so it must be rendered again when one of them moves.
    """
    if not path.is_file():
        return ""
    digest = hashlib.sha256()
    for card in read_yaml(path).values():
        for entry in card["equations"]:
            with contextlib.suppress(RecocoError):  # the page reports it as missing
                digest.update(repr(find_line(entry["code"], entry["eq"])).encode())
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
