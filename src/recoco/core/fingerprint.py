"""Fingerprints of the code that computed a result.

Snakemake notices changed parameters, inputs and scripts, but not an edit in an imported
package. Each rule therefore has a parameter with a hash of the definitions that its entries use,
directly or indirectly. Only what can change a result counts, not comments, docstrings, layout,
annotations or the modules in which definitions are.

What is looked up by name at run time (a method, a parser) cannot be seen in the source and must be
given as an entry too.
"""

import hashlib
from functools import cache
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.normalised import Writer
from recoco.core.source_graph import Definition, Module, SourceGraph

_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def _graph() -> SourceGraph:
    return SourceGraph(_PACKAGE, "recoco")


def fingerprint(*entries: str) -> str:
    """Return a hash of the code behind ``entries``.

    Parameters
    ----------
    entries : str
        Functions or classes as ``package.module:name``, or modules with all their definitions.
        A module outside recoco (a user's own method) counts with its source file and the
        definitions of recoco that it uses.
    """
    ours = all(_graph().owns(entry.partition(":")[0]) for entry in entries)
    return _remembered(*entries) if ours else fingerprint_in(_graph(), *entries)


@cache  # thousands of jobs ask, few entries are different
def _remembered(*entries: str) -> str:
    return fingerprint_in(_graph(), *entries)


def definitions_of(*entries: str) -> set[str]:
    """Return the definitions behind ``entries`` as ``package.module:name``."""
    return {repr(definition) for definition in _numbered(_graph(), entries)[0]}


def fingerprint_in(graph: SourceGraph, *entries: str) -> str:
    """Return a hash of the code behind ``entries`` in the package of ``graph``."""
    return _numbered(graph, entries)[1].hexdigest()[:16]


def _numbered(graph: SourceGraph, entries: tuple[str, ...]) -> tuple[list[Definition], object]:
    """Number the definitions behind ``entries`` in the order of their use, and hash them so.

    A reference is hashed as the number of the definition that it refers to. Two packages have
    the same hash if their definitions have the same texts and use each other in the same way,
    whatever modules they are in.
    """
    digest = hashlib.sha256()
    numbers: dict[Definition, int] = {}
    modules: set[Module] = set()

    def refer(definitions) -> str:
        return " ".join(f"#{numbers.setdefault(each, len(numbers))}" for each in definitions)

    for entry in entries:
        digest.update(f"{_start(graph, entry, refer)}\n".encode())
    done = 0
    order: list[Definition] = []
    while done < len(numbers):
        order += list(numbers)[done:]
        for definition in order[done:]:
            text = [part if isinstance(part, str) else refer(part) for part in _parts(definition)]
            if definition.module not in modules:
                modules.add(definition.module)
                text.append(refer(definition.module.effects))
            digest.update("".join([*text, "\n"]).encode())
            done += 1
    return order, digest


@cache
def _parts(definition: Definition) -> list:
    return Writer(definition.module).write(definition.node)


def _start(graph: SourceGraph, entry: str, refer) -> str:
    """Return what an entry adds to the hash itself."""
    name, _, qualname = entry.partition(":")
    module = graph.module(name)
    if module is None:
        if graph.owns(name):
            raise RecocoError(
                f"There is no module {name} to take a fingerprint of: correct {entry!r}."
            )
        return _foreign(graph, name, refer)
    if not qualname:
        return refer(graph.whole(module))
    definitions, rest = graph.resolve(name, tuple(qualname.split(".")))
    if rest and rest.split(".")[1] == qualname.split(".")[0]:
        raise RecocoError(f"{name} has no {qualname} to take a fingerprint of: correct {entry!r}.")
    return refer(definitions)


def _foreign(graph: SourceGraph, name: str, refer) -> str:
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except ImportError:  # a package above it is missing; loading it later reports that
        spec = None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return f"{name} has no source"
    path = Path(spec.origin)
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    try:
        module = Module(graph, name, path)
    except (SyntaxError, ValueError):  # loading it later reports that
        return content
    used = [
        graph.resolve_binding(target, ())[0]
        for targets in module.names.values()
        for target in targets
        if not isinstance(target, Definition)
    ]
    return " ".join([content, *map(refer, used)])


def digest_of_command(parts: list[str], folder: Path) -> str:
    """Return a hash of the files that a command line names, seen from ``folder``.

    A user's program may be edited like our own code, and then its results are out of date.
    """
    digest = hashlib.sha256()
    for part in parts:
        path = folder / part
        if "{" not in part and path.is_file():
            digest.update(f"{part} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def fingerprint_of_files(*folders: str) -> str:
    """Return a hash of the files in folders of the package that are not Python modules."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((_PACKAGE / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
