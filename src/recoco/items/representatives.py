"""Representatives: features that stand for the clusters of the best run."""

from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.items.clusters import KIND as CLUSTERS
from recoco.items.kind import Analysis, Kind, analysis_path, part_of
from recoco.items.properties import DATASETS, METHOD, VARIANTS, WEIGHTINGS, top
from recoco.plan import import_path


class Representatives(Kind):
    name = "representatives"
    about = "Features that stand for the clusters of the best run of a method."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "variants": VARIANTS,
        "top": top("Features shown per cluster.", 30),
    }
    required = ("datasets", "weightings", "method")
    tables = {
        "representatives": [
            *("item", "dataset", "card", "variant", "method", "run", "criterion", "row_clusters"),
            *("view", "place", "features", "mass", "empty_clusters", "words", "losses"),
        ],
    }
    steps = {"representatives": "Rank the features of every cluster."}

    def described(self, config, item):
        return CLUSTERS.described(config, item)

    def analyses(self, plan, paper):
        needed: dict = {}
        for _, item in plan.items(paper, self.name):
            for setting, _ in self.described(plan.config, item):
                if setting.name in plan.settings:
                    needed[setting] = max(item["top"], needed.get(setting, 0))
        for setting, most in sorted(needed.items()):
            yield Analysis(
                *(paper, "representatives", part_of(setting, ".json"), write_representatives),
                {"data": [plan.data(setting.dataset)], "blocks": plan.blocks(setting.name)},
                {
                    "import_path": import_path(plan.config, setting.method),
                    "runs": plan.runs(setting.name),
                    "weighting": setting.weighting,
                    "top": most,
                },
                dataset=setting.dataset,
            )

    def rows(self, comparison, name, item):
        return {"representatives": compare_representatives(comparison, name, item)}

    def table(self, material, paper, name):
        """Return the features that stand for each cluster, the heaviest cluster of a view first."""
        from recoco.report import formats, tables

        rows = paper.rows_of("representatives", name)
        if not rows:
            return None
        columns = tables.text_columns("Dataset")
        columns += tables.number_columns("View", "Cluster", "Features", "% of entries")
        columns.append(
            tables.Column(("Features, the most typical first",), numeric=False, wrap=True)
        )
        lines, notes = [], {}
        for row in rows:
            numbers = [formats.whole(row[key]) for key in ("view", "place", "features")]
            share = formats.number(100 * formats.as_float(row["mass"]), 1)
            lines.append(tables.entries(row["dataset"], *numbers, share, row["words"]))
            note = (
                f"{row['dataset']}: run {formats.whole(row['run'])}, which has the best criterion, "
                f"{formats.number(row['criterion'], 4)}, and "
                f"{formats.whole(row['row_clusters'])} row clusters."
            )
            notes[note] = None
        return tables.table_of(
            paper, name, columns, lines, [*notes, *tables.no_data(paper.items[name], rows)]
        )


def compare_representatives(comparison, name: str, item: dict) -> list[dict]:
    """Return a row per cluster of features, the heaviest of each view first."""
    from recoco.core.files import read_json

    rows = []
    for setting, details in KIND.described(comparison.config, item):
        path = analysis_path(comparison.key, "representatives", part_of(setting, ".json"))
        if path not in comparison.analyses:
            continue
        best = read_json(path)
        same = {"item": name, **details, "method": item["method"]}
        same |= {key: best[key] for key in ("run", "criterion", "row_clusters")}
        places: dict[int, int] = {}
        for cluster in best["clusters"]:
            view = cluster["view"]
            places[view] = places.get(view, 0) + 1
            rows.append(
                {
                    **same,
                    "place": places[view],
                    **{key: cluster[key] for key in ("view", "features", "mass")},
                    "empty_clusters": best["empty_clusters"][view - 1],
                    "words": " ".join(cluster["names"][: item["top"]]),
                    "losses": " ".join(f"{v:.3g}" for v in cluster["losses"]),
                }
            )
    return rows


def write_representatives(inputs: dict, task: dict, out: Path) -> None:
    """Rank the features of every cluster of the run with the best criterion.

    As in Section 5.3.4 of the CoStar paper, a feature represents its cluster better the more
    tau_Yk|X falls when it is moved to another one. Clusters of empty features are only counted.
    """
    import numpy as np

    from recoco.core.files import write_json
    from recoco.core.imports import load_class
    from recoco.datasets.dataset import load_prepared
    from recoco.datasets.weighting import weight
    from recoco.metrics.tau import feature_losses
    from recoco.runs.scoring import best_run, read_setting

    dataset = load_prepared(Path(inputs["data"][0]))
    runs = read_setting(inputs["blocks"], task["runs"])
    if "column_labels" not in runs.arrays:
        why = next((error for error in runs.errors if error), "none")
        raise RecocoError(f"{task['import_path']} has no clusters of features: {why}.")
    best = best_run(runs, load_class(task["import_path"]).larger_is_better)
    rows, columns = best["row_labels"], best["column_labels"]
    clusters, empty, start = [], [], 0
    for number, (X, terms) in enumerate(zip(dataset.views, dataset.terms, strict=True), 1):
        view = weight(X, task["weighting"])
        labels = columns[start : start + view.shape[1]]
        start += view.shape[1]
        mass = np.asarray(view.sum(axis=0)).ravel()
        losses = feature_losses(view, rows, labels)
        filled = [k for k in np.unique(labels) if mass[labels == k].sum() > 0]
        empty.append(len(np.unique(labels)) - len(filled))
        for k in sorted(filled, key=lambda k: -mass[labels == k].sum()):
            members = np.flatnonzero((labels == k) & (mass > 0))
            first = members[np.argsort(-losses[members], kind="stable")][: task["top"]]
            clusters.append(
                {
                    "view": number,
                    "features": len(members),
                    "mass": float(mass[members].sum() / mass.sum()),
                    "names": [terms[j] if terms is not None else f"feature {j}" for j in first],
                    "losses": [float(losses[j]) for j in first],
                }
            )
    write_json(
        out,
        {
            "run": int(best["run"]),
            "criterion": float(best["criterion"]),
            "row_clusters": len(np.unique(rows)),
            "empty_clusters": empty,
            "clusters": clusters,
        },
    )


KIND = Representatives()
