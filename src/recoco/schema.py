"""Configuration files: read, completed with defaults, checked, and refused in one sentence."""

import copy
import difflib
import functools
from collections.abc import Iterable
from pathlib import Path

from recoco import paths
from recoco.errors import RecocoError


def nearest(word: str, known: Iterable[str]) -> str:
    """Say what was probably meant, else what there is."""
    known = sorted(known)
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}."


def read_yaml(path: Path) -> dict:
    """Read a file of keys and values."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    except FileNotFoundError:
        raise RecocoError(f"{path} is missing: restore it from the repository.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise RecocoError(f"{path.name} is not valid YAML{line}: mend that line.") from None
    if not isinstance(content, dict):
        raise RecocoError(f"{path.name} must hold keys and values, found {type(content).__name__}.")
    return content


@functools.cache
def _validator(path: Path):
    from jsonschema import Draft202012Validator

    return Draft202012Validator(read_yaml(path))


def check(content: dict, schema_name: str, where: str) -> None:
    """Fill in defaults, then validate; the most telling error becomes one sentence."""
    from jsonschema.exceptions import best_match

    folder = paths.root() / "workflow" / "schemas"
    validator = _validator(folder / f"{schema_name}.schema.yaml")
    _fill(content, validator.schema)
    errors = list(validator.iter_errors(content))
    if not errors:
        return
    # A misspelt key is unknown and leaves another one missing: the first says more.
    unknown_keys = [error for error in errors if error.validator == "additionalProperties"]
    error = unknown_keys[0] if unknown_keys else best_match(errors)
    place = _place(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = next(key for key in error.instance if key not in known)
        raise RecocoError(f"{where}: unknown key {unknown!r} at {place}: {nearest(unknown, known)}")
    raise RecocoError(
        f"{where}: {place} is wrong: {error.message} (workflow/schemas/{schema_name}.schema.yaml "
        "describes every key)."
    )


def _place(path) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).lstrip(".") or "the top level"


def _fill(content, schema: dict) -> None:
    if not isinstance(content, dict):
        return
    for key, rule in schema.get("properties", {}).items():
        if key not in content and "default" in rule:
            content[key] = copy.deepcopy(rule["default"])
        if key in content:
            _fill(content[key], rule)
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        for key in content.keys() - schema.get("properties", {}).keys():
            _fill(content[key], rest)
