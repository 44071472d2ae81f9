"""Fixed combinations of the choices that a paper leaves open, and the settings they ask for."""

import itertools
from dataclasses import dataclass, field, replace

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
    scoped: tuple = field(default=(), hash=False, compare=False)  # (scope, option) of each choice

    @property
    def name(self) -> str:
        return "+".join(option for _, option in self.options) or "as-printed"

    def select_of(self, method: str) -> str:
        """Return the rule by which the runs of a method become one number."""
        return self.selects.get(method, self.select)

    def at(self, dataset: str, method: str) -> "Combination":
        """Return what the choices say of a printed dataset and method that they are about."""
        inside = [option for scope, option in self.scoped if _covers(scope, dataset, method)]
        if len(inside) == len(self.scoped):
            return self
        return replace(self, **_joined(inside))


def combinations(block: dict, settings: dict) -> list[Combination]:
    """Return the fixed combinations of choices of a scores item, the stated reading first.

    Choices that are about the same numbers are combined; all others have their stated option.
    """
    stated = stated_options(block)
    made = {tuple(stated.items()): None}
    for part in parts_of(block, settings):
        made |= dict.fromkeys(tuple((stated | picked).items()) for picked in part.options(block))
    return [combination_of(block, settings, dict(options)) for options in made]


def stated_options(block: dict) -> dict[str, str]:
    """Return the option of each choice that the paper states, else the first."""
    return {
        choice: next((name for name, o in question["options"].items() if o["printed"]), None)
        or next(iter(question["options"]))
        for choice, question in block.get("choices", {}).items()
    }


def combination_of(block: dict, settings: dict, options: dict[str, str]) -> Combination:
    """Return the combination that takes the given option of each choice."""
    questions = [block["choices"][choice] for choice in options]
    chosen = [
        _resolved(q["options"][o], settings)
        for q, o in zip(questions, options.values(), strict=True)
    ]
    return Combination(
        tuple(options.items()),
        "; ".join(o["text"] for o in chosen if not o["printed"]) or "as printed",
        all(option["printed"] for option in chosen),
        **_joined(chosen),
        scoped=tuple(zip((q.get("scope", {}) for q in questions), chosen, strict=True)),
    )


def _resolved(option: dict, settings: dict) -> dict:
    """Return an option with the configured number of starts in place of its name."""
    best_of = settings["runs"]["best_of"]
    params = {
        method: {key: best_of if value == "best_of" else value for key, value in changed.items()}
        for method, changed in option["params"].items()
    }
    return option | {"params": params}


def _joined(chosen: list[dict]) -> dict:
    """Return what several options say together."""
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
            params.setdefault(method, {}).update(changed)
    return {
        "select": select,
        "params": params,
        "weightings": weightings,
        "metrics": metrics,
        "datasets": datasets,
        "runs": min((o["runs"] for o in chosen if "runs" in o), default=None),
        "selects": selects,
    }


def _covers(scope: dict, dataset: str, method: str) -> bool:
    return all(
        value in scope.get(key, [value])
        for key, value in (("datasets", dataset), ("methods", method))
    )


@dataclass(frozen=True)
class Part:
    """Choices that are fitted together, because each shares numbers with another one.

    Attributes
    ----------
    choices : their names
    places : the printed (dataset, method) that they change
    """

    choices: tuple[str, ...]
    places: frozenset[tuple[str, str]]

    def options(self, block: dict) -> list[dict[str, str]]:
        """Return every combination of the options of these choices, the stated one first."""
        stated = stated_options(block)
        named = []
        for choice in self.choices:
            others = [o for o in block["choices"][choice]["options"] if o != stated[choice]]
            named.append([stated[choice], *others])
        return [dict(zip(self.choices, p, strict=True)) for p in itertools.product(*named)]


def parts_of(block: dict, settings: dict) -> list[Part]:
    """Return the choices of an item in groups that are about different numbers."""
    parts: list[Part] = []
    for choice, places in _places(block, settings).items():
        meeting = [part for part in parts if part.places & places]
        names = {choice}.union(*(part.choices for part in meeting))
        joined = places.union(*(part.places for part in meeting))
        ordered = tuple(name for name in block["choices"] if name in names)
        parts = [part for part in parts if part not in meeting] + [Part(ordered, joined)]
    order = list(block.get("choices", {}))
    return sorted(parts, key=lambda part: order.index(part.choices[0]))


def _places(block: dict, settings: dict) -> dict[str, frozenset]:
    """Return the printed (dataset, method) that each choice changes, whatever the others are."""
    choices = block.get("choices", {})
    every = [
        combination_of(block, settings, dict(zip(choices, picked, strict=True)))
        for picked in itertools.product(*(question["options"] for question in choices.values()))
    ]
    seen: dict[tuple, set] = {}
    methods = [*block["methods"], *block.get("extra_methods", {})] if choices else []
    for dataset, method in itertools.product(block["datasets"], methods):
        for combination in every:
            at = combination.at(dataset, method)
            read = [setting_of(block, at, dataset, w, method) for w in block["weightings"]]
            reading = (*read, at.select_of(read[0].method), *sorted(at.metrics.items()))
            for choice, _ in combination.options:
                others = tuple(pair for pair in combination.options if pair[0] != choice)
                seen.setdefault((choice, dataset, method, others), set()).add(reading)
    places: dict[str, set] = {}
    for (choice, *place, _), readings in seen.items():
        if len(readings) > 1:
            places.setdefault(choice, set()).add(tuple(place))
    return {choice: frozenset(places[choice]) for choice in choices if choice in places}


def card_of(block: dict, combination: Combination, dataset: str) -> str:
    """Return the card that answers a printed dataset under a combination."""
    return combination.datasets.get(dataset, block["datasets"][dataset])


def setting_of(block: dict, combination: Combination, dataset: str, weighting: str, method: str):
    """Return the setting that answers a printed (dataset, weighting, method)."""
    combination = combination.at(dataset, method)
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
