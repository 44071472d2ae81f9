"""Which kernels the planned runs need compiled, and whether that was done."""

import hashlib
import json
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.fingerprint import fingerprint

STAMP = Path("resources") / "kernels.done"


def variants_of(config: Config) -> list[dict]:
    """Return each method of the plan, as often as its code differs.

    Words among the parameters choose code (a base method, a precision), numbers choose sizes.
    """
    found = {}
    for setting in plan.settings_of(config):
        place = plan.method_place(config, setting.method)
        if not place.startswith("recoco."):
            continue  # what others wrote compiles as they wish
        words = {
            key: value
            for key, value in sorted(plan.parameters(config, setting).items())
            if isinstance(value, str)
        }
        found[json.dumps([place, words])] = {"place": place, "params": words}
    return [found[key] for key in sorted(found)]


def digest_of(variants: list[dict]) -> str:
    """Return what the stamp says when these variants are compiled from today's code."""
    modules = sorted({variant["place"].split(":")[0] for variant in variants})
    digest = hashlib.sha256(json.dumps(variants).encode())
    digest.update(fingerprint("recoco.warm", *modules).encode())
    return digest.hexdigest()[:16]


def compiled(config: Config, root: Path) -> bool:
    """Return whether the kernels of all planned runs are compiled from today's code."""
    stamp = root / STAMP
    return stamp.is_file() and stamp.read_text("utf-8").strip() == digest_of(variants_of(config))
