"""Which kernels the planned runs need compiled, in which order, and whether that was done."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.core.fingerprint import definitions_of, fingerprint
from recoco.items import kind_of

STAMP = Path("resources") / "kernels.done"
_FOLDER = "recoco.kernels."
_COMPILE, _WORDS = "recoco.engine.warm:compile_kernels", "recoco.engine.warm:compile_words"


@dataclass(frozen=True)
class Unit:
    """Variants (or the counts of words) that call the same kernels, and those kernels."""

    variants: tuple[dict, ...]
    kernels: frozenset[str]
    words: bool = False


def variants_of(config: Config) -> list[dict]:
    """Return each method of the plan, once for every variant of its code.

    Text among the parameters selects code (a base method, a precision); numbers only set sizes.
    """
    variants = {}
    for setting in plan.settings_of(config):
        path = plan.import_path(config, setting.method)
        if not path.startswith("recoco."):
            continue  # a user's own method compiles in its own runs
        words = {
            key: value
            for key, value in sorted(plan.parameters(config, setting).items())
            if isinstance(value, str)
        }
        variants[json.dumps([path, words])] = {"import_path": path, "params": words}
    return [variants[key] for key in sorted(variants)]


def units_of(variants: list[dict], words: bool = False) -> list[Unit]:
    """Group variants by the kernels that they call, those that call most first.

    The kernels of scores, which a fit of every variant is given, do not count.
    """
    scores = _kernels_of("recoco.metrics:score_partitions")
    groups: dict[frozenset[str], list[dict]] = {}
    for variant in variants:
        called = frozenset(_kernels_of(variant["import_path"]) - scores)
        groups.setdefault(called, []).append(variant)
    units = [Unit(tuple(group), kernels) for kernels, group in groups.items()]
    if words:
        units.append(Unit((), frozenset(_kernels_of(_WORDS)), True))
    return sorted(units, key=lambda unit: len(unit.kernels), reverse=True)


def _kernels_of(entry: str) -> set[str]:
    return {name for name in definitions_of(entry) if name.startswith(_FOLDER)}


def words_of(config: Config) -> bool:
    """Return whether pairs of words are counted."""
    items = [item for paper in config.papers.values() for item in paper["items"].values()]
    return any("words" in kind_of(item).steps for item in items)


def digest_of(variants: list[dict], words: bool = False) -> str:
    """Return the content of the stamp after all this is compiled from the present code.

    It has a line for each variant, so a stamp also serves every plan that needs no more.
    """
    lines = [_digest(variant, _COMPILE, variant["import_path"]) for variant in variants]
    return "\n".join(sorted([*lines, *([_digest("words", _WORDS)] if words else [])]))


def _digest(what: dict | str, *entries: str) -> str:
    digest = hashlib.sha256(json.dumps(what).encode())
    digest.update(fingerprint(*entries).encode())
    return digest.hexdigest()[:16]


def compiled(config: Config, root: Path) -> bool:
    """Return whether the kernels of all planned runs are compiled from the present code."""
    stamp = root / STAMP
    if not stamp.is_file():
        return False
    needed = digest_of(variants_of(config), words_of(config))
    return set(stamp.read_text("utf-8").splitlines()) >= set(needed.splitlines())
