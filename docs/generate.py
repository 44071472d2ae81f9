"""Write the parts of the documentation that can be derived: `make docs`.

- docs/configuration.md comes from the schemas in workflow/schemas;
- docs/licences.md comes from requirements.lock and what the installed packages say of themselves;
- the diagrams of README.md and docs/architecture.md come from the workflow's own graph of rules,
  in which the rules of one file in workflow/rules are one stage.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "workflow" / "schemas"
PAGE = ROOT / "docs" / "configuration.md"
LICENCES = ROOT / "docs" / "licences.md"

# Which file each schema describes; a schema that is not listed comes last, under its own name.
FILES = {
    "config": "config/config.yaml",
    "methods": "config/methods.yaml",
    "dataset": "config/datasets/NAME.yaml",
    "paper": "config/papers",
    "method_cards": "config/method_cards.yaml",
}
INTRODUCTION = """\
# Configuration

<!-- Written by `make docs` from workflow/schemas: edit the schemas, not this page. -->

Everything that decides a result is a file in `config/`. Each file is checked against its schema
before anything runs, and a key that is left out takes the default given here.

In the tables below, `a.b` is the key `b` inside `a`, `NAME` stands for a name of your choice, and
`[]` for each element of a list. **Bold** keys are required.
"""

ABOUT_LICENCES = """\
# Licences of the dependencies

<!-- Written by `make docs` from requirements.lock and the installed packages. -->

recoco itself is under the BSD 3-Clause licence. `make setup` installs the packages below, each
under the licence that it states in its own metadata, or else in its licence file. Those that only
the tests, the formatters or a cluster need are among them (see `pyproject.toml`). None of them is
part of this repository or of an archive.
"""


def main() -> int:
    PAGE.write_text(configuration(), encoding="utf-8")
    LICENCES.write_text(licences(), encoding="utf-8")
    edges = stage_edges()
    for name, shown in diagrams(edges).items():
        page = ROOT / name
        page.write_text(with_diagram(page.read_text(encoding="utf-8"), shown), encoding="utf-8")
    return 0


# ---- configuration.md ------------------------------------------------------------------------


def configuration() -> str:
    """Return the reference page of all schemas."""
    names = [path.name.removesuffix(".schema.yaml") for path in SCHEMAS.glob("*.schema.yaml")]
    order = [*FILES, *sorted(set(names) - set(FILES))]
    parts = [INTRODUCTION]
    for name in order:
        if name in names:
            schema = yaml.safe_load((SCHEMAS / f"{name}.schema.yaml").read_text(encoding="utf-8"))
            parts += _sections(FILES.get(name, name), schema)
        if name == "paper":
            parts += _kinds()
    return "\n".join(parts)


def _kinds() -> Iterator[str]:
    """Yield a section for each kind of item, which has a schema of its own."""
    from recoco.items import kinds
    from recoco.items.properties import COMMON

    about = "These keys are common to all items of a paper; the others depend on `kind`."
    yield f"### Items\n\n{about}\n\n{_table({'properties': COMMON}, {})}"
    for name, kind in kinds().items():
        schema = {"properties": kind.schema, "required": list(kind.required)}
        yield f"### Kind {name}\n\n{kind.about}\n\n{_table(schema, {})}"


def _sections(title: str, schema: dict) -> Iterator[str]:
    """Yield the section of a file, then one for each definition that has keys of its own."""
    definitions = schema.get("$defs", {})
    yield f"## {title}\n\n{_sentence(schema)}\n\n{_table(schema, definitions)}"
    for name, definition in definitions.items():
        if _has_keys(definition):
            about = _sentence(definition) or _sentence(_discriminator(definition))
            head = f"### {name}\n" + (f"\n{about}\n" if about else "")
            yield f"{head}\n{_table(definition, definitions)}"


def _has_keys(rule: dict) -> bool:
    return bool(rule.get("properties")) or isinstance(rule.get("additionalProperties"), dict)


def _plain_values(schema: dict) -> dict:
    """Return the rule of a mapping's values if its type says everything about them."""
    rule = schema.get("additionalProperties")
    if not isinstance(rule, dict) or rule.get("description") or rule.get("properties"):
        return {}
    return {} if isinstance(rule.get("additionalProperties"), dict) else rule


