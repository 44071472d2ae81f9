"""Fixed combinations of the choices that a paper leaves open, and the settings they ask for."""

import itertools
from dataclasses import dataclass, field

from recoco.plan.setting import Setting


@dataclass(frozen=True)
class Combination:
    """One option of each choice that a paper leaves open, for a whole table."""

    options: tuple[tuple[str, str], ...]
    text: str
    printed: bool
    select: str = "mean"
    params: dict = field(default_factory=dict, hash=False)
    weightings: dict = field(default_factory=dict, hash=False)
    metrics: dict = field(default_factory=dict, hash=False)
    datasets: dict = field(default_factory=dict, hash=False)
    runs: int | None = None  # upper limit, for an alternative reading
    selects: dict = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return "+".join(option for _, option in self.options) or "as-printed"

    def select_of(self, method: str) -> str:
        """Return the rule by which the runs of a method become one number."""
        return self.selects.get(method, self.select)


def combinations(block: dict, settings: dict) -> list[Combination]:
    """Return every fixed combination of choices of a scores item, the printed one first."""
    choices = block.get("choices", {})
    made = []
    for picked in itertools.product(*(question["options"] for question in choices.values())):
        options = tuple(zip(choices, picked, strict=True))
        chosen = [choices[choice]["options"][option] for choice, option in options]
        params: dict[str, dict] = {}
        weightings: dict[str, dict] = {}
        metrics: dict[str, str] = {}
        datasets: dict[str, str] = {}
        select, selects = "mean", {}
        for option in chosen:
            selects.update(option["select_by_method"])
            select = option.get("select", select)
            metrics.update(option["metrics"])
            datasets.update(option["datasets"])
            for card, changed in option["weightings"].items():
                weightings.setdefault(card, {}).update(changed)
            for method, changed in option["params"].items():
                resolved = {
                    key: settings["runs"]["best_of"] if value == "best_of" else value
                    for key, value in changed.items()
                }
                params.setdefault(method, {}).update(resolved)
        made.append(
            Combination(
                options,
                "; ".join(o["text"] for o in chosen if not o["printed"]) or "as printed",
                all(option["printed"] for option in chosen),
                select,
                params,
                weightings,
                metrics,
                datasets,
                min((o["runs"] for o in chosen if "runs" in o), default=None),
                selects,
            )
        )
    return sorted(made, key=lambda combination: not combination.printed)


def card_of(block: dict, combination: Combination, dataset: str) -> str:
    """Return the card that answers a printed dataset under a combination."""
    return combination.datasets.get(dataset, block["datasets"][dataset])


def setting_of(block: dict, combination: Combination, dataset: str, weighting: str, method: str):
    """Return the setting that answers a printed (dataset, weighting, method)."""
    card = card_of(block, combination, dataset)
    named = block["weightings"][weighting]
    known = {**block["methods"], **block.get("extra_methods", {})}
    ours = known[method]
    params = {
        **block.get("params", {}).get(ours, {}),
        **combination.params.get("*", {}),
        **combination.params.get(ours, {}),
    }
    for key in ("*", card):
        named = combination.weightings.get(key, {}).get(weighting, named)
    named = block.get("method_weightings", {}).get(ours, named)
    for key in (f"*/{ours}", f"{card}/{ours}"):
        named = combination.weightings.get(key, {}).get(weighting, named)
    return Setting(card, named, ours, tuple(sorted(params.items())))


def null_setting(block: dict, card: str, null: str) -> Setting:
    """Return the setting of a null model: it ignores the values, so any weighting will do."""
    weighting = next(iter(block["weightings"].values()))
    return Setting(card, block.get("method_weightings", {}).get(null, weighting), null)
