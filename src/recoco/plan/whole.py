"""The plan of a reproduction: a function of the configuration and of what is on disk."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from recoco.config import Config
from recoco.core import paths
from recoco.plan.blocks import block_path, blocks_of, missing
from recoco.plan.methods import larger_is_better
from recoco.plan.needs import size_of
from recoco.plan.setting import Setting
from recoco.plan.settings import datasets_of_paper, postponed, settings_of


class Plan:
    """What is to be computed: settings, blocks of runs, analyses.

    Attributes
    ----------
    config : Config
    root : the project folder
    """

    def __init__(self, config: Config, root: Path | None = None):
        self.config = config
        self.root = root or paths.root()

    @cached_property
    def missing(self) -> set[str]:
        """Datasets that could not be fetched: there is nothing to run on them."""
        return missing(self.config, self.root)

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """Settings to run, by name."""
        return {
            setting.name: setting
            for setting in settings_of(self.config)
            if setting.dataset not in self.missing
        }

    @cached_property
    def _blocks(self) -> dict[str, tuple[list[tuple[int, int]], int]]:
        totals = settings_of(self.config)
        return {
            name: blocks_of(self.config, setting, totals[setting], self.root)
            for name, setting in self.settings.items()
        }

    @cached_property
    def datasets(self) -> list[str]:
        """Datasets that have runs."""
        return sorted({setting.dataset for setting in self.settings.values()})

    @cached_property
    def early(self) -> set[str]:
        """The smaller half of the datasets that have runs: jobs about them come first.

        Only in the first pass. Otherwise large ones first is better: no core is idle at the end.
        """
        if not self.config.settings["runs"]["first_only"]:
            return set()
        return set(sorted(self.datasets, key=size_of)[: (len(self.datasets) + 1) // 2])

    def blocks(self, name: str) -> list[str]:
        """Return the files of a setting's blocks; those on disk keep their borders."""
        setting = self.settings[name]
        return [str(block_path(setting, start, stop)) for start, stop in self._blocks[name][0]]

    def runs(self, name: str) -> int:
        """Return the number of runs of a setting in the configured pass."""
        return self._blocks[name][1]

    def ranked(self, name: str) -> tuple[list[str], int, bool]:
        """Return blocks and runs of a setting, and whether a larger criterion is better."""
        larger = larger_is_better(self.config, self.settings[name].method)
        return self.blocks(name), self.runs(name), larger

    def settings_on(self, dataset: str) -> list[str]:
        """Return the names of the settings on a dataset."""
        return [name for name, setting in self.settings.items() if setting.dataset == dataset]

    # ---- analyses -------------------------------------------------------------------------

    def items(self, paper: str, kind: str) -> list[tuple[str, dict]]:
        """Return the items of a kind in a paper, by name."""
        items = self.config.papers[paper]["items"].items()
        return [(name, item) for name, item in items if item["kind"] == kind]

    def wanted(self, item: dict, *files: Path | str) -> bool:
        """Say whether this pass includes an item; a postponed one only if its files exist."""
        return not postponed(self.config, item) or all((self.root / f).is_file() for f in files)

    def data(self, dataset: str) -> str | None:
        """Return the prepared file of a dataset, None if it could not be fetched."""
        return None if dataset in self.missing else f"resources/prepared/{dataset}.npz"

    @cached_property
    def analyses(self) -> dict[str, object]:
        """Analyses that the items of all papers need, by the path of their result."""
        return {str(a.path): a for paper in self.config.papers for a in self._analyses(paper)}

    def _analyses(self, paper: str) -> Iterator:
        from recoco.items import kinds

        # A kind may import heavy modules to name its analyses: ask only those in use.
        used = {item["kind"] for item in self.config.papers[paper]["items"].values()}
        for name, kind in kinds().items():
            if name in used:
                yield from kind.analyses(self, paper)

    def analyses_of(self, paper: str) -> list[str]:
        """Return the results of the stage analyse that a paper is compared with."""
        return [path for path, analysis in self.analyses.items() if analysis.paper == paper]

    def records_of(self, paper: str) -> list[str]:
        """Return the measured characteristics of the datasets that a paper names."""
        cards = datasets_of_paper(self.config, paper)
        return [f"resources/prepared/{card}.json" for card in cards]

    def scores_of(self, paper: str) -> list[str]:
        """Return the score tables of the datasets that a paper names and that have runs."""
        cards = datasets_of_paper(self.config, paper)
        return [f"results/scores/{card}.parquet" for card in cards if card in self.datasets]
