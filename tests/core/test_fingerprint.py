"""Fingerprints follow what a result depends on, and nothing else.

Each test writes a small package, takes the fingerprint of an entry, edits the package and takes
it again.
"""

from pathlib import Path

import pytest

from recoco.core.errors import RecocoError
from recoco.core.fingerprint import fingerprint, fingerprint_in
from recoco.core.source_graph import SourceGraph

METHODS = '''
"""Estimators."""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from pkg.base import Base
from pkg.kernels import step as one_step
import pkg.tools as tools


class State(NamedTuple):
    rows: int
    columns: int = 3


@dataclass
class Options:
    depth: int = 2
    names: list = field(default_factory=list)


class Method(Base):
    """A method."""

    views = "one"

    def fit(self, X, limit=5):
        """Fit it."""
        from pkg.late import finish

        state = State(1)
        for _ in range(limit):
            X = one_step(X, state.rows) + tools.shift(X)
        return finish(np.sort(X), Options())


class Other(Base):
    def fit(self, X):
        return tools.unused(X)
'''
KERNELS = """
from numba import njit

from pkg.constants import SCALE, UNUSED


@njit(cache=True)
def step(x, n):
    # Scale and add.
    def inner(y):
        return y + 1

    return inner(x) * SCALE + _add(x, n)


@njit
def _add(x, n):
    return x + n


@njit
def other(x):
    return x * UNUSED
"""
FILES = {
    "__init__.py": "",
    "base.py": "class Base:\n    shared = False\n\n    def runs(self):\n        return 0\n",
    "constants.py": "SCALE = 2.0\nUNUSED = 3.0\n",
    "kernels.py": KERNELS,
    "late.py": "def finish(x, options):\n    return x\n\n\ndef early(x):\n    return -x\n",
    "methods.py": METHODS,
    "tools.py": "def shift(x):\n    return x + 7\n\n\ndef unused(x):\n    return x\n",
}
ENTRY = "pkg.methods:Method"


@pytest.fixture
def print_of(tmp_path):
    """Return a function: from the files of a package and an entry to its fingerprint."""
    count = iter(range(1000))

    def take(files: dict[str, str], *entries: str) -> str:
        folder = tmp_path / str(next(count)) / "pkg"
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return fingerprint_in(SourceGraph(folder, "pkg"), *(entries or (ENTRY,)))

    return take


def edited(name: str, old: str, new: str) -> dict[str, str]:
    assert FILES[name].count(old) == 1
    return FILES | {name: FILES[name].replace(old, new)}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("methods.py", '"""A method."""', '"""Another text,\n    longer."""'),
        ("methods.py", '"""Fit it."""\n', '"""Fit."""\n        "a comment as a string"\n'),
        ("methods.py", '"""Estimators."""', ""),
        ("kernels.py", "# Scale and add.", "# Other words."),
        ("kernels.py", "return x + n", "return (x\n            +    n)"),
        ("kernels.py", "def _add(x, n):", "def _add(x: float, n: 'int') -> float:"),
        ("constants.py", "SCALE = 2.0", "SCALE: float = 2.0"),
        ("methods.py", "rows: int", "rows: float"),
        ("methods.py", "state = State(1)", "state: State = State(1)"),
        ("methods.py", "depth: int = 2", "_: KW_ONLY\n    depth: int = 2"),
        # How a name is imported.
        ("methods.py", "import step as one_step", "import step as one_step, other as another"),
        ("methods.py", "from pkg.base import Base", "from .base import Base"),
        ("methods.py", "import pkg.tools as tools", "from pkg import tools"),
        # What nobody here uses.
        ("kernels.py", "x * UNUSED", "x * UNUSED + 1"),
        ("constants.py", "UNUSED = 3.0", "UNUSED = 4.0\nMORE = 1"),
        ("tools.py", "return x\n", "return 2 * x\n"),
        ("late.py", "return -x", "return -2 * x"),
        ("methods.py", "tools.unused(X)", "tools.unused(X) + 1"),
    ],
)
def test_same_print(print_of, name, old, new):
    assert print_of(edited(name, old, new)) == print_of(FILES)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kernels.py", "return x + n", "return x - n"),
        ("kernels.py", "return y + 1", "return y + 2"),
        ("kernels.py", "@njit(cache=True)", "@njit(cache=True, fastmath=True)"),
        ("kernels.py", "from numba import njit", "from numbers import njit"),
        ("kernels.py", "import SCALE, UNUSED", "import UNUSED as SCALE, SCALE as UNUSED"),
        ("constants.py", "SCALE = 2.0", "SCALE = 2.5"),
        ("constants.py", "UNUSED = 3.0", "UNUSED = 3.0\nSCALE = 1"),
        ("constants.py", "UNUSED = 3.0", "UNUSED = 3.0\nSCALE += 1"),
        ("methods.py", 'views = "one"', 'views = "many"'),
        ("methods.py", "limit=5", "limit=6"),
        ("methods.py", "columns: int = 3", "columns: int = 4"),
        ("methods.py", "rows: int\n", "rows: int\n    cells: int\n"),
        ("methods.py", "depth: int = 2", "depth: int = 1"),
        ("methods.py", "@dataclass\n", "@dataclass(frozen=True)\n"),
        ("methods.py", "depth: int = 2", "depth: ClassVar[int] = 2"),
        ("methods.py", "np.sort", "np.argsort"),
        ("methods.py", "import numpy as np", "import cupy as np"),
        ("methods.py", "class Method(Base):", "class Method(Base, State):"),
        ("methods.py", "import finish", "import early as finish"),
        ("base.py", "shared = False", "shared = True"),
        ("tools.py", "return x + 7", "return x + 8"),
        ("late.py", "return x\n", "return x + 0\n"),
    ],
)
def test_other_print(print_of, name, old, new):
    assert print_of(edited(name, old, new)) != print_of(FILES)


