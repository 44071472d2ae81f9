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
    # A leaderboard. Every method on every dataset: mean and standard deviation over the runs, the
    # run with the best criterion (best), or why there is no score (status, reason).
    "leaderboard": [
        *("item", "dataset", "card", "weighting", "kind", "method", "metric", "mean", "sd"),
        *("best", "n_runs", "status", "reason", "trial"),
    ],
    # Mean ranks by weighting, selection (mean or best) and metric; cd is Nemenyi's. Rows of the
    # kinds null and consensus have the rank that each would have among the methods. mean_sd is the
    # stability: the standard deviation over starts, averaged over the datasets.
    "standings": [
        *("item", "weighting", "selection", "metric", "kind", "method", "mean_rank", "cd"),
        *("n_datasets", "mean_score", "mean_sd", "scored", "tried", "note"),
    ],
    # Chances of "the first is better", "practically equal" (within width), "the second is better".
    "bayes": [
        *("item", "weighting", "selection", "metric", "first", "second", "left", "rope", "right"),
        *("width", "n_datasets"),
    ],
    # Score against seconds of a run (of all runs for best); front: none is better and faster.
    "tradeoffs": [
        *("item", "weighting", "selection", "metric", "kind", "method", "score", "seconds"),
        *("n_datasets", "front"),
    ],
    # Mean ranks on the halves of the datasets by size, classes, balance, sparsity.
    "breakdown": [
        *("item", "weighting", "selection", "metric", "by", "group", "n_datasets", "method"),
        "mean_rank",
    ],
    # The order that a paper prints against ours on its own datasets and on others: Kendall's tau
    # (rows without method) and mean ranks (own is true for the paper's own method).
    "transfer": [
        *("item", "paper", "metric", "weighting", "method", "own", "printed_rank", "own_rank"),
        *("other_rank", "n_methods", "n_printed", "n_own", "n_other", "tau_own", "tau_other"),
    ],
    # The same in sentences, the first over all papers.
    "remarks": ["item", "place", "text"],
}
