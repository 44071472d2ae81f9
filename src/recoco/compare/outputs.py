"""The tables that compare writes for each paper, and their columns."""

from recoco.items import tables

MEASURED = ["measured", "measured_sd", "ci_low", "ci_high", "n_runs", "tolerance"]
OUTPUTS = {
    "cells": [
        *("cell", "paper", "item", "dataset", "card", "weighting", "method", "metric"),
        *("printed", "printed_sd", "printed_note", *MEASURED, "difference"),
        *("combination", "combination_text", "verdict", "within", "spread"),
        *("cause", "evidence", "reason"),
    ],
    "measures": ["cell", "combination", *MEASURED, "within", "status", "trial"],
    "combinations": [
        *("item", "combination", "text", "printed", "best", "cells_within", "cells_compared"),
        *("log_likelihood", "choice_*"),
    ],
    "chance": [
        *("item", "choices", "readings", "chosen", "stated", "log_likelihood", "verdict"),
        *("cells", "explained", "by_chance", "by_chance_high"),
    ],
    "drawn": ["cell", "twin", "twin_sd", "n_runs"],
    "claims": ["id", "claim", "outcome", "evidence", "scope"],
    **tables(),
}
