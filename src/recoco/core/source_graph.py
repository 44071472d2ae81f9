"""The definitions of a package and which of them each one uses, read from the source alone.

A *definition* is a top-level statement: a function, a whole class, an assignment, or a statement
with side effects. Its text is written without what cannot change a result (comments, docstrings,
layout, annotations, import statements), and each name that it takes from the package is replaced
by a reference to the definition behind that name. The text therefore does not depend on where a
definition is. Names from other packages are written in full, so importing `svd` from another one
is a change.
"""

import ast
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

from recoco.core.syntax import bound_by, dotted, is_main_guard, only_binds, parse


class Import(NamedTuple):
    """What an import statement binds: a module, or an attribute of one."""

    module: str
    attribute: str | None = None


class Definition:
    """A top-level statement of a module."""

    def __init__(self, module: "Module", node: ast.stmt, name: str):
        self.module, self.node, self.name = module, node, name

    def __repr__(self) -> str:
        return f"{self.module.name}:{self.name}"

    @property
    def is_callable(self) -> bool:
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


class Module:
    """A parsed module: the names bound at its top level and its statements with side effects."""

    def __init__(self, graph: "SourceGraph", name: str, path: Path):
        self.graph, self.name, self.path = graph, name, path
        self.is_package = path.name == "__init__.py"
        self.names: dict[str, list[Definition | Import]] = {}
        self.definitions: list[Definition] = []
        self.stars: list[str] = []
        self._statements: list[Definition] = []
        self._imports: list[ast.Import | ast.ImportFrom] = []
        self.tree = parse(path)
        for node in self.tree.body:
            self._read(node)

    def imports_in(self, node: ast.stmt) -> dict[str, Import]:
        """Return the targets of the names that an import statement binds."""
        if isinstance(node, ast.Import):
            return {
                alias.asname or alias.name.partition(".")[0]: Import(
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                for alias in node.names
            }
        module = node.module or ""
        if node.level:
            package = self.name if self.is_package else self.name.rpartition(".")[0]
            module = resolve_name("." * node.level + module, package)
        return {
            alias.asname or alias.name: Import(module, alias.name)
            for alias in node.names
            if alias.name != "*"
        }

    def _read(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._bind_imports(node)
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            return
        bound, imports = bound_by([node])
        if bound == ["__all__"]:
            return
        if is_main_guard(node):
            self.definitions.append(Definition(self, node, f"line {node.lineno}"))
            return
        definition = Definition(self, node, bound[0] if bound else f"line {node.lineno}")
        self.definitions.append(definition)
        for name in bound:
            self.names.setdefault(name, []).append(definition)
        if not only_binds(node):
            self._statements.append(definition)
            for statement in imports:
                self._bind_imports(statement)

    def _bind_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        self._imports.append(node)
        for name, target in self.imports_in(node).items():
            self.names.setdefault(name, []).append(target)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            self.stars.append(node.module)

    @cached_property
    def own_effects(self) -> list[Definition]:
        """The definitions that do more than bind a name when the module is imported."""
        return [d for d in self.definitions if d in self._statements or self._registers(d)]

    @cached_property
    def effects(self) -> list[Definition]:
        """What happens when the module is imported, including modules imported for that alone."""
        effects, seen, waiting = [], set(), [self]
        while waiting:
            module = waiting.pop(0)
            if module in seen:
                continue
            seen.add(module)
            effects += module.own_effects
            waiting += module._imported_for_effect
        for package in self._packages():
            effects += package.own_effects
        return list(dict.fromkeys(effects))

    def _packages(self) -> list["Module"]:
        parts = self.name.split(".")
        above = (".".join(parts[:count]) for count in range(1, len(parts)))
        return [module for name in above if (module := self.graph.module(name))]

    @cached_property
    def _imported_for_effect(self) -> list["Module"]:
        loaded = [(name, module) for node in self._imports for name, module in self.loads(node)]
        if not loaded:
            return []
        used = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return [module for name, module in loaded if name not in used and module is not self]

    def loads(self, node: ast.Import | ast.ImportFrom) -> list[tuple[str, "Module"]]:
        """Return the modules of the package that an import statement names, with their names.

        ``import a.b`` binds no name to the module, so that it has an empty one.
        """
        if isinstance(node, ast.Import):
            named = [(alias.asname or "", Import(alias.name)) for alias in node.names]
        else:
            named = list(self.imports_in(node).items())
        modules = ((name, self.graph.module_behind(target)) for name, target in named)
        return [(name, module) for name, module in modules if module is not None]

    @cached_property
    def loaded_on_use(self) -> dict[str, Import]:
        """The names that ``__getattr__`` takes from a table of modules, or of ``module:name``."""
        targets = {}
        if "__getattr__" not in self.names:
            return targets
        tables = [getattr(definition.node, "value", None) for definition in self.definitions]
        for table in tables:
            if not isinstance(table, ast.Dict):
                continue
            for key, value in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    home, _, attribute = str(value.value).partition(":")
                    for module in (home, f"{self.name}.{home}"):
                        if self.graph.module(module):
                            targets[key.value] = Import(module, attribute or key.value)
        return targets

    def _registers(self, definition: Definition) -> bool:
        """Say whether a definition may register itself: by a decorator, a call or a base class.

        Decorators of other packages (njit, dataclass) are assumed not to register anything.
        """
        node = definition.node
        for decorator in getattr(node, "decorator_list", []):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            for behind in self._behind(called):
                if behind.is_callable or isinstance(called, ast.Attribute):
                    return True
        if isinstance(node, ast.ClassDef):
            return any(
                base is not definition and _hooks_subclasses(base, set())
                for expression in [*node.bases, *(word.value for word in node.keywords)]
                for base in self._behind(expression)
            )
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            return any(
                isinstance(behind.node, ast.FunctionDef)
                for call in ast.walk(node.value)
                if isinstance(call, ast.Call)
                for behind in self._behind(call.func)
            )
        return False

    def _behind(self, expression: ast.expr) -> tuple[Definition, ...]:
        """Return the definitions behind a dotted name; none for another expression."""
        root, chain = dotted(expression)
        if root is None:
            return ()
        return tuple(
            definition
            for target in self.names.get(root, [])
            for definition in self.graph.resolve_binding(target, chain)[0]
        )


class SourceGraph:
    """The modules of one package, read when needed.

    Parameters
    ----------
    folder : the folder of the package
    name : the name under which it is imported
    """

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name
        self._modules: dict[str, Module | None] = {}
        self._reading: set[str] = set()

    def owns(self, module: str) -> bool:
        return module == self.name or module.startswith(f"{self.name}.")

    def module(self, name: str) -> Module | None:
        """Return a module of the package, None where there is no such file."""
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def _load(self, name: str) -> Module | None:
        if not self.owns(name):
            return None
        base = self.folder.joinpath(*name.split(".")[1:])
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return Module(self, name, path)
        return None

    def module_behind(self, target: Import) -> Module | None:
        """Return the module that an import binds, None where it binds something else."""
        if target.attribute is None:
            return self.module(target.module)
        parent = self.module(target.module)
        if parent is not None and target.attribute in parent.names:
            return None
        return self.module(f"{target.module}.{target.attribute}")

    def resolve_binding(
        self, target: Definition | Import, chain: tuple[str, ...], seen: frozenset = frozenset()
    ) -> tuple[tuple[Definition, ...], str]:
        """Return the definitions behind a binding with attributes, and what is left as text."""
        if isinstance(target, Definition):
            return (target,), "".join(f".{name}" for name in chain)
        inner = () if target.attribute is None else (target.attribute,)
        return self.resolve(target.module, inner + chain, seen)

    def resolve(
        self, module_name: str, chain: tuple[str, ...], seen: frozenset = frozenset()
    ) -> tuple[tuple[Definition, ...], str]:
        """Return the definitions behind ``module_name.chain``, and what is left as text.

        Names of other packages are all text. What cannot be resolved is the whole module.
        """
        module = self.module(module_name)
        if module is None:
            return (), ".".join((module_name, *chain))
        if not chain or (module_name, chain) in seen:
            return self.whole(module), ""
        seen |= {(module_name, chain)}
        first, rest = chain[0], chain[1:]
        targets = list(module.names.get(first, []))
        if not targets and self.module(f"{module_name}.{first}"):
            return self.resolve(f"{module_name}.{first}", rest, seen)
        if not targets:
            targets = [Import(star, first) for star in module.stars if self._exports(star, first)]
            if first in module.loaded_on_use:
                targets = [module.loaded_on_use[first]]
        if not targets:
            return self.whole(module), "".join(f".{name}" for name in chain)
        all_definitions, texts = [], []
        for target in targets:
            definitions, text = self.resolve_binding(target, rest, seen)
            all_definitions += definitions
            texts.append(text)
        return tuple(dict.fromkeys(all_definitions)), "|".join(dict.fromkeys(texts))

    def _exports(self, module_name: str, name: str) -> bool:
        module = self.module(module_name)
        return module is not None and name in module.names

    def whole(self, module: Module) -> tuple[Definition, ...]:
        """Return all definitions of a module, and for a package also those it re-exports."""
        definitions = list(module.definitions)
        # Two packages may import from each other: the one that is being read is not read again.
        if module.is_package and module.name not in self._reading:
            self._reading.add(module.name)
            for name, targets in module.names.items():
                for target in targets:
                    if isinstance(target, Import) and self.module_behind(target) is None:
                        definitions += self.resolve(module.name, (name,))[0]
            for target in module.loaded_on_use.values():
                definitions += self.resolve_binding(target, ())[0]
            self._reading.remove(module.name)
        return tuple(dict.fromkeys(definitions))


def _hooks_subclasses(definition: Definition, seen: set) -> bool:
    """Say whether a class, or a class that it derives from, is called for each subclass."""
    node = definition.node
    if definition in seen or not isinstance(node, ast.ClassDef):
        return False
    seen.add(definition)
    hooks = ("__init_subclass__", "__new__", "__init__")
    metaclass = any(ast.unparse(base) == "type" for base in node.bases)
    if any(
        getattr(inner, "name", None) in (hooks if metaclass else hooks[:1]) for inner in node.body
    ):
        return True
    return any(
        _hooks_subclasses(base, seen)
        for expression in [*node.bases, *(word.value for word in node.keywords)]
        for base in definition.module._behind(expression)
    )
