"""Ensembles: the consensus of the best runs inside every graph and across the graphs."""

from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.items.kind import Kind, analyses_by_card, analysis_rows
from recoco.items.properties import OF
from recoco.items.views import view_settings


class Ensembles(Kind):
    name = "ensembles"
    about = "The consensus of the best runs of an item of views, inside and across its graphs."
    schema = {
        "of": {**OF, "description": "The item of kind views whose runs are put together."},
        "top": {
            "description": "Best runs that an ensemble takes.",
            "type": "integer",
            "minimum": 2,
        },
    }
    required = ("of", "top")
    figures = ("recoco.items.ensembles.report",)
    tables = {
        "ensembles": [
            *("item", "dataset", "card", "method", "level", "function", "partitions", "nmi"),
            *("acc", "agreement", "first_nmi", "mean_nmi", "error"),
        ],
    }
    steps = {"ensembles": "Put the best runs together."}

    def analyses(self, plan, paper):
        items = plan.config.papers[paper]["items"]
        tasks: dict[str, dict[tuple, dict]] = {}
        for name, item in plan.items(paper, self.name):
            for setting, details in view_settings(items[item["of"]]):
                method = details["method"]
                task = tasks.setdefault(details["card"], {}).setdefault(
                    (name, method),
                    {"item": name, "method": method, "top": item["top"], "groups": {}},
                )
                task["groups"][details["graph"]] = setting.name
        listed = {card: list(of_card.values()) for card, of_card in tasks.items()}
        used = {
            card: sorted({name for task in of_card for name in task["groups"].values()})
            for card, of_card in listed.items()
        }
        yield from analyses_by_card(plan, paper, "ensembles", write_ensembles, listed, used)

    def rows(self, comparison, name, item):
        datasets = comparison.items[item["of"]]["datasets"]
        return {"ensembles": analysis_rows(comparison, "ensembles", datasets, name)}

    def table(self, material, paper, name):
        from recoco.items.ensembles.report import ensembles_table

        return ensembles_table(material, paper, name)


def write_ensembles(inputs: dict, task: dict, out: Path) -> None:
    """Write the consensus of the runs of every group, and that of all groups, for each task.

    ``task["tasks"]`` is a list of {item, method, top, groups: {name: setting}}; ``settings`` has
    the blocks and runs of each setting, and whether a larger criterion is better.
    """
    import numpy as np

    from recoco.core.files import write_json
    from recoco.datasets.dataset import load_prepared
    from recoco.runs.scoring import best_runs

    dataset, settings = load_prepared(Path(inputs["data"][0])), task["settings"]
    rows = []
    for one in task["tasks"]:
        names = {key: one[key] for key in ("item", "method")}
        fused = {}
        for group, name in one["groups"].items():
            if name not in settings:
                continue
            labels = best_runs(*settings[name], one["top"])
            if labels is None:
                continue
            row, fused[group] = _consensus(labels, dataset)
            rows.append({**names, "level": group, **row})
        if len(fused) > 1:
            row, _ = _consensus(np.array(list(fused.values())), dataset)
            rows.append({**names, "level": "across", **row})
    write_json(out, rows)


def _consensus(labels, dataset) -> tuple:
    """Return the scores of the consensus of partitions and of its inputs, and its labels."""
    import numpy as np

    from recoco.consensus.graphs import graph_consensus
    from recoco.metrics import score_partitions

    inputs = score_partitions(dataset.labels, labels)
    try:
        fused = graph_consensus(labels, dataset.n_classes)
    except RecocoError as error:
        # such as runs that all ended in one cluster: there is nothing to cut
        row = {"function": "", "error": str(error)}
        best = labels[0]
    else:
        row = {"function": fused.method, "error": "", "agreement": fused.agreement[fused.method]}
        best = fused.labels
    scores = score_partitions(dataset.labels, np.asarray(best)[None, :])
    return row | {
        "partitions": len(labels),
        "nmi": float(scores["nmi"][0]),
        "acc": float(scores["acc"][0]),
        "first_nmi": float(inputs["nmi"][0]),
        "mean_nmi": float(inputs["nmi"].mean()),
    }, np.asarray(best)


KIND = Ensembles()
