"""Read configuration files, fill in defaults, and report mistakes in one sentence."""

import copy
import difflib
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from recoco.config import safe_yaml
from recoco.core import paths
from recoco.core.bounded import read_regular
from recoco.core.errors import RecocoError

_LONGEST = 300  # characters of a message that repeats what a file says
_CREDENTIALS = re.compile(r"(//)[^/\s'\"@]*@")


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the most similar known word, or list all of them."""
    known = sorted(known)
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}."


def read_yaml(path: Path) -> dict:
    """Read a file of keys and values."""
    try:
        content = safe_yaml.parse(read_regular(path, safe_yaml.MOST_BYTES).decode("utf-8"))
    except FileNotFoundError:
        raise RecocoError(f"{path} is missing: restore it from the repository.") from None
    except OSError as error:
        raise RecocoError(f"{path} cannot be read: {error.strerror}; replace it.") from None
    except UnicodeDecodeError:
        raise RecocoError(f"{path.name} is not valid YAML: save it as UTF-8.") from None
    except safe_yaml.NotData as error:
        line = f" at line {error.line}" if error.line else ""
        what = f" ({error.problem})" if error.problem else ""
        correct = "correct that line" if error.line else "correct it"
        raise RecocoError(f"{path.name} is not valid YAML{line}{what}: {correct}.") from None
    if content is None:
        raise RecocoError(f"{path.name} is empty: write keys and values into it.")
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
        hint = nearest(unknown, known) if known else "remove it."
        at = f" at {position}" if position else ""
        raise RecocoError(f"{where}: unknown key {_shown(repr(unknown))}{at}: {hint}")
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        what = f"{position} needs {missing!r}" if position else f"{missing!r} is missing"
        raise RecocoError(f"{where}: {what}: add it.")
    message = _shown(error.message)
    if error.validator == "pattern" and "description" in error.schema:
        about = error.schema["description"].rstrip(".")
        message = f"{_shown(repr(error.instance))} does not fit its description, {about!r}"
    what = f"{position} is wrong: {message}" if position else message
    raise RecocoError(f"{where}: {what} ({described} describes every key).")


def _position(path) -> str:
    """Return the position of a key below ``where``; empty for ``where`` itself."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{_plain(part)}" for part in path)
    return _shown("".join(parts).lstrip("."))


def _plain(key) -> str:
    """Return a key as it is, or quoted if it would disturb the sentence around it."""
    text = str(key)
    return text if text.isprintable() and text else repr(key)


def _shown(text: str) -> str:
    """Return a piece of a file for a message: not too long, and without user name and password."""
    text = _CREDENTIALS.sub(r"\1...@", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


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
