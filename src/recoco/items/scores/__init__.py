"""Scores: a table of methods by datasets, answered under every fixed combination of choices."""

from recoco.items.kind import Kind
from recoco.items.properties import (
    CHOICES,
    DATASETS,
    DRAWN,
    METHOD_WEIGHTINGS,
    METHODS,
    METRICS,
    NULLS,
    PARAMS_BY_METHOD,
    PRINTED_RUNS,
    TEST,
    TOLERANCES,
    WEIGHTINGS,
)


class Scores(Kind):
    name = "scores"
    about = "A table of scores: datasets, weightings, methods and metrics."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method_weightings": METHOD_WEIGHTINGS,
        "methods": METHODS,
        "extra_methods": {
            **METHODS,
            "description": "Methods that a figure shows but for which no number is printed.",
            "default": {},
        },
        "metrics": METRICS,
        "params": PARAMS_BY_METHOD,
        "nulls": NULLS,
        "choices": CHOICES,
        "test": TEST,
        "printed_runs": PRINTED_RUNS,
        "tolerances": TOLERANCES,
        "drawn": DRAWN,
    }
    required = ("datasets", "weightings", "methods", "metrics")
    figures = ("recoco.items.scores.selection", "recoco.items.scores.plain_report")
    tables = {
        "curves": ["item", "cell", "n", "measured", "measured_sd", "fits", "enough"],
        "nulls": [
            *("item", "dataset", "weighting", "null", "metric", "measured", "measured_sd"),
            "n_runs",
        ],
        "extra": [
            *("item", "dataset", "card", "weighting", "method", "metric", "combination"),
            *("measured", "measured_sd", "n_runs"),
        ],
        "consensus": [
            *("item", "dataset", "weighting", "method", "combination", "runs", "acc", "nmi"),
            *("ari", "mean_agreement"),
        ],
        "twins": ["item", "dataset", "weighting", "combination", "first", "second", "runs", "same"],
    }

    def settings(self, config, paper, item):
        from recoco.plan.combinations import combinations, null_setting, setting_of

        methods = [*item["methods"], *item["extra_methods"]]
        for combination in combinations(item, config.settings):
            for dataset in item["datasets"]:
                for weighting in item["weightings"]:
                    for method in methods:
                        setting = setting_of(item, combination, dataset, weighting, method)
                        yield setting, combination.runs
        for card in item["datasets"].values():
            for null in item["nulls"]:
                yield null_setting(item, card, null), None

    def compare(self, comparison, name, item, printed):
        from recoco.items.scores.compare import answer_scores, compare_plain, twins

        if item["published"]:
            return answer_scores(comparison, name, item, printed)
        table = comparison.table(item)
        comparison.add({"extra": compare_plain(name, table), "twins": twins(name, table)})
        return []

    def table(self, material, paper, name):
        from recoco.items.scores.plain_report import plain_table
        from recoco.report import tables

        make = tables.item_table if paper.items[name]["published"] else plain_table
        return make(material, paper, name)


KIND = Scores()
