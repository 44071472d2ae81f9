"""Topics: clusters of the best run and features of a view on common axes."""

from pathlib import Path

from recoco.items.kind import Kind, analyses_by_card, analysis_rows, plain_settings
from recoco.items.properties import DATASETS, METHOD, WEIGHTINGS, top


class Topics(Kind):
    name = "topics"
    about = "Clusters of the best run and features of a view on two axes."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "view": {
            "description": "Number of the view whose features are shown.",
            "type": "integer",
            "minimum": 1,
            "default": 1,
        },
        "top": top("Features shown.", 30),
    }
    required = ("datasets", "weightings", "method")
    figures = ("recoco.items.topics.report",)
    tables = {
        "topics": [
            *("item", "dataset", "card", "part", "topic", "name", "x", "y", "value", "inertia"),
        ],
    }
    steps = {"topics": "Show what clusters say of features."}

    def described(self, config, item):
        return plain_settings(item)

    def analyses(self, plan, paper):
        tasks: dict[str, list[dict]] = {}
        for name, item in plan.items(paper, self.name):
            for setting, details in plain_settings(item):
                if setting.name in plan.settings:
                    shown = {key: item[key] for key in ("view", "top")}
                    task = {"item": name, "setting": setting.name, **shown}
                    tasks.setdefault(details["card"], []).append(task)
        used = {card: [task["setting"] for task in of_card] for card, of_card in tasks.items()}
        yield from analyses_by_card(plan, paper, "topics", write_topics, tasks, used)

    def rows(self, comparison, name, item):
        rows = analysis_rows(comparison, "topics", item["datasets"], name)
        for row in rows:
            row["inertia"] = " ".join(f"{share:.6g}" for share in row["inertia"])
        return {"topics": rows}

    def table(self, material, paper, name):
        from recoco.items.topics.report import topics_table

        return topics_table(material, paper, name)


def write_topics(inputs: dict, task: dict, out: Path) -> None:
    """Write topics and features on the first two axes of a correspondence analysis.

    Topics are the clusters of the run with the best criterion. The table counts the objects of
    each topic that have each feature. Only the features that contribute most to the two axes are
    written, with the share of each topic's objects that have them.
    """
    from recoco.core.files import write_json
    from recoco.datasets.dataset import load_prepared
    from recoco.runs.scoring import best_runs

    dataset = load_prepared(Path(inputs["data"][0]))
    rows = []
    for one in task["tasks"]:
        labels = best_runs(*task["settings"][one["setting"]], 1)
        if labels is not None:
            rows += [{"item": one["item"]} | row for row in _topics(dataset, labels[0], one)]
    write_json(out, rows)


def _topics(dataset, labels, task: dict):
    import numpy as np

    from recoco.items.topics.correspondence import correspondence_analysis

    view, terms = dataset.views[task["view"] - 1], dataset.terms[task["view"] - 1]
    topics, sizes = np.unique(labels, return_counts=True)
    table = np.stack([np.asarray((view[labels == t] > 0).sum(axis=0)).ravel() for t in topics])
    used = np.flatnonzero(table.sum(axis=0))
    axes = correspondence_analysis(table[:, used])
    names = [_name(dataset, labels == t) for t in topics]
    shares = axes.inertia.tolist()
    for k, name in enumerate(names):
        x, y = _pair(axes.rows[k])
        yield {"part": "topic", "topic": k + 1, "name": name, "x": x, "y": y} | {
            "value": int(sizes[k]),
            "inertia": shares,
        }
    # contributions of a feature to the axes, weighted by their shares of the inertia
    contribution = axes.contributions @ axes.inertia / axes.inertia.sum()
    order = np.argsort(-contribution, kind="stable")[: task["top"]]
    for j in order:
        column = used[j]
        name = terms[column] if terms else f"feature {column + 1}"
        x, y = _pair(axes.columns[j])
        yield {"part": "term", "topic": None, "name": name, "x": x, "y": y} | {
            "value": float(contribution[j]),
            "inertia": shares,
        }
        for k in range(len(topics)):
            yield {"part": "count", "topic": k + 1, "name": name, "x": None, "y": None} | {
                "value": float(table[k, column] / sizes[k]),
                "inertia": shares,
            }


def _pair(point) -> tuple[float, float]:
    """Return two coordinates; with two topics there is only one axis."""
    return float(point[0]), float(point[1]) if len(point) > 1 else 0.0


def _name(dataset, members) -> str:
    """Return the most frequent class of a topic and its share."""
    import numpy as np

    counts = np.bincount(dataset.labels[members], minlength=dataset.n_classes)
    return f"{dataset.class_names[counts.argmax()]} ({100 * counts.max() / counts.sum():.0f} %)"


KIND = Topics()
