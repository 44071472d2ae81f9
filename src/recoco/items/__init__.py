"""Kinds of tables and figures: each module here defines one and knows everything about it."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from recoco.config.schema import check_against, nearest
from recoco.core.errors import RecocoError
from recoco.items.kind import Analysis, Kind
from recoco.items.properties import COMMON


@cache
def kinds() -> dict[str, Kind]:
    """Return every kind of item by its name: the ``KIND`` of each module that has one."""
    modules = (import_module(module.name) for module in iter_modules(__path__, f"{__name__}."))
    known = {module.KIND.name: module.KIND for module in modules if hasattr(module, "KIND")}
    return dict(sorted(known.items()))


def kind_of(item: dict) -> Kind:
    """Return the kind of an item of a paper."""
    return get_kind(item["kind"])


def get_kind(name: str) -> Kind:
    """Return a kind by its name."""
    if name not in kinds():
        raise RecocoError(f"Unknown kind of item {name!r}: {nearest(name, kinds())}")
    return kinds()[name]


@cache
def validator_of(name: str):
    """Return the validator of the items of a kind."""
    from jsonschema import Draft202012Validator

    kind = get_kind(name)
    draw = {} if "draw" in kind.required else {"default": kind.drawing}
    return Draft202012Validator(
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "title", *kind.required],
            "properties": {**COMMON, "draw": {**COMMON["draw"], **draw}, **kind.schema},
        }
    )


def check_items(items: dict[str, dict], where: str) -> None:
    """Fill in the defaults of every item and reject keys and values that its kind does not take."""
    for name, item in items.items():
        place = f"{where}, items.{name}"
        try:
            validator = validator_of(item["kind"])
        except RecocoError as error:
            raise RecocoError(f"{place}: {error}") from None
        check_against(item, validator, place, "docs/configuration.md")
    for name, item in items.items():
        place = f"{where}, items.{name}"
        if "of" in item and item["of"] not in items:
            raise RecocoError(f"{place}: 'of' names {item['of']!r}: {nearest(item['of'], items)}")
        kind_of(item).check(items, name, place)


def tables() -> dict[str, list[str]]:
    """Return the columns of every table that compare writes, by name."""
    return {name: columns for kind in kinds().values() for name, columns in kind.tables.items()}


def modules_of_drawings() -> list[str]:
    """Return the modules with the drawings of all kinds, which are loaded by name."""
    return sorted({module for kind in kinds().values() for module in kind.figures})


__all__ = [
    "Analysis",
    "Kind",
    "check_items",
    "get_kind",
    "kind_of",
    "kinds",
    "modules_of_drawings",
    "tables",
]
