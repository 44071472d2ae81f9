"""Leaderboard: every method on every dataset, ranked."""

from recoco.items.kind import Kind, analyses_by_card
from recoco.items.leaderboard.entries import FUSIONS, entries_of
from recoco.items.leaderboard.entries import METHOD as RANKED
from recoco.items.properties import (
    ALPHA,
    DATASETS,
    METHOD_WEIGHTINGS,
    METHODS,
    METRICS,
    NULLS,
    PARAMS_BY_METHOD,
    WEIGHTINGS,
)
from recoco.plan import import_path

_COUNT = {"type": "integer", "minimum": 1}


class Leaderboard(Kind):
    name = "leaderboard"
    about = "Every method on every dataset, ranked; its rows are methods, not printed cells."
    schema = {
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "method_weightings": METHOD_WEIGHTINGS,
        "methods": METHODS,
        "metrics": METRICS,
        "params": PARAMS_BY_METHOD,
        "nulls": NULLS,
        "limits": {
            "description": (
                "Sizes up to which a method of recoco is run. A larger dataset is a cell that "
                "says so."
            ),
            "type": "object",
            "default": {},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "minProperties": 1,
                "properties": {
                    "rows": {**_COUNT, "description": "Objects."},
                    "columns": {**_COUNT, "description": "Features of all views."},
                    "nonzeros": {**_COUNT, "description": "Non-zeros of all views."},
                    "classes": {**_COUNT, "description": "Classes."},
                    "views": {**_COUNT, "description": "Views."},
                },
            },
        },
        "starts": {
            "description": "Fewer runs of methods whose run is many starts itself.",
            "type": "object",
            "default": {},
            "additionalProperties": _COUNT,
        },
        "fusions": {
            "description": "The functions that fuse all methods on a dataset.",
            "type": "array",
            "default": [],
            "uniqueItems": True,
            "items": {"enum": list(FUSIONS)},
        },
        "fused": {
            **_COUNT,
            "description": "How many runs of every method are fused, one consensus for each.",
            "default": 3,
        },
        "alpha": ALPHA,
        "rope": {
            "description": "Differences of scores up to this are practically none.",
            "type": "number",
            "minimum": 0,
            "default": 0.01,
        },
        "coverage": {
            "description": (
                "Share of the datasets on which a method needs a score to be ranked; ranks are "
                "over the datasets with a score of all ranked methods."
            ),
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1,
            "default": 0.75,
        },
    }
    required = ("datasets", "weightings", "methods", "metrics")
    figures = ("recoco.items.leaderboard.figures",)
    tables = {
        # Every method on every dataset: mean and standard deviation over the runs, the run with
        # the best criterion (best), or why there is no score (status, reason).
        "leaderboard": [
            *("item", "dataset", "card", "weighting", "kind", "method", "metric", "mean", "sd"),
            *("best", "n_runs", "status", "reason", "trial"),
        ],
        # Mean ranks by weighting, selection (mean or best) and metric; cd is Nemenyi's. Rows of
        # the kinds null and consensus have the rank that each would have among the methods.
        # mean_sd is the stability: the standard deviation over starts, averaged over datasets.
        "standings": [
            *("item", "weighting", "selection", "metric", "kind", "method", "mean_rank", "cd"),
            *("n_datasets", "mean_score", "mean_sd", "scored", "tried", "note"),
        ],
        # Chances of "the first is better", "practically equal" (within width) and "the second
        # is better".
        "bayes": [
            *("item", "weighting", "selection", "metric", "first", "second", "left", "rope"),
            *("right", "width", "n_datasets"),
        ],
        # Score against seconds of a run (of all runs for best); front: none is better and faster.
        "tradeoffs": [
            *("item", "weighting", "selection", "metric", "kind", "method", "score", "seconds"),
            *("n_datasets", "front"),
        ],
        # Mean ranks on the halves of the datasets by size, classes, balance, sparsity.
        "breakdown": [
            *("item", "weighting", "selection", "metric", "by", "group", "n_datasets", "method"),
            "mean_rank",
        ],
        # The order that a paper prints against ours on its own datasets and on others: Kendall's
        # tau (rows without method) and mean ranks (own is true for the paper's own method).
        "transfer": [
            *("item", "paper", "metric", "weighting", "method", "own", "printed_rank", "own_rank"),
            *("other_rank", "n_methods", "n_printed", "n_own", "n_other", "tau_own", "tau_other"),
        ],
        # The same in sentences, the first over all papers.
        "remarks": ["item", "place", "text"],
    }
    steps = {"fusions": "Put all methods of a ranking together."}

    def settings(self, config, paper, item):
        for entry in entries_of(config, paper, item):
            if not entry.too_large:
                yield entry.setting, entry.runs

    def analyses(self, plan, paper):
        from recoco.items.leaderboard.fusions import write_fusions

        tasks = self._fusions(plan, paper)
        used = {
            card: sorted({m["setting"] for task in of_card for m in task["members"].values()})
            for card, of_card in tasks.items()
        }
        seed = {"master_seed": plan.config.master_seed}
        yield from analyses_by_card(plan, paper, "fusions", write_fusions, tasks, used, **seed)

    def _fusions(self, plan, paper: str) -> dict[str, list[dict]]:
        """Return the tasks of each dataset: for each ranking, the methods to fuse."""
        tasks: dict[str, list[dict]] = {}
        for name, item in plan.items(paper, self.name):
            if not item["fusions"]:
                continue
            members: dict[tuple[str, str], dict[str, dict]] = {}
            for entry in entries_of(plan.config, plan.config.papers[paper], item):
                if entry.kind == RANKED and not entry.too_large:
                    members.setdefault((entry.card, entry.weighting), {})[entry.method] = {
                        "setting": entry.setting.name,
                        "import_path": import_path(plan.config, entry.setting.method),
                    }
            for (card, weighting), named in members.items():
                task = {"item": name, "weighting": weighting, "functions": item["fusions"]}
                task |= {"fused": item["fused"], "members": named}
                tasks.setdefault(card, []).append(task)
        return tasks

    def rows(self, comparison, name, item):
        from recoco.compare.published import printed_cells
        from recoco.config.papers import all_papers
        from recoco.items.leaderboard.compare import compare_leaderboard
        from recoco.items.leaderboard.transfer import printed_tables, remarks, transfer_rows

        board, outputs = compare_leaderboard(comparison, name, item)
        papers = printed_tables()
        published = printed_cells(all_papers().values())
        outputs["transfer"] = transfer_rows(board, papers, published)
        outputs["remarks"] = remarks(board, papers, outputs["transfer"])
        return outputs

    def table(self, material, paper, name):
        from recoco.items.leaderboard.table import standings_table

        return standings_table(material, paper, name)


KIND = Leaderboard()