def _discriminator(definition: dict) -> dict:
    """Return the key whose fixed value selects this definition; its text says what it is."""
    rules = definition.get("properties", {}).values()
    return next((rule for rule in rules if "const" in rule or "enum" in rule), {})


def _sentence(rule: dict) -> str:
    return " ".join(rule.get("description", "").split())


def _table(schema: dict, definitions: dict) -> str:
    rows = [
        f"| {'**' * required}`{key}`{'**' * required} | {kind} | {text} |"
        for key, required, kind, text in _rows(schema, definitions, "")
    ]
    lines = ["| key | value | meaning |", "|---|---|---|", *rows]
    if "allOf" in schema:
        lines += ["", "The other keys depend on the first:", "", *_cases(schema["allOf"])]
    return "\n".join(lines) + "\n"


def _cases(conditions: list[dict]) -> Iterator[str]:
    """Say for each value of a key which definition describes the rest."""
    for condition in conditions:
        ((key, rule),) = condition["if"]["properties"].items()
        at = condition["then"]["$ref"].rpartition("/")[2]
        yield f"- `{key}` is {_value(rule)}: see [{at}](#{_slug(at)})"


def _rows(schema: dict, definitions: dict, prefix: str) -> Iterator[tuple[str, bool, str, str]]:
    required = schema.get("required", [])
    keys = {name: (name in required, rule) for name, rule in schema.get("properties", {}).items()}
    if isinstance(schema.get("additionalProperties"), dict) and not _plain_values(schema):
        keys["NAME"] = (False, schema["additionalProperties"])
    for name, (must, rule) in keys.items():
        target = definitions.get(rule.get("$ref", "").removeprefix("#/$defs/"), {})
        full = {**target, **rule}
        key = f"{prefix}{name}"
        if _has_keys(target):  # described in a section of its own
            at = rule["$ref"].rpartition("/")[2]
            yield key, must, f"see [{at}](#{_slug(at)})", _cell(_sentence(full))
            continue
        yield key, must, _value(full), _cell(_sentence(full))
        yield from _rows(full, definitions, f"{key}.")
        items = full.get("items", {})
        at = items.get("$ref", "").removeprefix("#/$defs/")
        if _has_keys(definitions.get(at, {})):
            yield f"{key}[]", False, f"see [{at}](#{_slug(at)})", _cell(_sentence(items))
        else:
            yield from _rows(items, definitions, f"{key}[].")


_TYPES = {
    "string": "text",
    "object": "mapping",
    "array": "list",
    "boolean": "`true` or `false`",
    "null": "`null`",
}
_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def _value(rule: dict) -> str:
    """Say which values a key may have, and its default."""
    if "const" in rule:
        said = f"`{rule['const']}`"
    elif "enum" in rule:
        said = ", ".join(f"`{value}`" for value in rule["enum"])
    elif "oneOf" in rule:
        said = " or ".join(_value(option) for option in rule["oneOf"])
    else:
        types = rule.get("type", "any value")
        limits = [f"{sign} {rule[key]}" for key, sign in _BOUNDS.items() if key in rule]
        said = " or ".join(
            f"{_TYPES.get(one, one)} {', '.join(limits)}".rstrip()
            if one in ("integer", "number")
            else _TYPES.get(one, one)
            for one in ([types] if isinstance(types, str) else types)
        )
        inside = rule.get("items", {})
        if types == "array" and ("type" in inside or "enum" in inside):
            said = f"list of {_value(inside)}"
        if types == "object" and _plain_values(rule):
            said = f"mapping to {_value(_plain_values(rule))}"
    if "default" in rule and rule["default"] not in ({}, [], ""):
        said += f"; default `{yaml.safe_dump(rule['default']).split(chr(10))[0]}`"
    return _cell(said)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


# ---- licences.md -----------------------------------------------------------------------------


