"""Experiments are data: from the tables of the papers to the blocks of runs they need.

A *setting* is (dataset, weighting, method, parameters); a *trial* is one run of a setting; a
*block* is a range of its runs, done by one job. Two tables that need the same trial share it.
"""

import itertools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from recoco import paths
from recoco.config import Config
from recoco.errors import RecocoError
from recoco.expected import expected_of
from recoco.schema import nearest
from recoco.seeds import stable_hash

# Non-zeros times starts that one job may take on: about a minute of a CoClus kernel.
_WORK_PER_BLOCK = 1.2e9


@dataclass(frozen=True, order=True)
class Setting:
    """What is run, without the run number."""

    dataset: str
    weighting: str
    method: str
    params: tuple[tuple[str, object], ...] = ()

    @property
    def slug(self) -> str:
        """Name of method and parameters, fit for a file name."""
        text = ",".join([self.method, *(f"{key}={value}" for key, value in self.params)])
        if re.fullmatch(r"[\w.,=+-]{1,100}", text):
            return text
        return f"{self.method},{stable_hash(json.dumps(self.params)):032x}"[:60]

    @property
    def name(self) -> str:
        return f"{self.dataset}/{self.weighting}/{self.slug}"

    def folder(self, root: Path) -> Path:
        return root / "results" / "runs" / self.dataset / self.weighting / self.slug


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
    runs: int | None = None  # at most so many, for a reading that is only tried
    selects: dict = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return "+".join(option for _, option in self.options) or "as-printed"

    def select_of(self, method: str) -> str:
        """Return how one number is made of the runs of a method."""
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
            selects.update(option.get("select_by_method", {}))
            select = option.get("select", select)
            metrics.update(option.get("metrics", {}))
            datasets.update(option.get("datasets", {}))
            for card, changed in option.get("weightings", {}).items():
                weightings.setdefault(card, {}).update(changed)
            for method, changed in option.get("params", {}).items():
                resolved = {
                    key: settings["runs"]["best_of"] if value == "best_of" else value
                    for key, value in changed.items()
                }
                params.setdefault(method, {}).update(resolved)
        made.append(
            Combination(
                options,
                "; ".join(o["text"] for o in chosen if not o.get("printed")) or "as printed",
                all(option.get("printed") for option in chosen),
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
    """Return the setting of a null model: it looks at no value, so one weighting serves."""
    weighting = next(iter(block["weightings"].values()))
    return Setting(card, block.get("method_weightings", {}).get(null, weighting), null)


def settings_of(config: Config) -> dict[Setting, int]:
    """Return every setting that the configured papers need and its number of runs."""
    from recoco.graph_plan import graph_settings
    from recoco.leaderboard_plan import leaderboard_settings

    needed: dict[Setting, int] = {}
    for paper, block in blocks_of_kind(config, "scores"):
        runs = runs_of(config, paper, block)
        for setting, most in _settings_of_item(block, config.settings):
            needed[setting] = max(min(runs, most or runs), needed.get(setting, 0))
    varied = {
        "sweep": sweep_settings,
        "coclusters": cocluster_settings,
        "clusters": variant_settings,
        "representatives": variant_settings,
    }
    found = ((p, b, f) for kind, f in varied.items() for p, b in blocks_of_kind(config, kind))
    for paper, block, settings in found:
        for setting, _ in settings(config, block):
            if not postponed(config, block) or blocks_on_disk(setting, paths.root()):
                needed[setting] = max(runs_of(config, paper, block), needed.get(setting, 0))
    for paper, block, setting in graph_settings(config):
        if not postponed(config, block) or blocks_on_disk(setting, paths.root()):
            needed[setting] = max(runs_of(config, paper, block), needed.get(setting, 0))
    for setting, runs in leaderboard_settings(config):
        needed[setting] = max(runs, needed.get(setting, 0))
    return dict(sorted(needed.items(), key=lambda pair: pair[0].name))


def postponed(config: Config, block: dict) -> bool:
    """Say whether the configured pass leaves an item to the next, but for what is at hand."""
    return config.settings["runs"]["first_only"] and block.get("later", False)


def runs_of(config: Config, paper: dict, block: dict) -> int:
    """Return the runs per setting of an item: its own or its paper's, at most the cap."""
    runs = block.get("runs", paper["runs"])
    most = config.settings["runs"]["most"]
    return min(runs, most) if most else runs


def with_params(config: Config, setting: Setting, params: dict) -> Setting:
    """Return a setting with parameters; those that hold anyway are left out of its name."""
    known = config.methods[setting.method].get("params", {})
    told = {key: value for key, value in params.items() if known.get(key) != value}
    return Setting(setting.dataset, setting.weighting, setting.method, tuple(sorted(told.items())))


def sweep_settings(config: Config, block: dict):
    """Yield (setting, details) of a figure that varies one parameter of one method.

    The value null leaves the parameter at what the method makes of it. Where the runs of one
    setting tell of all values (``inside``), that setting answers for all.
    """
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        plain = Setting(card, weighting, block["method"])
        if "inside" in block:
            setting = with_params(config, plain, block.get("params", {}))
            for value in block["values"]:
                yield setting, {"dataset": dataset, "card": card, "value": value}
            continue
        g = classes_of(card)
        for value in block["values"]:
            if block["parameter"] == "n_column_clusters" and value is not None and value <= g:
                continue  # the curve starts at the number of classes
            told = {} if value is None else {block["parameter"]: value}
            setting = with_params(config, plain, {**block.get("params", {}), **told})
            shown = g if value is None else value
            yield setting, {"dataset": dataset, "card": card, "value": shown}


def cocluster_settings(config: Config, block: dict):
    """Yield (setting, details) of an item that looks into co-clusters: of g of them, then fewer."""
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        g = classes_of(card)
        for number in [g, *(g - k for k in range(1, block.get("fewer", 0) + 1) if g - k > 1)]:
            told = {} if number == g else {"n_clusters": number, **block.get("params_fewer", {})}
            plain = Setting(card, weighting, block["method"])
            setting = with_params(config, plain, {**block.get("params", {}), **told})
            yield setting, {"dataset": dataset, "card": card, "asked": number}


def variant_settings(config: Config, block: dict):
    """Yield (setting, details) of an item that looks at the runs of one method, as they are.

    ``variants`` are parameters by name; without any there is the method as it stands.
    """
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        for variant, params in block.get("variants", {"": {}}).items():
            setting = with_params(config, Setting(card, weighting, block["method"]), params)
            yield setting, {"dataset": dataset, "card": card, "variant": variant}


def blocks_of_kind(config: Config, kind: str):
    """Yield (paper, item) of every configured item of a kind."""
    for paper in config.papers.values():
        for block in paper["items"].values():
            if block["kind"] == kind:
                yield paper, block


def classes_of(card: str) -> int:
    return expected_of(card).get("classes", 1)


def _settings_of_item(block: dict, settings: dict):
    methods = [*block["methods"], *block.get("extra_methods", {})]
    for combination in combinations(block, settings):
        yield from (
            (setting_of(block, combination, dataset, weighting, method), combination.runs)
            for dataset in block["datasets"]
            for weighting in block["weightings"]
            for method in methods
        )
    for card in block["datasets"].values():
        for null in block.get("nulls", []):
            yield null_setting(block, card, null), None


def datasets_of_paper(config: Config, key: str) -> list[str]:
    """Return the cards that a paper's items name, whatever for."""
    return sorted(
        {card for block in config.papers[key]["items"].values() for card in _cards(block)}
    )


def _cards(block: dict):
    yield from block.get("datasets", {}).values()
    yield from block.get("corpora", [])
    for question in block.get("choices", {}).values():
        for option in question["options"].values():
            yield from option.get("datasets", {}).values()


def datasets_of(config: Config) -> list[str]:
    """Return the cards that the configured papers name."""
    return sorted({card for key in config.papers for card in datasets_of_paper(config, key)})


def parameters(config: Config, setting: Setting) -> dict:
    """Return all parameters in force for a setting."""
    return {**config.methods[setting.method].get("params", {}), **dict(setting.params)}


def method_class(config: Config, method: str) -> str:
    """Return where a method's class is: the registry's name or "module:Class"."""
    return config.methods[method].get("class", method)


def method_place(config: Config, method: str) -> str:
    """Return where a method's class is, as "module:Class"."""
    from recoco.methods import METHODS

    named = method_class(config, method)
    target = named if ":" in named else METHODS.get(named)
    if target is None:
        raise RecocoError(
            f"methods.yaml lists {method!r}, which recoco does not have: "
            "give it a class as module:Class or remove it."
        )
    return target


def larger_is_better(config: Config, method: str) -> bool:
    """Say which way a method's criterion goes."""
    from recoco.methods import get_method

    return get_method(method_class(config, method)).larger_is_better


def method_module(config: Config, method: str) -> str:
    """Return the module whose code, with all it imports, computes a method."""
    return method_place(config, method).split(":")[0]


def check_parameters(config: Config) -> None:
    """Refuse a parameter that a method does not take, before anything is computed."""
    import inspect

    from recoco.methods import get_method

    asked = {(s.method, tuple(sorted(parameters(config, s)))) for s in settings_of(config)}
    for method, names in sorted(asked):
        method_module(config, method)
        known = list(inspect.signature(get_method(method_class(config, method))).parameters)
        for name in names:
            if name not in known:
                raise RecocoError(
                    f"Method {method!r} has no parameter {name!r} (config/methods.yaml or a "
                    f"paper's file): {nearest(name, known)}"
                )


# ---- blocks ------------------------------------------------------------------------------


def work_of(config: Config, setting: Setting) -> float:
    """Return the work of one run, in non-zeros read by a CoClus run: no machine's seconds."""
    nonzeros = expected_of(setting.dataset).get("nonzeros") or [1e6]
    passes = config.methods[setting.method].get("work", 1)
    return sum(nonzeros) * passes * starts_of(setting)


def starts_of(setting: Setting) -> int:
    """Return the starts of one run, of which the best is kept."""
    return max(1, dict(setting.params).get("n_init", 1))


def blocks_on_disk(setting: Setting, root: Path) -> list[tuple[int, int]]:
    """Return the run ranges of a setting that are already computed."""
    found = []
    for path in setting.folder(root).glob("*-*.npz"):
        match = re.fullmatch(r"(\d+)-(\d+)", path.stem)
        if match:
            found.append((int(match[1]), int(match[2])))
    return sorted(found)


def tile(total: int, first: int, size: int, existing: list[tuple[int, int]]):
    """Cut the runs 0..total into blocks, keeping those that exist.

    The first block is short, so that a first report comes early. Blocks on disk keep their
    borders whatever the present total is: raising it computes the new runs only.
    """
    longest: dict[int, int] = {}
    for start, stop in existing:
        longest[start] = max(stop, longest.get(start, 0))
    blocks, position = [], 0
    while position < total:
        if position in longest:
            stop = longest[position]
        else:
            stop = min(total, position + (first if position == 0 else size))
            later = [start for start in longest if position < start < stop]
            stop = min(later, default=stop)
        blocks.append((position, stop))
        position = stop
    return blocks


def blocks_of(config: Config, setting: Setting, total: int, root: Path | None = None):
    """Return ``(run ranges, runs used)`` of a setting for the pass that is configured."""
    root = root or paths.root()
    first = config.settings["runs"]["first"]
    existing = blocks_on_disk(setting, root)
    if config.settings["runs"]["first_only"]:
        done = 0
        for start, stop in existing:
            if start == done:
                done = stop
        total = min(total, max(first, done))
    return tile(total, first, _block_size(config, setting), existing), total


def planned_blocks(config: Config, setting: Setting, total: int) -> list[tuple[int, int]]:
    """Return the run ranges of a setting in an empty folder."""
    return tile(total, config.settings["runs"]["first"], _block_size(config, setting), [])


def _block_size(config: Config, setting: Setting) -> int:
    return int(min(1000, max(5, _WORK_PER_BLOCK // work_of(config, setting))))


def block_path(setting: Setting, start: int, stop: int, root: Path | None = None) -> Path:
    return setting.folder(root or Path()) / f"{start}-{stop}.npz"


def seconds_path(block: Path) -> Path:
    """Return where the seconds of a block are kept: apart, because they differ each time."""
    return block.with_suffix(".seconds.json")


def unreachable(root: Path | None = None) -> set[str]:
    """Return the datasets that were sought and not found here."""
    from recoco.store import read_json

    folder = (root or paths.root()) / "resources" / "prepared"
    return {
        path.stem for path in folder.glob("*.json") if read_json(path)["status"] == "unreachable"
    }
