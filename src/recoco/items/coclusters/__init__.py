"""Co-clusters: the matrix ordered by them, their classes, their words."""

from pathlib import Path

from recoco.items.kind import Analysis, Kind, analysis_path, part_of, plain_settings
from recoco.items.properties import CORPORA, DATASETS, METHOD, PARAMS, WEIGHTINGS, top
from recoco.items.words import count_pairs
from recoco.plan import Setting, classes_of, import_path, runs_of, with_params


class CoClusters(Kind):
    name = "coclusters"
    about = "A look into the co-clusters of a method: the ordered matrix, classes and words."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method": METHOD,
        "params": PARAMS,
        "fewer": {
            "description": "Co-clusters are also shown for so many numbers below that of classes.",
            "type": "integer",
            "minimum": 0,
            "default": 0,
        },
        "params_fewer": {
            "description": "Parameters that change where fewer co-clusters are asked for.",
            "type": "object",
            "default": {},
        },
        "top": top("Words looked at per co-cluster.", 30),
        "corpora": {**CORPORA, "default": []},
        "neighbours": {
            "description": "Nearest words of a word, over which NPMI is averaged.",
            "type": "integer",
            "minimum": 1,
            "default": 5,
        },
    }
    required = ("datasets", "weightings", "method")
    figures = ("recoco.items.coclusters.report",)
    tables = {
        "coclusters": [
            *("item", "dataset", "card", "method", "asked", "run", "cluster", "documents"),
            *("words", "class", "of_class"),
        ],
        "neighbours": [
            *("item", "dataset", "card", "method", "asked", "run", "cluster", "place", "word"),
            *("npmi", "frequency", "corpus"),
        ],
        "pictures": [
            *("item", "dataset", "card", "method", "asked", "run", "rows", "columns"),
            *("row_borders", "column_borders", "height", "width", "pixels"),
        ],
    }
    steps = {
        "coclusters": "Look into some co-clusters.",
        "neighbours": "Count pairs of their words in texts.",
    }

    def described(self, config, item):
        """Yield as many co-clusters as classes, then fewer."""
        for plain, names in plain_settings(item):
            g = classes_of(plain.dataset)
            for number in [g, *(g - k for k in range(1, item["fewer"] + 1) if g - k > 1)]:
                fewer = {} if number == g else {"n_clusters": number, **item["params_fewer"]}
                setting = with_params(config, plain, {**item["params"], **fewer})
                yield setting, {**names, "asked": number}

    def analyses(self, plan, paper):
        from recoco.items.coclusters.stage import write_coclusters

        config, needed = plan.config, {}
        items = [item for _, item in plan.items(paper, self.name)]
        for item in items:
            runs = runs_of(config, config.papers[paper], item)
            for setting, _ in self.described(config, item):
                if setting.name in plan.settings:
                    needed[setting] = max(runs, needed.get(setting, 0))
        most = max((item["top"] for item in items), default=0)
        for setting, runs in sorted(needed.items(), key=lambda pair: pair[0].name):
            yield Analysis(
                *(paper, "coclusters", part_of(setting, ".npz"), write_coclusters),
                {"data": [plan.data(setting.dataset)], "blocks": plan.blocks(setting.name)},
                {
                    "import_path": import_path(config, setting.method),
                    "runs": min(runs, plan.runs(setting.name)),
                    "top": most,
                },
                dataset=setting.dataset,
            )
        for card in sorted({setting.dataset for setting in needed}):
            words = [str(coclusters_path(paper, s)) for s in needed if s.dataset == card]
            counting = count_pairs(config, paper, "neighbours", card, items, sorted(words))
            if counting.task["corpora"]:
                yield counting

    def compare(self, comparison, name, item, printed):
        from recoco.compare.comparison import cell_of
        from recoco.items.coclusters.compare import answer_words, compare_coclusters

        comparison.add(compare_coclusters(comparison, name, item))
        return [
            cell_of(row, name, item["datasets"][row.dataset], *rest)
            for row, *rest in answer_words(printed, comparison.records, item["datasets"])
        ]

    def table(self, material, paper, name):
        from recoco.items.coclusters.report import coclusters_table

        return coclusters_table(material, paper, name)


def coclusters_path(paper: str, setting: Setting) -> Path:
    """Return the path of the analysis of the co-clusters of a setting."""
    return analysis_path(paper, "coclusters", part_of(setting, ".npz"))


KIND = CoClusters()