def licences() -> str:
    """Return the page of the locked packages; others that happen to be installed do not count."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE)
    rows = [
        f"| {name} | {version} | {_cell(licence_of(name, version))} |" for name, version in pins
    ]
    return "\n".join(
        [ABOUT_LICENCES, "| package | version | licence |", "|---|---|---|", *rows, ""]
    )


def licence_of(name: str, version: str) -> str:
    """Return the licence that an installed package states."""
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        package = None
    if package is None or package.version != version:
        raise ValueError(f"{name} {version} is locked but not installed: run `make setup`")
    return stated_licence(package.metadata) or _first_line(package) or "not stated"


def stated_licence(about) -> str:
    """Return the licence in the metadata of a package: as an expression, in words, or by class."""
    words = (about.get("License-Expression") or about.get("License") or "").strip()
    if words and "\n" not in words and len(words) <= 80:  # some put the whole text there
        return words
    classes = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    return " or ".join(line.rpartition(" :: ")[2] for line in classes)


def _first_line(package: metadata.Distribution) -> str:
    """Return the heading of a package's licence file."""
    named = [path for path in package.files or [] if path.name.upper().startswith("LICEN")]
    for path in sorted(named, key=str):
        if path.parts[0].endswith(".dist-info"):
            return path.read_text(encoding="utf-8").strip().partition("\n")[0].strip()
    return ""


# ---- the diagrams ----------------------------------------------------------------------------


def stage_edges() -> set[tuple[str, str]]:
    """Return which stage reads the results of which, by Snakemake's own graph of rules."""
    stage_of = {
        rule: path.stem
        for path in sorted((ROOT / "workflow" / "rules").glob("*.smk"))
        for rule in re.findall(r"^rule (\w+):", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "--profile", "none"]
    graph = subprocess.run(
        [*command, "dist/recoco-archive.zip"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    names = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)"', graph, re.MULTILINE))
    pairs = re.findall(r"^\s*(\d+) -> (\d+)", graph, re.MULTILINE)
    edges = {(stage_of[names[a]], stage_of[names[b]]) for a, b in pairs}
    return {(a, b) for a, b in edges if a != b}


def reduced(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Leave out every edge between two stages that a longer way joins, too."""

    def reaches(start: str, goal: str, left_out: tuple[str, str]) -> bool:
        following = [b for a, b in edges if a == start and (a, b) != left_out]
        return goal in following or any(reaches(b, goal, left_out) for b in following)

    return {edge for edge in edges if not reaches(*edge, edge)}


def diagrams(edges: set[tuple[str, str]]) -> dict[str, str]:
    """Return the diagram of each page: the line alone, and everything that is read."""
    return {
        "README.md": _mermaid(reduced(edges), "LR"),
        "docs/architecture.md": _mermaid(edges, "TB"),
    }


def _mermaid(edges: set[tuple[str, str]], direction: str) -> str:
    line = _in_order(edges)
    ordered = sorted(edges, key=lambda edge: (line.index(edge[0]), line.index(edge[1])))
    lines = [f"  {a} --> {b}" for a, b in ordered]
    return "\n".join(["```mermaid", f"flowchart {direction}", *lines, "```"])


def _in_order(edges: set[tuple[str, str]]) -> list[str]:
    """Return the stages, each after all that it reads; in alphabetical order where free."""
    left, line = {stage for edge in edges for stage in edge}, []
    while left:
        ready = [s for s in left if not any(b == s and a in left for a, b in edges)]
        if not ready:
            raise ValueError(f"the stages {sorted(left)} read each other's results in a circle")
        line.append(min(ready))
        left.remove(line[-1])
    return line


def with_diagram(page: str, diagram: str) -> str:
    """Return a page with its diagram replaced."""
    pattern = re.compile(
        r"(<!-- diagram: `make docs` -->\n).*?(<!-- end of diagram -->)", re.DOTALL
    )
    new, count = pattern.subn(lambda match: f"{match[1]}{diagram}\n{match[2]}", page)
    if count != 1:
        raise ValueError(f"the page has {count} places for a diagram: keep one")
    return new


if __name__ == "__main__":
    sys.exit(main())
