"""Ranks: mean ranks of methods and the tests between them."""

from recoco.core.errors import RecocoError
from recoco.items.kind import Kind
from recoco.items.properties import ALPHA, LEVEL, METRICS, OF


class Ranks(Kind):
    name = "ranks"
    about = "Mean ranks of the methods of a table of scores, and the tests between them."
    schema = {
        "of": OF,
        "metrics": METRICS,
        "alpha": ALPHA,
        "level": {**LEVEL, "description": "Level of the test of all methods together."},
        "favour": {
            "description": "Printed method for which ties of printed scores are also decided.",
            "type": "string",
            "default": "",
        },
    }
    required = ("of", "metrics")
    figures = ("recoco.items.ranks.figures",)
    tables = {
        "ranks": [
            *("item", "source", "combination", "metric", "method", "mean_rank", "cd"),
            *("n_datasets", "datasets"),
        ],
        "tests": [
            *("item", "source", "combination", "metric", "n_datasets", "test", "first", "second"),
            *("value", "critical", "p", "differs", "note"),
        ],
    }

    def check(self, items, name, where):
        of, names = items[name]["of"], list(items)
        if items[of]["kind"] != "scores" or names.index(of) > names.index(name):
            raise RecocoError(
                f"{where}: 'of' names {of!r}, which is not an item of kind scores before it: "
                "name one that is."
            )

    def compare(self, comparison, name, item, printed):
        from recoco.compare.answers import agrees
        from recoco.compare.comparison import cell_of
        from recoco.items.ranks.compare import (
            PRINTED,
            answer_ranks,
            compare_ranks,
            printed_scores,
            sources_of,
        )

        paper = comparison.config.papers[comparison.key]
        scores = printed_scores(paper, comparison.printed)
        sources = sources_of(item, comparison.score_tables[item["of"]], scores)
        comparison.add(compare_ranks(name, item, sources))
        source = {"combination": PRINTED, "combination_text": "from the printed scores"}
        cells = []
        for row, verdict, answer, reason, values in answer_ranks(printed, item, sources):
            cells.append({**cell_of(row, name, "", verdict, answer, reason), **source})
            comparison.tables["measures"] += [
                {"cell": row.cell, "combination": key, "measured": value, "status": "ok"}
                | {"within": agrees(value, row.value)}
                for key, value in values.items()
            ]
        return cells

    def table(self, material, paper, name):
        from recoco.items.ranks.table import ranks_table

        return ranks_table(material, paper, name)


KIND = Ranks()
