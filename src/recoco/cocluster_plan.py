"""What the items about co-clusters need: whose labels, how many words, in which texts."""

from pathlib import Path

from recoco import paths, plan
from recoco.config import Config
from recoco.plan import Setting, blocks_of_kind, cocluster_settings, postponed, runs_of


def coclusters_path(setting: Setting) -> Path:
    """Return where the look into the co-clusters of a setting is kept."""
    folder = Path("results") / "coclusters" / setting.dataset / setting.weighting
    return folder / f"{setting.slug}.npz"


def coclusters_of(config: Config) -> dict[Setting, int]:
    """Return the settings whose co-clusters are looked into, and how many runs of each."""
    needed: dict[Setting, int] = {}
    for paper, block in blocks_of_kind(config, "coclusters"):
        for setting, _ in cocluster_settings(config, block):
            here = plan.blocks_on_disk(setting, paths.root())
            if not postponed(config, block) or here:
                needed[setting] = max(runs_of(config, paper, block), needed.get(setting, 0))
    return dict(sorted(needed.items(), key=lambda pair: pair[0].name))


def top_words(config: Config) -> int:
    """Return how many words of a co-cluster are looked at, at most."""
    blocks = blocks_of_kind(config, "coclusters")
    return max((block.get("top", 30) for _, block in blocks), default=30)


def corpora_of(config: Config, card: str) -> list[str]:
    """Return the cards in whose texts the words of a dataset's co-clusters are counted."""
    blocks = [block for _, block in blocks_of_kind(config, "coclusters")]
    asked = [b.get("corpora", []) for b in blocks if card in b["datasets"].values()]
    return sorted({corpus for corpora in asked for corpus in corpora})
