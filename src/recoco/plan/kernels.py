"""Which kernels the planned runs need compiled, and whether that was done."""

import hashlib
import json
from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.core.fingerprint import fingerprint

STAMP = Path("resources") / "kernels.done"


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


def digest_of(variants: list[dict]) -> str:
    """Return the content of the stamp after these variants are compiled from the present code."""
    entries = sorted({variant["import_path"] for variant in variants})
    digest = hashlib.sha256(json.dumps(variants).encode())
    digest.update(fingerprint("recoco.engine.warm:compile_kernels", *entries).encode())
    return digest.hexdigest()[:16]


def compiled(config: Config, root: Path) -> bool:
    """Return whether the kernels of all planned runs are compiled from the present code."""
    stamp = root / STAMP
    return stamp.is_file() and stamp.read_text("utf-8").strip() == digest_of(variants_of(config))
