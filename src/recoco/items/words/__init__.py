"""Words: clusters of words made by factorisations, their coherence and closeness."""

from pathlib import Path

from recoco.items.kind import Analysis, Kind, analysis_path, part_of
from recoco.items.properties import (
    CORPORA,
    DATASETS,
    METHODS,
    PARAMS_BY_METHOD,
    WEIGHTINGS,
    top,
)
from recoco.items.words.stage import write_coherence, write_factors
from recoco.plan import Setting, classes_of, import_path, parameters, runs_of, with_params


class Words(Kind):
    name = "words"
    about = "Clusters of words made by factors: their coherence, and how close their words are."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "methods": METHODS,
        "params": PARAMS_BY_METHOD,
        "column_clusters": {
            "description": "Numbers of word clusters; null is the number of classes.",
            "type": "array",
            "minItems": 1,
            "items": {"type": ["integer", "null"], "minimum": 1},
        },
        "top": top("Words looked at per cluster.", 30),
        "corpora": CORPORA,
    }
    required = ("datasets", "weightings", "methods", "column_clusters", "corpora")
    figures = ("recoco.items.words.figures",)
    tables = {
        "words": [
            *("item", "dataset", "card", "method", "column_clusters", "run", "place", "cluster"),
            *("pmi", "pairs", "pairs_found", "words"),
        ],
        "coherence": [
            *("item", "dataset", "card", "method", "column_clusters", "n_runs", "pmi", "pmi_sd"),
            *("pmi_seen", "clusters", "pairs", "pairs_found", "corpus"),
        ],
        "cosines": [
            *("item", "dataset", "card", "method", "column_clusters", "n_runs", "pairs", "mean"),
            *("q05", "q25", "median", "q75", "q95", "histogram"),
        ],
    }
    steps = {
        "words": "Compute the word factors of some runs again.",
        "coherence": "Count pairs of words in texts.",
    }

    def analyses(self, plan, paper):
        config, needed = plan.config, {}
        items = [item for _, item in plan.items(paper, self.name)]
        for item in items:
            for setting, _ in word_settings(config, item):
                if plan.data(setting.dataset) and plan.wanted(item, words_path(paper, setting)):
                    runs = runs_of(config, config.papers[paper], item)
                    needed[setting] = max(runs, needed.get(setting, 0))
        first = config.settings["runs"]
        most = max((item["top"] for item in items), default=0)
        for setting, runs in sorted(needed.items()):
            located = import_path(config, setting.method)
            yield Analysis(
                *(paper, "words", part_of(setting, ".npz"), write_factors),
                {"data": [plan.data(setting.dataset)]},
                {
                    "identity": setting.name,
                    "import_path": located,
                    "params": parameters(config, setting),
                    "weighting": setting.weighting,
                    "runs": min(runs, first["first"]) if first["first_only"] else runs,
                    "top": most,
                    "master_seed": config.master_seed,
                },
                (located,),
                setting.dataset,
                setting.slug,
            )
        for card in sorted({setting.dataset for setting in needed}):
            words = [str(words_path(paper, s)) for s in sorted(needed) if s.dataset == card]
            yield count_pairs(config, paper, "coherence", card, items, words)

    def compare(self, comparison, name, item, printed):
        from recoco.compare.comparison import cell_of
        from recoco.items.words.compare import answer_clusters, compare_words

        outputs = compare_words(comparison, name, item)
        comparison.add(outputs)
        return [
            cell_of(row, name, item["datasets"][row.dataset], *rest)
            for row, *rest in answer_clusters(printed, outputs["words"], outputs["coherence"])
        ]

    def table(self, material, paper, name):
        from recoco.items.words.table import words_table

        return words_table(material, paper, name)


def word_settings(config, item: dict):
    """Yield (setting, details) of an item about the words of factors."""
    weighting = next(iter(item["weightings"].values()))
    for dataset, card in item["datasets"].items():
        for name, method in item["methods"].items():
            for m in item["column_clusters"]:
                number = {} if m is None else {"n_column_clusters": m}
                params = {**item["params"].get(method, {}), **number}
                setting = with_params(config, Setting(card, weighting, method), params)
                names = {"dataset": dataset, "card": card, "method": name}
                yield setting, {**names, "column_clusters": classes_of(card) if m is None else m}


def words_path(paper: str, setting: Setting) -> Path:
    """Return the path of the words of a setting's factors."""
    return analysis_path(paper, "words", part_of(setting, ".npz"))


def count_pairs(config, paper: str, step: str, card: str, items, words: list[str]) -> Analysis:
    """Return the analysis that counts pairs of the words in some files, for one dataset.

    They are counted in the corpora of all items that have the dataset.
    """
    of_card = [item for item in items if card in item["datasets"].values()]
    corpora = sorted({corpus for item in of_card for corpus in item["corpora"]})
    return Analysis(
        *(paper, step, f"{card}.npz", write_coherence),
        {"words": words, "receipts": [f"resources/raw/{c}/receipt.json" for c in corpora]},
        {
            "dataset": card,
            "corpora": corpora,
            "corpus": config.settings["coherence"]["corpus"],
        },
        dataset=card,
    )


KIND = Words()
