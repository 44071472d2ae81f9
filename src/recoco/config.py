"""Configuration: read, completed with defaults, checked, and refused in one sentence."""

import copy
import difflib
import functools
from dataclasses import dataclass
from pathlib import Path

import yaml

from recoco import paths
from recoco.errors import RecocoError


@dataclass(frozen=True)
class Config:
    """Everything that ``config/`` says, checked."""

    settings: dict
    methods: dict[str, dict]
    papers: dict[str, dict]

    @property
    def master_seed(self) -> int:
        return self.settings["master_seed"]


def load_config(overrides: dict | None = None) -> Config:
    """Read ``config/`` and lay ``overrides`` (same keys as config.yaml) over it."""
    folder = paths.config()
    settings = _merge(read_yaml(folder / "config.yaml"), overrides or {})
    check(settings, "config", folder / "config.yaml")
    methods = read_yaml(folder / "methods.yaml")
    check(methods, "methods", folder / "methods.yaml")
    known = sorted(path.stem for path in (folder / "papers").glob("*.yaml"))
    papers = {}
    for key in settings["papers"]:
        if key not in known:
            raise RecocoError(f"Unknown paper {key!r} in config.yaml: {nearest(key, known)}")
        papers[key] = _load_paper(folder / "papers" / f"{key}.yaml", methods)
    return Config(settings, methods, papers)


def _load_paper(path: Path, methods: dict) -> dict:
    from recoco.datasets import list_cards
    from recoco.weighting import WEIGHTINGS

    paper = read_yaml(path)
    check(paper, "paper", path)
    for item, block in paper["items"].items():
        where = f"{path.name}, items.{item}"
        for card in block.get("datasets", {}).values():
            _known(card, list_cards(), "dataset", where)
        for weighting in block.get("weightings", {}).values():
            _known(weighting, list(WEIGHTINGS), "weighting", where)
        named = [*block.get("methods", {}).values(), *block.get("extra_methods", {}).values()]
        for method in [*named, *block.get("nulls", [])]:
            _known(method, list(methods), "method", where)
        for choice, question in block.get("choices", {}).items():
            said = [o for o in question["options"].values() if o.get("printed")]
            if len(said) != 1:
                raise RecocoError(
                    f"{where}: choice {choice!r} marks {len(said)} options as printed: mark one."
                )
            for option in question["options"].values():
                for method in option.get("params", {}):
                    _known(method, [*methods, "*"], "method", where)
                for card, changed in option.get("weightings", {}).items():
                    _known(card, list_cards(), "dataset", where)
                    for weighting in changed.values():
                        _known(weighting, list(WEIGHTINGS), "weighting", where)
        if block.get("of") and block["of"] not in paper["items"]:
            raise RecocoError(f"{where}: 'of' names {block['of']!r}, which is no item here.")
    return paper


def read_yaml(path: Path) -> dict:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecocoError(f"{path} is missing: restore it from the repository.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        raise RecocoError(f"{path.name} is not valid YAML{line}: mend that line.") from None
    if not isinstance(content, dict):
        raise RecocoError(f"{path.name} must hold keys and values, found {type(content).__name__}.")
    return content


@functools.cache
def _schema(name: str) -> dict:
    return yaml.safe_load(
        (paths.root() / "workflow" / "schemas" / f"{name}.schema.yaml").read_text(encoding="utf-8")
    )


def check(content: dict, schema_name: str, path: Path) -> None:
    """Fill in defaults, then validate; the first error becomes one sentence."""
    from jsonschema import Draft202012Validator

    schema = _schema(schema_name)
    _fill(content, schema)
    errors = sorted(
        Draft202012Validator(schema).iter_errors(content), key=lambda e: list(map(str, e.path))
    )
    if not errors:
        return
    error = errors[0]
    where = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                raise RecocoError(
                    f"{path.name}: unknown key {key!r} at {where}: {nearest(key, known)}"
                )
    if error.validator == "required":
        raise RecocoError(f"{path.name}: {error.message} at {where}: add it.")
    raise RecocoError(f"{path.name}: {where} is wrong: {error.message}.")


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


def nearest(word: str, known: list[str]) -> str:
    """Say what was probably meant."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known are {', '.join(sorted(known))}."


def _known(name: str, known: list[str], what: str, where: str) -> None:
    if name not in known:
        raise RecocoError(f"Unknown {what} {name!r} in {where}: {nearest(name, known)}")


def _merge(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged
