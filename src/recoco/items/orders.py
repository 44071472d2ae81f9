"""Orders: the number of clusters by the ICL of the best run."""

import json

from recoco.items.kind import Kind, plain_settings
from recoco.items.properties import DATASETS, METHOD, VALUES, WEIGHTINGS
from recoco.plan import classes_of, with_params


class Orders(Kind):
    name = "orders"
    about = "The number of clusters that the ICL of the best run chooses."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "values": {**VALUES, "description": "Numbers of clusters that are tried."},
    }
    required = ("datasets", "weightings", "method", "values")
    tables = {
        "orders": [
            *("item", "dataset", "card", "method", "n_clusters", "icl", "chosen", "classes"),
            *("filled", "nmi", "acc", "n_runs"),
        ],
    }

    def described(self, config, item):
        for plain, names in plain_settings(item):
            for number in item["values"]:
                # all other items run with the number of classes, which is the default
                params = {} if number == classes_of(plain.dataset) else {"n_clusters": number}
                yield with_params(config, plain, params), {**names, "n_clusters": number}

    def rows(self, comparison, name, item):
        return {"orders": compare_orders(name, comparison.table(item))}

    def table(self, material, paper, name):
        """Return ICL and scores by number of clusters; the chosen and true ones are marked."""
        from recoco.report import formats, tables

        rows = paper.rows_of("orders", name)
        if not rows:
            return None
        columns = tables.text_columns("Dataset")
        columns += tables.number_columns("Clusters", "ICL", "Filled", "NMI", "ACC", "Runs")
        columns += tables.text_columns("Remark")
        lines = []
        for row in rows:
            remarks = ["chosen"] if formats.as_bool(row["chosen"]) else []
            if formats.as_float(row["classes"]) == formats.as_float(row["n_clusters"]):
                remarks.append("number of classes")
            lines.append(
                tables.entries(
                    row["dataset"],
                    formats.whole(row["n_clusters"]),
                    formats.number(row["icl"], 1),
                    formats.whole(row["filled"]),
                    formats.number(row["nmi"], 3),
                    formats.number(row["acc"], 3),
                    formats.whole(row["n_runs"]),
                    ", ".join(remarks),
                )
            )
        notes = tables.graph_notes(paper.items[name], rows)
        return tables.table_of(paper, name, columns, lines, notes)


def compare_orders(name: str, table) -> list[dict]:
    """Return the ICL of the best run for every number of clusters; the largest is chosen."""
    rows = []
    for setting, details in KIND.described(table.config, table.item):
        if table.stopped(setting):
            continue
        runs = table.runs(setting).dropna(subset=["criterion"])
        best = runs.loc[runs["criterion"].idxmax()]
        rows.append(
            {
                "item": name,
                **details,
                "method": table.item["method"],
                "icl": json.loads(best["details"])["icl"],
                "nmi": best["nmi"],
                "acc": best["acc"],
                "filled": int(best["n_clusters"]),
                "classes": table.records[setting.dataset]["classes"],
                "n_runs": len(runs),
            }
        )
    largest = {row["dataset"]: row["icl"] for row in sorted(rows, key=lambda row: row["icl"])}
    return [row | {"chosen": row["icl"] == largest[row["dataset"]]} for row in rows]


KIND = Orders()
