"""The calibration of twins: how far apart the planted classes of a twin must be.

The `target` of a twin names a method and the score that it has on the real data: in the reference
run, or as printed if the data was never available. The separation of the classes is found by
bisection, so that the method has this score on the twin.
"""

from dataclasses import dataclass

import numpy as np

from recoco.datasets.twins import draw_twin

# The score on the twin may differ from the target by so much.
BAND = 0.04
_CLOSE_ENOUGH = 0.015
_ROUNDS = 14
_DIGITS = 4
_MASTER_SEED = 2015  # that of config.yaml: twins of another seed have about the same scores


@dataclass(frozen=True)
class Calibration:
    """A separation, and the mean score that the method of the target has with it."""

    separation: float
    score: float


def score_of_twin(card: dict, separation: float | None = None) -> float:
    """Return the mean score that the method of a twin's target has on the twin.

    Parameters
    ----------
    card : dict
        A card with a `twin`, as `load_card` returns it.
    separation : float, default=None
        Replaces that of the card.
    """
    from recoco.config.loading import load_methods
    from recoco.core import paths
    from recoco.core.imports import load_class
    from recoco.core.seeds import seeds_of_runs
    from recoco.methods import import_path
    from recoco.metrics import score_partitions
    from recoco.runs.block import data_of
    from recoco.runs.results import fit_checked

    target = card["twin"]["target"]
    dataset = draw_twin(card, _MASTER_SEED, separation)
    entry = load_methods(paths.config())[target["method"]]
    kind = load_class(import_path(entry.get("class", target["method"])))
    params = {"n_clusters": dataset.n_classes, **entry["params"], **target["params"]}
    identity = f"{card['name']}/{target['weighting']}/calibration"
    seeds = seeds_of_runs(_MASTER_SEED, identity, range(target["runs"]), False)
    runs = fit_checked(kind(**params), data_of(kind, dataset, target["weighting"]), seeds)
    return float(np.mean(score_partitions(dataset.labels, runs.row_labels)[target["metric"]]))


def calibrate(card: dict) -> Calibration:
    """Return the separation with which the twin of a card comes closest to its target.

    Parameters
    ----------
    card : dict
        A card with a `twin`, as `load_card` returns it; its present separation is not used.
    """
    wanted = card["twin"]["target"]["value"]
    low, high = 0.0, 1.0
    best: Calibration | None = None
    for _ in range(_ROUNDS):
        separation = round((low + high) / 2, _DIGITS)
        score = score_of_twin(card, separation)
        if best is None or abs(score - wanted) < abs(best.score - wanted):
            best = Calibration(separation, score)
        if abs(score - wanted) <= _CLOSE_ENOUGH:
            break
        low, high = (separation, high) if score < wanted else (low, separation)
    assert best is not None  # there is at least one round
    return best
