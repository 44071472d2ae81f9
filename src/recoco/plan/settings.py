"""From the tables and figures of the papers to the settings that they need."""

from recoco.config import Config
from recoco.core import paths
from recoco.datasets.card import expected_of
from recoco.plan.blocks import blocks_on_disk
from recoco.plan.setting import Setting


def settings_of(config: Config) -> dict[Setting, int]:
    """Return every setting that the configured papers need and its number of runs."""
    from recoco.items import kind_of

    needed: dict[Setting, int] = {}
    for paper in config.papers.values():
        for item in paper["items"].values():
            runs, later = runs_of(config, paper, item), postponed(config, item)
            for setting, most in kind_of(item).settings(config, paper, item):
                if not later or blocks_on_disk(setting, paths.root()):
                    needed[setting] = max(min(runs, most or runs), needed.get(setting, 0))
    return dict(sorted(needed.items(), key=lambda pair: pair[0].name))


def postponed(config: Config, item: dict) -> bool:
    """Say whether the configured pass leaves an item to the next one, except for existing runs."""
    return config.settings["runs"]["first_only"] and item["later"]


def runs_of(config: Config, paper: dict, item: dict) -> int:
    """Return the runs per setting of an item: its own or its paper's, at most the cap."""
    runs = item.get("runs", paper["runs"])
    most = config.settings["runs"]["most"]
    return min(runs, most) if most else runs


def with_params(config: Config, setting: Setting, params: dict) -> Setting:
    """Return a setting with parameters; the method's own are left out of its name."""
    known = config.methods[setting.method]["params"]
    kept = {key: value for key, value in params.items() if known.get(key) != value}
    return Setting(setting.dataset, setting.weighting, setting.method, tuple(sorted(kept.items())))


def classes_of(card: str) -> int:
    return expected_of(card).get("classes", 1)


def datasets_of_paper(config: Config, key: str) -> list[str]:
    """Return the cards that a paper's items name for any purpose."""
    return sorted({card for item in config.papers[key]["items"].values() for card in _cards(item)})


def papers_with(config: Config, dataset: str) -> list[str]:
    """Return the papers that use a dataset."""
    return [key for key in config.papers if dataset in datasets_of_paper(config, key)]


def _cards(item: dict):
    yield from item.get("datasets", {}).values()
    yield from item.get("corpora", [])
    for question in item.get("choices", {}).values():
        for option in question["options"].values():
            yield from option.get("datasets", {}).values()


def datasets_of(config: Config) -> list[str]:
    """Return the cards that the configured papers name."""
    return sorted({card for key in config.papers for card in datasets_of_paper(config, key)})
