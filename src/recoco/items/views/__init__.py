"""Views: some methods on the graph of each view, others on all graphs at once."""

from recoco.datasets.card import expected_of
from recoco.items.kind import Kind
from recoco.items.properties import DATASETS, METHODS, METRICS, WEIGHTINGS
from recoco.plan import Setting

ALL = "all"
LEVELS = {"across": "across the graphs", ALL: "all graphs at once"}


class Views(Kind):
    name = "views"
    about = "Scores of some methods on the graph of each view, of others on all graphs at once."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "methods": METHODS,
        "together": {
            **METHODS,
            "description": "Printed name and method of recoco that takes all graphs at once.",
        },
        "metrics": METRICS,
    }
    required = ("datasets", "weightings", "methods", "together", "metrics")
    figures = ("recoco.items.views.report",)
    tables = {
        "views": [
            *("item", "dataset", "card", "graph", "method", "metric", "measured", "measured_sd"),
            *("best", "n_runs"),
        ],
    }

    def described(self, config, item):
        return view_settings(item)

    def rows(self, comparison, name, item):
        return {"views": compare_views(name, comparison.table(item))}

    def table(self, material, paper, name):
        from recoco.items.views.report import views_table

        return views_table(material, paper, name)


def view_settings(item: dict):
    """Yield (setting, details) of an item; "graph" is the number of a view, or "all"."""
    weighting = next(iter(item["weightings"].values()))
    for dataset, card in item["datasets"].items():
        names = {"dataset": dataset, "card": card}
        for view in range(1, len(expected_of(card).get("columns", ())) + 1):
            for name, method in item["methods"].items():
                setting = Setting(card, f"{weighting}-view{view}", method)
                yield setting, {**names, "graph": str(view), "method": name}
        for name, method in item["together"].items():
            yield Setting(card, weighting, method), {**names, "graph": ALL, "method": name}


def compare_views(name: str, table) -> list[dict]:
    """Return the scores of every method on the graph of each view, or on all: mean and best."""
    rows = []
    for setting, details in view_settings(table.item):
        if table.stopped(setting):
            continue
        for metric in table.item["metrics"]:
            best = table.measure(setting, "criterion", metric).value
            scores = {"metric": metric, **table.measured(setting, metric), "best": best}
            rows.append({"item": name, **details, **scores})
    return rows


KIND = Views()