def test_every_line_of_a_kernel_counts(print_of):
    """Any statement that is reached counts, and no other line of the file does."""
    before = print_of(FILES)
    lines = KERNELS.splitlines()
    reached = [i for i, line in enumerate(lines) if line.strip().startswith("return")]
    assert len(reached) == 4
    for i in reached:
        changed = [*lines[:i], lines[i] + " + 17", *lines[i + 1 :]]
        after = print_of(FILES | {"kernels.py": "\n".join(changed)})
        assert (after == before) == ("UNUSED" in lines[i])


def test_moving_modules_changes_nothing(print_of):
    moved = {
        name: text.replace("pkg.kernels", "pkg.deep.steps").replace("pkg.constants", "pkg.a.b")
        for name, text in FILES.items()
    }
    moved["deep/steps.py"] = moved.pop("kernels.py")
    moved["a/b.py"] = moved.pop("constants.py")
    moved |= {"deep/__init__.py": "", "a/__init__.py": ""}
    assert print_of(moved) == print_of(FILES)
    moved["estimators.py"] = moved.pop("methods.py").replace("pkg.tools as tools", "pkg.utils as u")
    moved["estimators.py"] = moved["estimators.py"].replace("tools.", "u.")
    moved["utils.py"] = moved.pop("tools.py")
    assert print_of(moved, "pkg.estimators:Method") == print_of(FILES)
    moved["a/b.py"] = moved["a/b.py"].replace("2.0", "2.5")
    assert print_of(moved, "pkg.estimators:Method") != print_of(FILES)


def test_moving_a_function_changes_nothing(print_of):
    kernels, add = KERNELS.replace("@njit\ndef _add(x, n):\n    return x + n\n", ""), "_add"
    files = FILES | {
        "kernels.py": "from pkg.sums import _add\n" + kernels,
        "sums.py": f"from numba import njit\n\n\n@njit\ndef {add}(x, n):\n    return x + n\n",
    }
    assert print_of(files) == print_of(FILES)


def test_facades_are_looked_through(print_of):
    direct = {
        "__init__.py": "",
        "a.py": "from pkg.inner.b import f\n\n\ndef g():\n    return f()\n",
        "inner/__init__.py": "",
        "inner/b.py": "def f():\n    return 1\n\n\ndef h():\n    return 2\n",
    }
    before = print_of(direct, "pkg.a:g")
    through = direct["a.py"].replace("pkg.inner.b", "pkg.inner")
    eager = "from pkg.inner.b import f, h\n\n__all__ = ['f', 'h']\n"
    lazy = (
        "from importlib import import_module\n\n_HOMES = {'f': 'pkg.inner.b', 'h': 'b'}\n\n\n"
        "def __getattr__(name):\n    return getattr(import_module(_HOMES[name]), name)\n"
    )
    for facade in (
        eager,
        lazy,
        lazy.replace("'pkg.inner.b'", "'b'"),
        "from pkg.inner.b import *\n",
    ):
        files = direct | {"a.py": through, "inner/__init__.py": facade}
        assert print_of(files, "pkg.a:g") == before
        changed = files | {"inner/b.py": direct["inner/b.py"].replace("1", "3")}
        assert print_of(changed, "pkg.a:g") != before
        unused = files | {"inner/b.py": direct["inner/b.py"].replace("2", "3")}
        assert print_of(unused, "pkg.a:g") == before


REGISTRY = {
    "__init__.py": "",
    "registry.py": "KINDS = {}\n\n\ndef kind(function):\n    KINDS[function.__name__] = function\n"
    "    return function\n\n\ndef run(name):\n    return KINDS[name]()\n",
    "one.py": "from pkg.registry import kind\n\n\n@kind\ndef one():\n    return helper()\n\n\n"
    "def helper():\n    return 1\n\n\ndef apart():\n    return 10\n",
    "main.py": "from pkg import one  # registers\nfrom pkg.registry import run\n\n\n"
    "def main():\n    return run('one')\n",
}


