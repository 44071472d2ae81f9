"""Read configuration files, fill in defaults, and report mistakes in one sentence."""

import copy
import difflib
import functools
from collections.abc import Iterable
from pathlib import Path

from recoco.core import paths
from recoco.core.errors import RecocoError


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the most similar known word, or list all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}."


@functools.cache
def _loader():
    """Return a safe YAML loader that rejects a duplicate key; PyYAML would drop the first."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        def construct_mapping(self, node, deep=False):
            keys = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
            twice = next((key for number, key in enumerate(keys) if key in keys[:number]), None)
            if twice is not None:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {twice!r} is given twice", problem_mark=node.start_mark
                )
            return super().construct_mapping(node, deep)

    return Loader


def read_yaml(path: Path) -> dict:
    """Read a file of keys and values."""
    import yaml

    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_loader())
    except FileNotFoundError:
        raise RecocoError(f"{path} is missing: restore it from the repository.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        if isinstance(error, yaml.constructor.ConstructorError):
            line += f" ({error.problem})"
        raise RecocoError(f"{path.name} is not valid YAML{line}: correct that line.") from None
    if not isinstance(content, dict):
        raise RecocoError(
            f"{path.name} must contain keys and values, not {type(content).__name__}."
        )
    return content


@functools.cache
def _schema(path: Path) -> dict:
    return read_yaml(path)


@functools.cache
def _validator(path: Path, part: str | None):
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_schema(path)["$defs"][part] if part else _schema(path))


def check(content: dict, schema_name: str, where: str, part: str | None = None) -> None:
    """Check against a schema of ``workflow/schemas``, see :func:`check_against`.

    ``part`` names the definition that describes the content, if it is not the whole schema.
    """
    name = f"workflow/schemas/{schema_name}.schema.yaml"
    parts = _schema(paths.root() / name).get("$defs", {})
    if part and part not in parts:
        raise RecocoError(f"{where}: unknown form {part!r}: {nearest(part, parts)}")
    check_against(content, _validator(paths.root() / name, part), where, name)


def check_against(content: dict, validator, where: str, described: str) -> None:
    """Fill in defaults, then validate; the most informative error becomes one sentence.

    Parameters
    ----------
    content : the content of a file, completed in place
    validator : of a JSON Schema in which every key has a description
    where : the file and the position in it, for the error
    described : where the user finds these descriptions
    """
    from jsonschema.exceptions import best_match

    fill_defaults(content, validator.schema)
    errors = list(validator.iter_errors(content))
    if not errors:
        return
    # A misspelt key is unknown and leaves another one missing: the first is more helpful.
    unknown_keys = [error for error in errors if error.validator == "additionalProperties"]
    error = unknown_keys[0] if unknown_keys else best_match(errors)
    position = _position(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = next(key for key in error.instance if key not in known)
        raise RecocoError(
            f"{where}: unknown key {unknown!r} at {position}: {nearest(unknown, known)}"
        )
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        raise RecocoError(f"{where}: {position} needs {missing!r}: add it.")
    raise RecocoError(
        f"{where}: {position} is wrong: {error.message} ({described} describes every key)."
    )


def _position(path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).lstrip(".") or "the top level"


def fill_defaults(content, schema: dict) -> None:
    """Complete the content of a file in place with the defaults of its schema."""
    if isinstance(content, list):
        for element in content:
            fill_defaults(element, schema.get("items", {}))
    if not isinstance(content, dict):
        return
    for key, rule in schema.get("properties", {}).items():
        if key not in content and "default" in rule:
            content[key] = copy.deepcopy(rule["default"])
        if key in content:
            fill_defaults(content[key], rule)
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        for key in content.keys() - schema.get("properties", {}).keys():
            fill_defaults(content[key], rest)
