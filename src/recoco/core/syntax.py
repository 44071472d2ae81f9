"""Small questions about Python source, answered from its syntax tree."""

import ast
import gc
from pathlib import Path
from typing import NamedTuple


def parse(path: Path) -> ast.Module:
    """Parse a file; the garbage collector would take longer than the parser over a new tree."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if collecting:
            gc.enable()


def dotted(expression: ast.expr) -> tuple[str | None, tuple[str, ...]]:
    """Split ``a.b.c`` into ("a", ("b", "c")); (None, ()) for any other expression."""
    chain = []
    while isinstance(expression, ast.Attribute):
        chain.append(expression.attr)
        expression = expression.value
    if isinstance(expression, ast.Name):
        return expression.id, tuple(reversed(chain))
    return None, ()


_OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Bound(NamedTuple):
    """What statements bind in their own scope: names, and the import statements among them."""

    names: list[str]
    imports: list[ast.Import | ast.ImportFrom]


def bound_by(body: list[ast.AST]) -> Bound:
    """Return what statements bind in their own scope; inner functions and classes are others."""
    names, imports, free, waiting = {}, [], set(), list(reversed(body))
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                names[node.id] = None
            continue
        if kind in _OTHER_SCOPES:
            if kind is not ast.Lambda:
                names[node.name] = None
            continue
        if kind in _COMPREHENSIONS:  # only := reaches out of it
            inner = (each for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
            names.update((each.target.id, None) for each in inner)
            continue
        if kind in (ast.Import, ast.ImportFrom):
            imports.append(node)
            continue
        if kind in (ast.Global, ast.Nonlocal):
            free.update(node.names)
        elif kind in (ast.ExceptHandler, ast.MatchAs, ast.MatchStar) and node.name:
            names[node.name] = None
        elif kind is ast.MatchMapping and node.rest:
            names[node.rest] = None
        for field in reversed(node._fields):
            value = getattr(node, field, None)
            if isinstance(value, list):
                waiting.extend(each for each in reversed(value) if isinstance(each, ast.AST))
            elif isinstance(value, ast.AST) and field != "ctx":
                waiting.append(value)
    return Bound([name for name in names if name not in free], imports)


def is_main_guard(node: ast.stmt) -> bool:
    """Say whether a statement only runs when its module is the program."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def only_binds(node: ast.stmt) -> bool:
    """Say whether a statement does nothing but give names to values."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return True
    targets = {
        ast.Assign: lambda: node.targets,
        ast.AnnAssign: lambda: [node.target],
        ast.AugAssign: lambda: [node.target],
    }.get(type(node), list)()
    return bool(targets) and all(
        isinstance(leaf, ast.Name | ast.Tuple | ast.List | ast.Starred | ast.Store)
        for target in targets
        for leaf in ast.walk(target)
    )
