"""Fingerprints of the registered methods, against what their fits really execute."""

import ast
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import recoco
from recoco.config import load_config
from recoco.core.fingerprint import definitions_of, fingerprint_in
from recoco.core.source_graph import SourceGraph
from recoco.methods import METHODS
from recoco.plan.kernels import variants_of

PACKAGE = Path(recoco.__file__).parent
TRACER = Path(__file__).parents[1] / "support" / "traced_fits.py"


def variants() -> list[dict]:
    """Return each registered method as it is, and as the papers use it."""
    plain = [{"import_path": path, "params": {}} for path in METHODS.values()]
    asked = variants_of(load_config())
    return [*plain, *(variant for variant in asked if variant not in plain)]


@pytest.fixture(scope="module")
def executed() -> list[tuple[str, set[str]]]:
    """Return, for each variant, its class and the definitions that a small fit executes."""
    asked = variants()
    done = subprocess.run(
        [sys.executable, str(TRACER)],
        input=json.dumps(asked),
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        text=True,
        capture_output=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return [(v["import_path"], set(r["executed"])) for v, r in zip(asked, found, strict=True)]


def imported_modules(entry: str) -> set[str]:
    """Return the modules of recoco that a module imports, directly or through others."""
    seen, waiting = set(), [entry]
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        waiting += imports_of(module)
    return seen


@cache
def imports_of(module: str) -> list[str]:
    base = PACKAGE.joinpath(*module.split(".")[1:])
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    named = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            named.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
        elif isinstance(node, ast.Constant) and str(node.value).startswith("recoco."):
            named.add(str(node.value).partition(":")[0])  # tables of modules
    below = (PACKAGE.joinpath(*name.split(".")[1:]) for name in named)
    there = (base.is_dir() or base.with_suffix(".py").is_file() for base in below)
    return [
        name for name, is_there in zip(named, there, strict=True) if is_there and "recoco" in name
    ]


def test_all_that_a_fit_executes_is_in_its_fingerprint(executed):
    """The test that matters most: no edit of code that ran may leave a fingerprint as it was."""
    for path, ran in executed:
        inside = definitions_of(path, "recoco.engine.warm:compile_kernels")
        assert ran - inside == set(), path
    assert {path for path, ran in executed if len(ran) > 10} == set(METHODS.values())
    kernels = {name for _, ran in executed for name in ran if name.startswith("recoco.kernels.")}
    assert len(kernels) > 100


def test_fingerprints_stay_within_what_is_imported():
    for path in METHODS.values():
        modules = {name.partition(":")[0] for name in definitions_of(path)}
        assert modules <= imported_modules(path.partition(":")[0])


@pytest.mark.parametrize(
    "kernel", ["modularity", "kmeans", "spherical", "costar", "block_models", "dcc"]
)
def test_an_edited_kernel_changes_the_methods_that_use_it(kernel, executed, tmp_path):
    """Each method that runs the kernel changes, and none that does not import it."""
    module = f"recoco.kernels.{kernel}"
    copy = tmp_path / "recoco"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "kernels" / f"{kernel}.py"
    tree = ast.parse(path.read_text())
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    before, lines = SourceGraph(PACKAGE, "recoco"), path.read_text().splitlines()
    reached = 0
    for name in (names[0], names[-1]):
        function = next(node for node in tree.body if getattr(node, "name", "") == name)
        changed = list(lines)
        last = function.body[-1]
        indent = " " * last.col_offset
        changed.insert(last.lineno - 1, f"{indent}if 0 > 1:\n{indent}    raise ValueError")
        path.write_text("\n".join(changed))
        after = SourceGraph(copy, "recoco")
        different = {
            path
            for path in METHODS.values()
            if fingerprint_in(before, path) != fingerprint_in(after, path)
        }
        runs_it = {path for path, ran in executed if f"{module}:{name}" in ran}
        imports_it = {
            path for path in METHODS.values() if module in imported_modules(path.partition(":")[0])
        }
        # Scores of the small fit use kernels that the method itself does not.
        scored = definitions_of("recoco.engine.warm:compile_kernels")
        if f"{module}:{name}" not in scored:
            assert runs_it <= different
        assert different <= imports_it
        assert different == {p for p in METHODS.values() if f"{module}:{name}" in definitions_of(p)}
        reached += bool(different)
    assert reached
