"""The text of a definition, without anything that cannot change a result."""

import ast

from recoco.core.source_graph import Definition, Import, Module
from recoco.core.syntax import Bound, bound_by, dotted

_SKIPPED = frozenset({"ctx", "kind", "type_comment", "annotation", "returns", "type_ignores"})
_FIELDS: dict[type, list[str]] = {}
# Annotations that decide what a dataclass does with a field.
_FIELD_MARKS = ("ClassVar", "InitVar")


class Writer:
    """Write one definition as text and references to the definitions that it uses."""

    def __init__(self, module: Module):
        self._module = module
        self._parts: list[str | tuple[Definition, ...]] = []
        # Innermost last: the names of each enclosing scope, None for a local variable.
        self._scopes: list[dict[str, list[Import] | None]] = []

    def write(self, node: ast.stmt) -> list[str | tuple[Definition, ...]]:
        self._write(node)
        joined, run = [], []
        for part in self._parts:
            if isinstance(part, str):
                run.append(part)
            else:
                joined += ["".join(run), part]
                run = []
        return [*joined, "".join(run)]

    def _write(self, node: ast.AST) -> None:
        special = _SPECIAL.get(type(node))
        if special is not None:
            special(self, node)
        else:
            fields = _FIELDS.get(type(node))
            if fields is None:
                fields = [name for name in node._fields if name not in _SKIPPED]
                _FIELDS[type(node)] = fields
            self._fields(node, fields)

    def _fields(self, node: ast.AST, names) -> None:
        """Write a node and those of its fields that are set."""
        add = self._parts.append
        add(type(node).__name__)
        add("(")
        for name in names:
            value = getattr(node, name, None)
            if value is None or value == []:
                continue
            add(name + "=")
            self._value(value)
        add(")")

    def _value(self, value) -> None:
        if isinstance(value, ast.AST):
            self._write(value)
        elif isinstance(value, list):
            self._parts.append("[")
            for item in value:
                self._value(item)
                self._parts.append(",")
            self._parts.append("]")
        else:
            self._parts.append(repr(value))

    # ---- names -------------------------------------------------------------------------------

    def _name(self, node: ast.Name | ast.Attribute) -> None:
        root, chain = dotted(node)
        if root is None:
            self._fields(node, ("value", "attr"))
            return
        targets = self._targets(root)
        if not targets:
            self._parts.append(".".join((root, *chain)) + " ")
            return
        for target in targets:
            definitions, text = self._module.graph.resolve_binding(target, chain)
            if definitions:
                self._parts.append(definitions)
            self._parts.append(text + " ")

    def _targets(self, name: str) -> list[Definition | Import]:
        """Return what a name stands for; nothing for local variables and built-in names."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name] or []
        if name in self._module.names:
            return self._module.names[name]
        return [Import(star, name) for star in self._module.stars]

    # ---- scopes ------------------------------------------------------------------------------

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = node.decorator_list
        self._fields(node, ("name", "decorator_list"))
        self._defaults(node.args)
        if any(isinstance(d, ast.Attribute) and d.attr == "register" for d in decorators):
            # functools.singledispatch chooses by annotation
            self._parts += [ast.unparse(a.annotation) for a in node.args.args if a.annotation]
        self._scopes.append(self._locals(node.args, node.body))
        self._arguments(node.args)
        self._body(node.body)
        self._scopes.pop()

    def _lambda(self, node: ast.Lambda) -> None:
        self._defaults(node.args)
        self._scopes.append(self._locals(node.args, [node.body]))
        self._parts.append("Lambda(")
        self._arguments(node.args)
        self._write(node.body)
        self._parts.append(")")
        self._scopes.pop()

    def _defaults(self, arguments: ast.arguments) -> None:
        self._value([value or ast.Pass() for value in arguments.defaults])
        self._value([value or ast.Pass() for value in arguments.kw_defaults])

    def _arguments(self, arguments: ast.arguments) -> None:
        for field in ("posonlyargs", "args", "kwonlyargs"):
            self._parts.append(f"{field}={[a.arg for a in getattr(arguments, field)]}")
        for field in ("vararg", "kwarg"):
            argument = getattr(arguments, field)
            self._parts.append(f"{field}={argument and argument.arg}")

    def _locals(self, arguments: ast.arguments, body: list) -> dict[str, list[Import] | None]:
        declared = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        declared += [a for a in (arguments.vararg, arguments.kwarg) if a]
        bound = bound_by(body)
        return dict.fromkeys([*(a.arg for a in declared), *bound.names]) | self._imported(bound)

    def _imported(self, bound: Bound) -> dict[str, list[Import]]:
        targets: dict[str, list[Import]] = {}
        for statement in bound.imports:
            for name, target in self._module.imports_in(statement).items():
                targets.setdefault(name, []).append(target)
        return targets

    def _class(self, node: ast.ClassDef) -> None:
        self._fields(node, ("name", "decorator_list", "bases", "keywords"))
        # Attributes of a class are not variables of its methods, so they hide no global name.
        self._scopes.append(self._imported(bound_by(node.body)))
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and not _is_keyword_mark(statement):
                self._field(statement)
        self._body(node.body)
        self._scopes.pop()

    def _body(self, body: list[ast.stmt]) -> None:
        self._parts.append("{")
        for node in body:
            self._write(node)
        self._parts.append("}")

    def _field(self, node: ast.AnnAssign) -> None:
        """Write the name of a field: a dataclass or a named tuple makes an argument of it."""
        marks = [mark for mark in _FIELD_MARKS if mark in ast.dump(node.annotation)]
        self._parts.append(f"field={ast.unparse(node.target)}{marks}")

    def _comprehension(self, node) -> None:
        first = node.generators[0]
        self._write(first.iter)  # evaluated outside
        self._scopes.append(dict.fromkeys(bound_by([g.target for g in node.generators]).names))
        self._parts.append(f"{type(node).__name__}(")
        for generator in node.generators:
            self._fields(
                generator, ("target", *(() if generator is first else ("iter",)), "ifs", "is_async")
            )
        for field in ("elt", "key", "value"):
            if hasattr(node, field):
                self._write(getattr(node, field))
        self._parts.append(")")
        self._scopes.pop()

    # ---- statements --------------------------------------------------------------------------

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Write only the side effects of importing a module of the package."""
        for _, module in self._module.loads(node):
            if module.effects:
                self._parts.append(tuple(module.effects))

    def _expression(self, node: ast.Expr) -> None:
        constant = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if not constant:  # a docstring, or a comment written as a string
            self._fields(node, ("value",))

    def _annotated(self, node: ast.AnnAssign) -> None:
        """Write an assignment as if it had no annotation."""
        if node.value is not None:
            self._write(ast.Assign(targets=[node.target], value=node.value))

    def _constant(self, node: ast.Constant) -> None:
        self._parts.append(f"{node.value!r} ")


def _is_keyword_mark(node: ast.AnnAssign) -> bool:
    """Say whether a statement is ``_: KW_ONLY``, which cannot change what a valid call returns."""
    return ast.unparse(node.annotation).rpartition(".")[2] == "KW_ONLY"


_SPECIAL = {
    ast.Name: Writer._name,
    ast.Attribute: Writer._name,
    ast.Constant: Writer._constant,
    ast.FunctionDef: Writer._function,
    ast.AsyncFunctionDef: Writer._function,
    ast.Lambda: Writer._lambda,
    ast.ClassDef: Writer._class,
    ast.ListComp: Writer._comprehension,
    ast.SetComp: Writer._comprehension,
    ast.DictComp: Writer._comprehension,
    ast.GeneratorExp: Writer._comprehension,
    ast.Import: Writer._import,
    ast.ImportFrom: Writer._import,
    ast.Expr: Writer._expression,
    ast.AnnAssign: Writer._annotated,
}
