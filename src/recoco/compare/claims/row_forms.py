"""Forms of claims about the rows of other items: curves, factors of words, numbers of clusters."""

from collections import defaultdict

from recoco.compare.claims.registry import form, grade, grade_readings
from recoco.compare.claims.score_forms import notes


def curves_of(table, parameter: str) -> dict[tuple[str, str, str], dict[float, float]]:
    """Return the curves along a parameter: (item, dataset, metric) -> {value: score}."""
    curves: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
    for row in table.frames.get("sweeps", []):
        if row["parameter"] == parameter:
            key = row["item"], row["dataset"], row["metric"]
            curves[key][float(row["value"])] = row["measured"]
    return curves


def pairs_of(rows: list[dict], value: str, first: str, second: str, by=("dataset",)) -> list[tuple]:
    """Return (keys, value of first, value of second) wherever both methods have one."""
    values = {(tuple(row[key] for key in by), row["method"]): row.get(value) for row in rows}
    return [
        (keys, values[keys, first], values[keys, second])
        for keys, method in values
        if method == first and values.get((keys, second)) is not None
    ]


def as_printed_pairs(table, metric: str, other: str) -> dict[str, tuple[float, float]]:
    """Return two measured figures of each dataset, in the printed reading of their cells."""
    figures: dict[str, dict[str, float]] = defaultdict(dict)
    for cell in table.frames.get("cells", []):
        if cell["metric"] in (metric, other) and cell.get("as_printed") is not None:
            figures[cell["dataset"]][cell["metric"]] = cell["as_printed"]
    return {d: (v[metric], v[other]) for d, v in figures.items() if len(v) == 2}


def _fields_of_rows(options: dict) -> dict[str, set[str]]:
    return {
        "evidence": {"first", "second", "above", "total", "shown"},
        "show": {*options["by"], "one", "other"},
    }


@form("rows_above", once=True, fields=_fields_of_rows)
def rows_above(table, _, options):
    """One method is above another in the rows of an output of compare."""
    first, second = options["order"]
    rows = table.frames.get(options["output"], [])
    pairs = pairs_of(rows, options["value"], first, second, options["by"])
    if not pairs:
        return "open", options["open"]
    higher = sum(one > other for _, one, other in pairs)
    shown = "; ".join(
        options["show"].format(one=one, other=other, **dict(zip(options["by"], keys, strict=True)))
        for keys, one, other in pairs
    )
    return grade(higher / len(pairs)), options["evidence"].format(
        first=first, second=second, above=higher, total=len(pairs), shown=shown
    )


_OF_CURVES = {"evidence": {"near", "total", "within", "lost", "dataset", "metric"}}


@form("near_best_of_curve", once=True, fields=lambda options: _OF_CURVES)
def near_best_of_curve(table, _, options):
    """At one value of a parameter the score is as good as the best along the curve."""
    at = options["value"]
    curves = {
        key: curve
        for key, curve in curves_of(table, options["parameter"]).items()
        if key[2] in options["metrics"] and at in curve and len(curve) > 1
    }
    if not curves:
        return "open", options["open"]
    lost = {key: max(curve.values()) - curve[at] for key, curve in curves.items()}
    near = sum(value <= options["within"] for value in lost.values())
    (_, dataset, metric), most = max(lost.items(), key=lambda pair: pair[1])
    return grade(near / len(curves)), options["evidence"].format(
        near=near,
        total=len(curves),
        within=options["within"],
        lost=most,
        dataset=dataset,
        metric=metric.removesuffix("_arithmetic").upper(),
    )


_OF_CLOSE = {"evidence": {"near", "total", "shown"}, "show": {"dataset", "one", "other"}}


@form("close", once=True, fields=lambda options: _OF_CLOSE)
def close(table, _, options):
    """Two printed metrics of a dataset are near each other: within a share of the second."""
    pairs = as_printed_pairs(table, options["metric"], options["to"])
    if not pairs:
        return "open", options["open"]
    near = sum(abs(one - other) <= options["within"] * other for one, other in pairs.values())
    shown = "; ".join(
        options["show"].format(dataset=dataset, one=one, other=other)
        for dataset, (one, other) in pairs.items()
    )
    text = options["evidence"].format(near=near, total=len(pairs), shown=shown)
    return grade(near / len(pairs)), text + notes(options, table)


@form("most_frequent_number", once=True)
def most_frequent_number(table, _, options):
    """A method that chooses its number of clusters most often finds the number expected."""
    expected = options["expected"]
    rows = [row for row in table.frames.get("clusters", []) if row["side"] == "rows"]
    if not rows:
        return "open", options["open"]
    parts, shares = [], []
    for variant in dict.fromkeys(row["variant"] for row in rows):
        here = [row for row in rows if row["variant"] == variant and row["dataset"] in expected]
        right = [row for row in here if row["mode"] == expected[row["dataset"]]]
        shares.append(len(right) / len(here) if here else 0.0)
        shown = ", ".join(f"{r['dataset']} {r['mode']} ({expected[r['dataset']]})" for r in here)
        parts.append(
            f"{variant}: the most frequent number is that of the paper on {len(right)} of "
            f"{len(here)} ({shown})"
        )
    return grade_readings(shares), "; ".join(parts) + "; the number of the paper is in brackets"
