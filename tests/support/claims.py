"""Claims as the papers' folders state them, tried on made-up tables."""

import numpy as np

from recoco.compare.claims import check_of, try_claim
from recoco.config.papers import Paper
from recoco.plan import Combination
from support.projects import CHECKOUT

PRINTED = Combination((("selection", "single"),), "as printed", True)


def options_of(paper: str, identifier: str) -> dict:
    """Return how claims.yaml of the checkout has a claim checked."""
    return Paper(CHECKOUT / "config" / "papers" / paper).claims[identifier]["check"]


def check(paper: str, identifier: str, table) -> tuple[str, str]:
    """Return outcome and numbers of a claim in the printed reading."""
    options = options_of(paper, identifier)
    return check_of(options).run(table, PRINTED, options)


def tried(paper: str, identifier: str, table) -> tuple[str, str]:
    """Return outcome and evidence of a claim as the report has them."""
    return try_claim(options_of(paper, identifier), table)


class FakeTable:
    """The part of a table that claims ask for: scores by (dataset, method, metric)."""

    def __init__(self, scores=None, frames=None, sizes=None, extra=()):
        self.scores, self.frames = scores or {}, frames or {}
        datasets = list(dict.fromkeys(key[0] for key in self.scores))
        methods = dict.fromkeys(key[1] for key in self.scores)
        self.item = {
            "datasets": {d: d.lower() for d in datasets},
            "weightings": {"tfidf-l2": "tfidf-l2"},
            "methods": {method: method for method in methods if method not in extra},
            "metrics": list(dict.fromkeys(key[2] for key in self.scores)),
        }
        self.records = {
            d.lower(): {"document_sizes": {"nonzeros": {"median": (sizes or {}).get(d, 1)}}}
            for d in datasets
        }
        self.as_printed = self.best = PRINTED

    def reachable(self):
        return list(self.item["datasets"])

    def values(self, dataset, weighting, method, metric, combination=None):
        value = self.scores.get((dataset, method, metric))
        # Of its two runs the second has the better criterion: that one is the table's figure.
        return np.array([]) if value is None else np.array([1 - value, value])

    def figure(self, *cell):
        return float(self.values(*cell)[1])
