"""What the items about words need: whose factors, in which texts, under which shifts."""

from pathlib import Path

from recoco import paths
from recoco.config import Config
from recoco.plan import Setting, blocks_of_kind, classes_of, postponed, runs_of, with_params


def word_settings(config: Config, block: dict):
    """Yield (setting, details) of an item that looks at the words of factors."""
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        for name, method in block["methods"].items():
            for m in block["column_clusters"]:
                plain = Setting(card, weighting, method)
                told = {} if m is None else {"n_column_clusters": m}
                also = block.get("params", {}).get(method, {})
                setting = with_params(config, plain, {**also, **told})
                shown = classes_of(card) if m is None else m
                yield (
                    setting,
                    {
                        "dataset": dataset,
                        "card": card,
                        "method": name,
                        "column_clusters": shown,
                    },
                )


def words_path(setting: Setting) -> Path:
    """Return where the words of a setting's factors are kept."""
    return Path("results") / "words" / setting.dataset / setting.weighting / f"{setting.slug}.npz"


def words_of(config: Config) -> dict[Setting, int]:
    """Return the settings whose word factors are looked at, and how many runs of each."""
    needed: dict[Setting, int] = {}
    for paper, block in blocks_of_kind(config, "words"):
        runs = runs_of(config, paper, block)
        for setting, _ in word_settings(config, block):
            if not postponed(config, block) or (paths.root() / words_path(setting)).is_file():
                needed[setting] = max(runs, needed.get(setting, 0))
    return dict(sorted(needed.items()))


def top_words(config: Config) -> int:
    """Return how many words of a cluster are looked at, at most."""
    return max((block.get("top", 30) for _, block in blocks_of_kind(config, "words")), default=30)


def corpora_of(config: Config, card: str) -> list[str]:
    """Return the cards in whose texts the words of a dataset are counted."""
    return _asked(config, "words", card, "corpora")


def shifts_of(config: Config, card: str) -> list[float]:
    """Return the N for which the density of a dataset's word matrix is asked for."""
    return _asked(config, "densities", card, "shifts")


def _asked(config: Config, kind: str, card: str, key: str) -> list:
    blocks = [block for _, block in blocks_of_kind(config, kind)]
    return sorted({v for b in blocks if card in b["datasets"].values() for v in b[key]})
