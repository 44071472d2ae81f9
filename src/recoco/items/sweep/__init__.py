"""Sweep: scores along the values of one parameter of one method."""

from recoco.items.kind import Kind, plain_settings
from recoco.items.properties import DATASETS, METHOD, METRICS, PARAMS, VALUES, WEIGHTINGS


class Sweep(Kind):
    name = "sweep"
    about = "Scores along the values of one parameter of one method."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "parameter": {"description": "The parameter that is varied.", "type": "string"},
        "values": VALUES,
        "params": PARAMS,
        "inside": {
            "description": (
                "Where the runs of one setting hold all values: the name under which they keep "
                "other partitions, or arrays, along the values. The value 0 is the result itself."
            ),
            "type": "string",
            "default": "",
        },
        "metrics": METRICS,
    }
    required = ("datasets", "weightings", "method", "parameter", "values", "metrics")
    figures = ("recoco.items.sweep.report", "recoco.items.figure.ensembles")
    tables = {
        "sweeps": [
            *("item", "dataset", "card", "weighting", "method", "parameter", "value"),
            *("metric", "measured", "measured_sd", "n_runs"),
        ],
    }
    drawing = "parameter_curves"

    def described(self, config, item):
        from recoco.plan import classes_of, with_params

        for plain, names in plain_settings(item):
            g = classes_of(plain.dataset)
            for value in item["values"]:
                if item["inside"]:  # the runs of one setting hold all values
                    yield with_params(config, plain, item["params"]), {**names, "value": value}
                    continue
                if item["parameter"] == "n_column_clusters" and value is not None and value <= g:
                    continue  # the curve starts at the number of classes
                varied = {} if value is None else {item["parameter"]: value}
                setting = with_params(config, plain, {**item["params"], **varied})
                yield setting, {**names, "value": g if value is None else value}

    def rows(self, comparison, name, item):
        return {"sweeps": compare_sweep(name, comparison.table(item))}

    def table(self, material, paper, name):
        from recoco.items.sweep.report import sweep_table

        return sweep_table(material, paper, name)


def compare_sweep(name: str, table) -> list[dict]:
    """Return the scores along the values of one parameter."""
    from recoco.compare.details import column_of

    item, rows = table.item, []
    same = {"item": name, "weighting": next(iter(item["weightings"]))}
    same |= {key: item[key] for key in ("method", "parameter")}
    for setting, details in KIND.described(table.config, item):
        if table.stopped(setting):
            continue
        for metric in item["metrics"]:
            column = _column(item["inside"], details["value"], metric)
            if column and column_of(table.runs(setting), column).notna().any():
                scores = table.measured(setting, column)
                rows.append({**same, **details, "metric": metric, **scores})
    return rows


def _column(inside: str, value, metric: str) -> str:
    """Return the column of a metric at a value of the parameter; "" if the runs have none."""
    if not inside:
        return metric
    if metric.startswith(f"{inside}_"):  # an array along the values
        return f"{metric}={value}" if value else ""
    return f"{metric}@{inside}={value}" if value else metric


KIND = Sweep()