def test_what_registers_itself_counts(print_of):
    before, apart = print_of(REGISTRY, "pkg.main:main"), print_of(REGISTRY, "pkg.one:apart")
    changed = REGISTRY | {"one.py": REGISTRY["one.py"].replace("return 1\n", "return 2\n")}
    assert print_of(changed, "pkg.main:main") != before
    assert print_of(changed, "pkg.one:apart") != apart
    unused = REGISTRY | {"one.py": REGISTRY["one.py"].replace("10", "20")}
    assert print_of(unused, "pkg.main:main") == before
    for statement in ("import pkg.one", "from pkg import one", "import pkg.one as first"):
        inside = f"def main():\n    {statement}\n\n    return run('one')\n"
        above = f"{statement}\n\n\ndef main():\n    return run('one')\n"
        for text in (inside, above):
            files = REGISTRY | {"main.py": f"from pkg.registry import run\n{text}"}
            later = files | {"one.py": changed["one.py"]}
            assert print_of(later, "pkg.main:main") != print_of(files, "pkg.main:main")


@pytest.mark.parametrize(
    "effect",
    [
        "TABLE['x'] = {}",
        "TABLE.update(x={})",
        "if len(TABLE) == 0:\n    TABLE = {{1: {}}}",
        "for key in 'ab':\n    TABLE[key] = {}",
        "print({})",
        "made = enter({})",
        "class Child(Parent):\n    value = {}",
    ],
)
def test_side_effects_count_for_the_whole_module(print_of, effect):
    text = (
        "TABLE = {}\n\n\ndef enter(x):\n    TABLE[x] = x\n\n\nclass Parent:\n"
        "    def __init_subclass__(cls):\n        enter(cls)\n\n\ndef f():\n    return 1\n\n\n"
    )
    files = {"__init__.py": "", "a.py": text}
    prints = {print_of(files | {"a.py": text + effect.format(n)}, "pkg.a:f") for n in (1, 2)}
    assert len(prints) == 2
    constant = {print_of(files | {"a.py": f"{text}X = {n}\n"}, "pkg.a:f") for n in (1, 2)}
    assert constant == {print_of(files, "pkg.a:f")}


def test_local_names_hide_global_ones(print_of):
    text = (
        "def weight(x):\n    return {}\n\n\ndef a(weight):\n    return weight\n\n\n"
        "def b(x):\n    return [weight for weight in x]\n\n\n"
        "def c(x):\n    weight = x\n    return weight\n\n\n"
        "def used(x):\n    return weight(x), [weight for weight in x]\n\n\n"
        "def later(x, by=lambda x: weight(x)):\n    weight = by(x)\n    return weight\n\n\n"
        "class Class:\n    weight = 1\n\n    def use(self, x):\n        return weight(x)\n"
    )
    for name in ("a", "b", "c", "used", "later", "Class"):
        prints = {
            print_of({"__init__.py": "", "m.py": text.format(n)}, f"pkg.m:{name}") for n in (1, 2)
        }
        assert len(prints) == (1 if name in "abc" else 2), name


def test_modules_as_values_count_whole(print_of):
    files = {
        "__init__.py": "",
        "a.py": "from pkg import b\n\n\ndef f(name):\n    return getattr(b, name)\n\n\n"
        "def g():\n    return b.missing()\n",
        "b.py": "def one():\n    return 1\n",
    }
    changed = files | {"b.py": "def one():\n    return 2\n"}
    for entry in ("pkg.a:f", "pkg.a:g"):
        assert print_of(files, entry) != print_of(changed, entry)


def test_swapped_functions_count(print_of):
    """Two functions of the same name and text differ by what they use."""
    files = {
        "__init__.py": "",
        "a.py": "N = 1\n\n\ndef f():\n    return N\n",
        "b.py": "N = 2\n\n\ndef f():\n    return N\n",
        "c.py": "from pkg import a, b\n\n\ndef g():\n    return a.f() - b.f()\n",
    }
    swapped = files | {"c.py": files["c.py"].replace("a.f() - b.f()", "b.f() - a.f()")}
    assert print_of(files, "pkg.c:g") != print_of(swapped, "pkg.c:g")


def test_foreign_code_counts_with_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    own = tmp_path / "own_method.py"
    own.write_text("from recoco.core.seeds import seeds_of_runs\n\n\nclass Own:\n    pass\n")
    before = fingerprint("own_method:Own")
    assert before == fingerprint("own_method")
    own.write_text(own.read_text() + "# a comment\n")
    assert fingerprint("own_method:Own") != before
    assert fingerprint("not_installed:Class") != fingerprint("not_there_either:Class")


def test_unknown_names_are_refused():
    with pytest.raises(RecocoError, match="has no nothing"):
        fingerprint("recoco.core.seeds:nothing")
    with pytest.raises(RecocoError, match="There is no module"):
        fingerprint("recoco.nothing:f")


def test_whole_package_can_be_read():
    """Every name that a module of recoco takes from another one leads to a definition."""
    import recoco
    from recoco.core.normalised import Writer

    folder = Path(recoco.__file__).parent
    graph = SourceGraph(folder, "recoco")
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        module = graph.module(".".join(("recoco", *parts)).removesuffix(".__init__"))
        for definition in module.definitions:
            Writer(module).write(definition.node)
        for targets in module.names.values():
            for target in targets:
                if getattr(target, "attribute", None) and graph.owns(target.module):
                    found, rest = graph.resolve(target.module, (target.attribute,))
                    assert not rest, f"{module.name} imports {target}"
                    assert found or graph.module_behind(target)
