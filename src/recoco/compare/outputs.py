"""The tables that compare writes for each paper, and their columns."""

MEASURED = ["measured", "measured_sd", "ci_low", "ci_high", "n_runs", "tolerance"]
OUTPUTS = {
    "cells": [
        *("cell", "paper", "item", "dataset", "card", "weighting", "method", "metric"),
        *("printed", "printed_sd", "printed_note", *MEASURED, "difference"),
        *("combination", "combination_text", "verdict", "within", "reason"),
    ],
    "measures": ["cell", "combination", *MEASURED, "within", "status", "trial"],
    "combinations": [
        "item",
        "combination",
        "text",
        "printed",
        "best",
        "cells_within",
        "cells_compared",
        "choice_*",
    ],
    "nulls": [
        "item",
        "dataset",
        "weighting",
        "null",
        "metric",
        "measured",
        "measured_sd",
        "n_runs",
    ],
    "characteristics": [
        "paper",
        "dataset",
        "card",
        "characteristic",
        "printed",
        "measured",
        "agrees",
        "note",
    ],
    "claims": ["id", "claim", "outcome", "evidence", "scope"],
    "extra": [
        "item",
        "dataset",
        "card",
        "weighting",
        "method",
        "metric",
        "combination",
        "measured",
        "measured_sd",
        "n_runs",
    ],
    "consensus": [
        "item",
        "dataset",
        "weighting",
        "method",
        "combination",
        "runs",
        "acc",
        "nmi",
        "ari",
        "mean_agreement",
    ],
    "sweeps": [
        *("item", "dataset", "card", "weighting", "method", "parameter", "value"),
        *("metric", "measured", "measured_sd", "n_runs"),
    ],
    "words": [
        *("item", "dataset", "card", "method", "column_clusters", "run", "place", "cluster"),
        *("pmi", "pairs", "pairs_found", "words"),
    ],
    "coherence": [
        *("item", "dataset", "card", "method", "column_clusters", "n_runs", "pmi", "pmi_sd"),
        *("pmi_seen", "clusters", "pairs", "pairs_found", "corpus"),
    ],
    "cosines": [
        *("item", "dataset", "card", "method", "column_clusters", "n_runs", "pairs", "mean"),
        *("q05", "q25", "median", "q75", "q95", "histogram"),
    ],
    "densities": [
        *("item", "dataset", "card", "count", "diagonal", "shift", "printed", "measured"),
        "agrees",
    ],
    "gains": ["item", "dataset", "method", "metric", "printed", "measured"],
    "coclusters": [
        *("item", "dataset", "card", "method", "asked", "run", "cluster", "documents", "words"),
        *("class", "of_class"),
    ],
    "neighbours": [
        *("item", "dataset", "card", "method", "asked", "run", "cluster", "place", "word"),
        *("npmi", "frequency", "corpus"),
    ],
    "pictures": [
        *("item", "dataset", "card", "method", "asked", "run", "rows", "columns"),
        *("row_borders", "column_borders", "height", "width", "pixels"),
    ],
    "ranks": [
        *("item", "source", "combination", "metric", "method", "mean_rank", "cd", "n_datasets"),
        "datasets",
    ],
    "tests": [
        *("item", "source", "combination", "metric", "n_datasets", "test", "first", "second"),
        *("value", "critical", "p", "differs", "note"),
    ],
    "clusters": [
        *("item", "dataset", "card", "variant", "method", "side", "classes", "n_runs", "mode"),
        *("mean", "sd", "histogram", "nmi", "nmi_sd", "nmi_chosen", "ari", "ari_sd", "ari_chosen"),
        *("n_iter", "last_move", "converged"),
    ],
    "representatives": [
        *("item", "dataset", "card", "variant", "method", "run", "criterion", "row_clusters"),
        *("view", "place", "features", "mass", "empty_clusters", "words", "losses"),
    ],
    "scaling": [
        *("item", "method", "variant", "along", "curve", "objects", "features", "views", "n_iter"),
        *("seconds", "slope", "slope_iteration", "slope_n_iter"),
    ],
    "convergence": ["item", "method", "flip", "iteration", "indicator", "indicator_sd", "n_runs"],
    "stability": [
        *("item", "method", "flip", "n_runs", "limit", "rest_mean", "rest_most", "last"),
        *("last_sd", "taus", "taus_sd", "planted"),
    ],
    "views": [
        *("item", "dataset", "card", "graph", "method", "metric", "measured", "measured_sd"),
        *("best", "n_runs"),
    ],
    "twins": ["item", "dataset", "weighting", "combination", "first", "second", "runs", "same"],
    "ensembles": [
        *("item", "dataset", "card", "method", "level", "function", "partitions", "nmi", "acc"),
        *("agreement", "first_nmi", "mean_nmi", "error"),
    ],
    "topics": [
        *("item", "dataset", "card", "part", "topic", "name", "x", "y", "value", "inertia"),
    ],
    "orders": [
        *("item", "dataset", "card", "method", "n_clusters", "icl", "chosen", "classes"),
        *("filled", "nmi", "acc", "n_runs"),
    ],
}
