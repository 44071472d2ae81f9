"""Densities: how full the word-by-word matrix is under every way of counting pairs."""

from pathlib import Path

from recoco.items.kind import Analysis, Kind, analysis_path
from recoco.items.properties import DATASETS

_PRINTED = "nz_m_percent"
_COUNTS = {
    "binary": "documents with both words",
    "min": "smaller of the two entries",
    "product": "product of the entries",
    "tfidf": "product of the TF-IDF entries",
}


class Densities(Kind):
    name = "densities"
    about = "How full the word-by-word matrix of a dataset is under every way to count."
    schema = {
        "datasets": DATASETS,
        "shifts": {
            "description": "The N of the shifted PMI for which densities are measured.",
            "type": "array",
            "minItems": 1,
            "items": {"type": "number", "exclusiveMinimum": 0},
        },
    }
    required = ("datasets", "shifts")
    tables = {
        "densities": [
            *("item", "dataset", "card", "count", "diagonal", "shift", "printed", "measured"),
            "agrees",
        ],
    }
    steps = {"densities": "Measure how full word matrices are."}

    def analyses(self, plan, paper):
        items = [item for _, item in plan.items(paper, self.name)]
        for card in sorted({card for item in items for card in item["datasets"].values()}):
            of_card = [item for item in items if card in item["datasets"].values()]
            data = plan.data(card)
            if data:
                shifts = sorted({shift for item in of_card for shift in item["shifts"]})
                yield Analysis(
                    *(paper, "densities", f"{card}.json", write_densities),
                    {"data": [data]},
                    {"shifts": shifts},
                    dataset=card,
                )

    def rows(self, comparison, name, item):
        from recoco.core.files import read_json
        from recoco.items.characteristics import agrees

        rows = []
        for dataset, card in item["datasets"].items():
            path = analysis_path(comparison.key, "densities", f"{card}.json")
            if path not in comparison.analyses:
                continue
            characteristics = comparison.records[card].get("printed", {}).get(comparison.key, {})
            printed = str(characteristics.get(_PRINTED) or "")
            for density in read_json(path):
                agreed = agrees(printed, density["measured"]) if printed else None
                names = {"item": name, "dataset": dataset, "card": card}
                rows.append({**names, **density, "printed": printed, "agrees": agreed})
        return {"densities": rows}

    def table(self, material, paper, name):
        """Return a row per dataset and way of counting, a column per shift; agreement is marked."""
        from recoco.report import formats, tables

        rows = paper.rows_of("densities", name)
        if not rows:
            return None
        shifts = sorted({row["shift"] for row in rows}, key=formats.as_float)
        heads = [f"N = {formats.as_float(shift):g}" for shift in shifts]
        columns = tables.text_columns("Dataset", "Counted", "Diagonal")
        columns += tables.number_columns("printed", *heads, under="% non-zero")
        lines = []
        placed = tables.pivot(rows, ("dataset", "count", "diagonal", "printed"), "shift")
        for (dataset, count, diagonal, printed), by_shift in placed.items():
            kept = "kept" if formats.as_bool(diagonal) else "left out"
            texts = (dataset, _COUNTS.get(count, count), kept, printed or formats.NOTHING)
            lines.append(
                [*tables.entries(*texts), *(_entry(by_shift.get(shift)) for shift in shifts)]
            )
        return tables.table_of(paper, name, columns, lines, tables.no_data(paper.items[name], rows))


def write_densities(inputs: dict, task: dict, out: Path) -> None:
    """Measure how full the word matrix is under every way of counting, in percent.

    A larger shift only removes entries, so one matrix is enough for all shifts.
    """
    import numpy as np

    from recoco.core.files import write_json
    from recoco.datasets.dataset import load_prepared
    from recoco.datasets.weighting import weight
    from recoco.metrics.cooccurrence import COUNTS, sppmi

    X = load_prepared(Path(inputs["data"][0])).X
    weighted = weight(X, "tfidf-l2")
    cells = X.shape[1] ** 2
    least = min(task["shifts"])
    rows = []
    for count in COUNTS:
        for diagonal in (True, False):
            counted = weighted if count == "tfidf" else X
            values = sppmi(counted, count, least, diagonal).data
            for shift in task["shifts"]:
                kept = np.count_nonzero(values > np.log(shift / least))
                density = {"shift": shift, "measured": 100 * kept / cells}
                rows.append({"count": count, "diagonal": diagonal, **density})
    write_json(out, rows)


def _entry(row: dict | None):
    from recoco.report import formats
    from recoco.report.tables import Entry

    if row is None:
        return Entry()
    digits = formats.decimals(row["printed"]) or 2
    text = formats.number(row["measured"], digits)
    agrees = bool(row["printed"]) and formats.as_bool(row["agrees"])
    return Entry(text, "agrees", "=") if agrees else Entry(text)


KIND = Densities()
