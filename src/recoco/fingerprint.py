"""Fingerprints of code: what a result was computed with.

Snakemake notices changed parameters, inputs and scripts, but not an edit in an imported
package. Each rule therefore carries, as a parameter, a hash of the sources that its entry
module imports inside recoco, directly or through others. Comments, docstrings and layout do
not count: only what can change a result does.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _path(module: str) -> Path | None:
    """Return the source file of a recoco module, None for any other name."""
    if module != "recoco" and not module.startswith("recoco."):
        return None
    base = _PACKAGE.joinpath(*module.split(".")[1:])
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _strip_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            node.body = body[1:] or [ast.Pass()]
    return tree


@cache
def _read(path: Path) -> tuple[str, frozenset[str]]:
    """Return the digest of one source file and the recoco modules that it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                named.add(inner if _path(inner) else node.module)
    digest = hashlib.sha256(ast.dump(_strip_docstrings(tree)).encode()).hexdigest()
    return digest, frozenset(name for name in named if _path(name))


@cache  # thousands of jobs ask, few entries are different
def modules_of(*entries: str) -> tuple[str, ...]:
    """Return the recoco modules reachable by imports from ``entries``, sorted."""
    seen, waiting = set(), list(entries)
    while waiting:
        module = waiting.pop()
        path = _path(module)
        if module in seen or path is None:
            continue
        seen.add(module)
        waiting.extend(_read(path)[1])
    return tuple(sorted(seen))


def fingerprint(*entries: str) -> str:
    """Return a hash of the code behind ``entries``.

    A module outside recoco (somebody's own method) counts with its source file where one
    can be found, because its author edits it as often as we edit ours.
    """
    digest = hashlib.sha256()
    for entry in entries:
        if _path(entry) is None:
            digest.update(f"{entry} {_foreign(entry)}\n".encode())
    for module in modules_of(*entries):
        digest.update(f"{module} {_read(_path(module))[0]}\n".encode())
    return digest.hexdigest()[:16]


def _foreign(module: str) -> str:
    from importlib.util import find_spec

    try:
        spec = find_spec(module)
    except ImportError:  # a package above it is missing; what is asked of it later says so
        spec = None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return "no source"
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()


def digest_of_command(parts: list[str], folder: Path) -> str:
    """Return a hash of the files that a command line names, seen from ``folder``.

    Somebody's program is edited like our own code, and its results must follow.
    """
    digest = hashlib.sha256()
    for part in parts:
        path = folder / part
        if "{" not in part and path.is_file():
            digest.update(f"{part} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def fingerprint_of_files(*folders: str) -> str:
    """Return a hash of the files in folders of the package that are no Python modules."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((_PACKAGE / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
