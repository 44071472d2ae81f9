"""The entries of a leaderboard: every method on every dataset.

A leaderboard is an item whose rows are methods and not printed cells. A method is not run on
datasets that exceed its limits, and the cell says so. Any other failure shows when it is run.
"""

from dataclasses import dataclass

from recoco.datasets.card import expected_of
from recoco.plan import Setting, runs_of, with_params

METHOD, NULL, CONSENSUS = "method", "null", "consensus"
# One score per setting: the mean of its runs, or the run with the best criterion.
SELECTIONS = {"mean": "mean of all starts", "best": "best start by the criterion"}
# Sizes that a limit may restrict, and their names in a reason.
SIZES = {
    "rows": "rows",
    "columns": "columns",
    "nonzeros": "non-zeros",
    "classes": "classes",
    "views": "views",
}
# Functions of the consensus, with names that no method has.
FUSIONS = {
    "ebco": "EBCO of all",
    "cspa": "CSPA of all",
    "hgpa": "HGPA of all",
    "mcla": "MCLA of all",
}


@dataclass(frozen=True)
class Entry:
    """One entry of a leaderboard: a method on a dataset under a weighting.

    ``weighting`` is that of the ranking; a method with a weighting of its own is part of every
    ranking. ``too_large`` is the reason if the method is not run on the dataset.
    """

    dataset: str
    card: str
    weighting: str
    method: str
    kind: str
    setting: Setting
    runs: int
    too_large: str = ""


def entries_of(config, paper: dict, item: dict, only: str = "") -> list[Entry]:
    """Return all entries of a leaderboard, or those of one card; null models last."""
    runs, starts = runs_of(config, paper, item), item["starts"]
    named = [(METHOD, name, key) for name, key in item["methods"].items()]
    named += [(NULL, null, null) for null in item["nulls"]]
    entries = []
    for dataset, card in item["datasets"].items():
        if only and card != only:
            continue
        reasons = {key: _too_large(card, item["limits"], key) for _, _, key in named}
        for shown, weighting in item["weightings"].items():
            for kind, name, key in named:
                own = item["method_weightings"].get(key, weighting)
                if kind == NULL:  # it ignores the values, so one weighting is enough
                    own = next(iter(item["weightings"].values()))
                plain = Setting(card, own, key)
                setting = with_params(config, plain, item["params"].get(key, {}))
                entries.append(
                    Entry(
                        *(dataset, card, shown, name, kind, setting),
                        min(runs, starts.get(key, runs)),
                        reasons[key],
                    )
                )
    return entries


def _too_large(card: str, limits: dict, method: str) -> str:
    """Return the reason if a dataset exceeds a limit of a method, by the sizes on its card."""
    expected = expected_of(card)
    columns = expected.get("columns") or []
    sizes = {
        "rows": expected.get("rows"),
        "columns": sum(columns),
        "nonzeros": sum(expected.get("nonzeros") or []),
        "classes": expected.get("classes"),
        "views": len(columns),
    }
    for name, most in limits.get(method, {}).items():
        if (sizes[name] or 0) > most:
            return (
                f"{sizes[name]:,} {SIZES[name]}: the benchmark runs {method} on at most {most:,}, "
                "to end in time"
            )
    return ""
