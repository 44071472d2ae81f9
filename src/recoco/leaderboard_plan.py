"""What a leaderboard needs: every method on every dataset, and the consensus of all methods.

A leaderboard is an item whose rows are methods and not printed cells. A pair of a method and a
dataset that would take too long is left out by the sizes that the item states, and its cell says
so; all else that may go wrong is found out by running it.
"""

from dataclasses import dataclass

from recoco.config import Config
from recoco.expected import expected_of
from recoco.plan import Setting, blocks_of_kind, method_place, postponed, runs_of, with_params

METHOD, NULL, CONSENSUS = "method", "null", "consensus"
# What a limit may be about, and how it is read.
SIZES = {
    "rows": "rows",
    "columns": "columns",
    "nonzeros": "non-zeros",
    "classes": "classes",
    "views": "views",
}
# The functions that fuse, under names that no method has.
FUSIONS = {
    "ebco": "EBCO of all",
    "cspa": "CSPA of all",
    "hgpa": "HGPA of all",
    "mcla": "MCLA of all",
}


@dataclass(frozen=True)
class Entry:
    """One place of a leaderboard: a method on a dataset under a weighting.

    ``weighting`` is that of the ranking, which a method with a weighting of its own takes part
    in; ``too_large`` says why the pair is not run, where it is not.
    """

    dataset: str
    card: str
    weighting: str
    method: str
    kind: str
    setting: Setting
    runs: int
    too_large: str = ""


def entries_of(config: Config, paper: dict, block: dict, only: str = "") -> list[Entry]:
    """Return all places of a leaderboard, or those on one card; null models last."""
    runs, starts = runs_of(config, paper, block), block.get("starts", {})
    named = [(METHOD, name, key) for name, key in block["methods"].items()]
    named += [(NULL, null, null) for null in block.get("nulls", [])]
    entries = []
    for dataset, card in block["datasets"].items():
        if only and card != only:
            continue
        reasons = {key: _too_large(card, block.get("limits", {}), key) for _, _, key in named}
        for shown, weighting in block["weightings"].items():
            for kind, name, key in named:
                own = block.get("method_weightings", {}).get(key, weighting)
                if kind == NULL:  # it looks at no value, so one weighting serves
                    own = next(iter(block["weightings"].values()))
                plain = Setting(card, own, key)
                setting = with_params(config, plain, block.get("params", {}).get(key, {}))
                entries.append(
                    Entry(
                        *(dataset, card, shown, name, kind, setting),
                        min(runs, starts.get(key, runs)),
                        reasons[key],
                    )
                )
    return entries


def _too_large(card: str, limits: dict, method: str) -> str:
    """Say why a dataset is too large for a method, from what its card says of it; else nothing."""
    known = expected_of(card)
    columns = known.get("columns") or []
    sizes = {
        "rows": known.get("rows"),
        "columns": sum(columns),
        "nonzeros": sum(known.get("nonzeros") or []),
        "classes": known.get("classes"),
        "views": len(columns),
    }
    for name, most in limits.get(method, {}).items():
        if (sizes[name] or 0) > most:
            return (
                f"{sizes[name]:,} {SIZES[name]}: the benchmark runs {method} on at most {most:,}, "
                "to end in time"
            )
    return ""


def leaderboard_settings(config: Config):
    """Yield (setting, runs) of every pair that is run."""
    for paper, block in blocks_of_kind(config, "leaderboard"):
        if postponed(config, block):
            continue
        for entry in entries_of(config, paper, block):
            if not entry.too_large:
                yield entry.setting, entry.runs


def fusions_of(config: Config, card: str) -> list[dict]:
    """Return what is to be put together on a dataset: all methods of each ranking."""
    tasks = []
    for paper in config.papers.values():
        for item, block in paper["items"].items():
            if block["kind"] != "leaderboard" or not block.get("fusions"):
                continue
            members: dict[str, dict[str, dict]] = {}
            for entry in entries_of(config, paper, block, card):
                if entry.kind == METHOD and not entry.too_large:
                    place = method_place(config, entry.setting.method)
                    members.setdefault(entry.weighting, {})[entry.method] = {
                        "setting": entry.setting.name,
                        "place": place,
                    }
            tasks += [
                {"paper": paper["key"], "item": item, "weighting": weighting}
                | {"functions": block["fusions"], "fused": block.get("fused", 3), "members": found}
                for weighting, found in members.items()
            ]
    return tasks


def printed_tables() -> dict[str, dict]:
    """Return the papers with printed tables of scores: title, and what each table is about.

    All papers that ``config/papers`` has, whether or not they are part of this reproduction.
    """
    from recoco import paths
    from recoco.schema import read_yaml

    told = ("published", "datasets", "weightings", "methods", "metrics")
    found = {}
    for path in sorted((paths.config() / "papers").glob("*.yaml")):
        paper = read_yaml(path)
        tables = {
            item: {key: block[key] for key in told}
            for item, block in paper["items"].items()
            if block["kind"] == "scores" and block.get("published")
        }
        if tables:
            about = {key: paper.get(key, "") for key in ("key", "title", "venue", "year")}
            found[paper["key"]] = {**about, "tables": tables}
    return found
