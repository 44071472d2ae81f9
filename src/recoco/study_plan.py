"""What the items need that are no runs on a dataset: words of runs, timings, convergence."""

import itertools
from pathlib import Path

from recoco import paths
from recoco.config import Config
from recoco.plan import Setting, blocks_of_kind, postponed, variant_settings


def representatives_path(setting: Setting) -> Path:
    """Return where the representative features of a setting's chosen run are kept."""
    folder = Path("results") / "representatives" / setting.dataset / setting.weighting
    return folder / f"{setting.slug}.json"


def representatives_of(config: Config) -> dict[Setting, int]:
    """Return the settings whose representative features are looked at, and how many of each."""
    needed: dict[Setting, int] = {}
    for _, block in blocks_of_kind(config, "representatives"):
        for setting, _ in variant_settings(config, block):
            needed[setting] = max(block.get("top", 10), needed.get(setting, 0))
    return dict(sorted(needed.items()))


def study_path(kind: str, paper: str, item: str) -> Path:
    """Return where a study is kept. Seconds differ each time: their file says so by its name."""
    ending = ".seconds.json" if kind == "scaling" else ".json"
    return Path("results") / kind / paper / f"{item}{ending}"


def studies_of(config: Config, kind: str) -> dict[Path, tuple[str, str, dict]]:
    """Return (paper, item, block) of every study of a kind, by its file."""
    found = {}
    for key, paper in config.papers.items():
        for item, block in paper["items"].items():
            path = study_path(kind, key, item)
            if block["kind"] != kind:
                continue
            if not postponed(config, block) or (paths.root() / path).is_file():
                found[path] = (key, item, block)
    return found


def sizes_of(block: dict) -> list[dict[str, int]]:
    """Return every size of random data that an item times a method on, smallest first."""
    sizes = {
        name: value if isinstance(value, list) else [value]
        for name, value in block["sizes"].items()
    }
    return [dict(zip(sizes, picked, strict=True)) for picked in itertools.product(*sizes.values())]
