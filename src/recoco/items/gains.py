"""Gains: how far one method is above the others of a table, on average."""

from statistics import fmean

from recoco.items.kind import Kind
from recoco.items.properties import OF, OVER

SUFFIX = "_mean_gain"


class Gains(Kind):
    name = "gains"
    about = "Mean gains of one method over the others of a table of scores."
    schema = {"of": OF, "over": OVER}
    required = ("of", "over")
    tables = {"gains": ["item", "dataset", "method", "metric", "printed", "measured"]}

    def compare(self, comparison, name, item, printed):
        from recoco.compare.comparison import cell_of

        rows = gain_rows(name, item["over"], item["of"], comparison.tables["cells"])
        comparison.add({"gains": rows})
        floor = comparison.config.settings["verdicts"]["tolerance"]
        return [cell_of(row, name, "", *rest) for row, *rest in answer_gains(printed, rows, floor)]

    def table(self, material, paper, name):
        """Return the gains over each other method, printed beside measured, below their means."""
        from recoco.report import formats
        from recoco.report.tables import entries, number_columns, pivot, table_of, text_columns

        rows = paper.rows_of("gains", name)
        if not rows:
            return None
        metrics = list(dict.fromkeys(row["metric"] for row in rows))
        columns = text_columns("Dataset", f"{paper.items[name]['over']} minus")
        for metric in metrics:
            columns += number_columns("printed", "measured", under=formats.metric_name(metric))
        lines = _mean_lines(material, paper, name, metrics, rows)
        for names, by_metric in pivot(rows, ("dataset", "method"), "metric").items():
            gains = [by_metric.get(metric, {}) for metric in metrics]
            places = {"printed": 2, "measured": 3}
            texts = [_signed(gain.get(side), n) for gain in gains for side, n in places.items()]
            lines.append(entries(*names, *texts))
        return table_of(paper, name, columns, lines)


def gain_rows(name: str, over: str, of: str, cells: list[dict]) -> list[dict]:
    """Return a row per (dataset, other method, metric) of the cells of a table.

    Parameters
    ----------
    over : the method whose gains they are
    of : the table
    cells : rows of cells.csv with ``as_printed``, the number measured in the printed reading
    """
    by_place = {
        (c["dataset"], c["metric"], c["method"]): c
        for c in cells
        if c["item"] == of and not str(c["metric"]).startswith("pvalue")
    }
    rows = []
    for (dataset, metric, method), other in by_place.items():
        ours = by_place.get((dataset, metric, over))
        if method == over or ours is None:
            continue
        measured = [ours["as_printed"], other["as_printed"]]
        rows.append(
            {
                "item": name,
                "dataset": dataset,
                "method": method,
                "metric": metric,
                "printed": float(ours["printed"]) - float(other["printed"]),
                "measured": None if None in measured else measured[0] - measured[1],
            }
        )
    return rows


def mean_gains(rows: list[dict], metric: str) -> dict:
    """Return the mean gains in a metric: printed, printed where measured, measured."""
    of_metric = [row for row in rows if row["metric"] == metric]
    both = [row for row in of_metric if row["measured"] is not None]
    return {
        "printed": _mean(of_metric, "printed"),
        "printed_there": _mean(both, "printed"),
        "measured": _mean(both, "measured"),
        "datasets": len({row["dataset"] for row in of_metric}),
        "datasets_there": len({row["dataset"] for row in both}),
    }


def _mean(rows: list[dict], column: str) -> float | None:
    return fmean(row[column] for row in rows) if rows else None


def answer_gains(rows, gains: list[dict], floor: float):
    """Yield (printed row, verdict, answer, reason) of printed mean gains.

    A mean over other datasets than the printed ones is a variant, whatever its value.
    """
    from recoco.compare.answers import Answer, exact_answer

    for row in rows.itertuples():
        means = mean_gains(gains, row.metric.removesuffix(SUFFIX))
        if means["measured"] is None:
            why = "no dataset of the table is available"
            yield row, "unreachable", Answer("unreachable", why=why), why
            continue
        value = means["measured"]
        why = (
            f"{value:.3f} measured over {means['datasets_there']} of {means['datasets']} datasets, "
            f"where the table prints {means['printed_there']:.3f}; over all its printed cells the "
            f"mean is {means['printed']:.4f}, the text says {row.value}"
        )
        answer = exact_answer(value, row.value, why, tolerance=floor)
        some = means["datasets_there"] < means["datasets"]
        yield row, "variant" if some else answer.outcome, answer, why


def _mean_lines(material, paper, name: str, metrics: list[str], rows: list[dict]) -> list[list]:
    from recoco.report.tables import entries, pair_entries

    cells = {cell.metric.removesuffix(SUFFIX): cell for cell in material.cells_of(paper.key, name)}
    numbers = [
        row
        | {"printed": float(row["printed"])}
        | {"measured": float(row["measured"]) if row["measured"] else None}
        for row in rows
    ]
    stated = entries("all", "mean, as the text says")
    of_all = entries("all", "mean of the cells")
    of_some = entries("available", "mean of the cells")
    for metric in metrics:
        means = mean_gains(numbers, metric)
        stated += pair_entries(cells.get(metric))
        of_all += entries(_signed(means["printed"], 4), "")
        of_some += entries(*(_signed(means[key], 4) for key in ("printed_there", "measured")))
    return [stated, of_all, of_some]


def _signed(value, places: int) -> str:
    from recoco.report import formats

    number = formats.as_float(value)
    return f"{number:+.{places}f}" if number == number else formats.NOTHING


KIND = Gains()
