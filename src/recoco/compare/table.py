"""The runs behind an item of a paper, and the numbers that they give."""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from recoco.compare.details import column_of
from recoco.compare.measures import TESTS, measure
from recoco.compare.published import BRACKET
from recoco.compare.verdicts import (
    Answer,
    answer_classes,
    answer_count,
    answer_pvalue,
    answer_score,
    unreachable,
)
from recoco.config import Config
from recoco.plan import Combination, card_of, combinations, larger_is_better, setting_of

NO_RUN = "there is no run of this setting"


class Table:
    """The runs behind an item of a paper: settings, scores and measured numbers.

    Parameters
    ----------
    item : configuration of the item
    scores : scored runs and consensus partitions, as the stage score writes them
    records : what ``prepare`` wrote about each dataset, by card
    """

    def __init__(self, config: Config, item: dict, scores: pd.DataFrame, records: dict):
        self.config, self.item, self.records = config, item, records
        self.combinations = combinations(item, config.settings)
        runs = scores[scores["kind"] == "run"] if len(scores) else scores
        self._runs = (
            dict(tuple(runs.groupby(["dataset", "weighting", "slug"]))) if len(runs) else {}
        )
        medoids = scores[scores["kind"] == "medoid"] if len(scores) else scores
        self.consensus = {
            (row["dataset"], row["weighting"], row["slug"]): row
            for row in medoids.to_dict("records")
        }
        self.best = self.as_printed  # until the cells have been compared
        self.printed: dict[tuple, str] = {}
        self.frames: dict[str, list[dict]] = {}  # rows of all outputs of the paper
        self.measure = cache(self._measure)
        self.stopped = cache(self._stopped)

    @property
    def methods(self) -> list[str]:
        """Printed names of all methods, those without printed numbers last."""
        return [*self.item["methods"], *self.item["extra_methods"]]

    @property
    def as_printed(self) -> Combination:
        return self.combinations[0]

    def runs(self, setting) -> pd.DataFrame | None:
        return self._runs.get((setting.dataset, setting.weighting, setting.slug))

    def reachable(self) -> list[str]:
        """Return the printed names of the datasets that have results."""
        cards = self.item["datasets"].items()
        return [name for name, card in cards if self.records[card]["status"] == "ok"]

    def settings(self, combination: Combination, methods: Iterable[str]):
        """Yield (dataset, weighting, method, setting) of some methods on all reachable datasets."""
        for dataset in self.reachable():
            for weighting in self.item["weightings"]:
                for method in methods:
                    setting = setting_of(self.item, combination, dataset, weighting, method)
                    yield dataset, weighting, method, setting

    def values(self, dataset, weighting, method, metric, combination=None) -> np.ndarray:
        """Return the score of every run behind a cell; empty if there are no runs."""
        combination = combination or self.as_printed
        setting = setting_of(self.item, combination, dataset, weighting, method)
        runs = self.runs(setting)
        if runs is None:
            return np.empty(0)
        return column_of(runs, combination.metrics.get(metric, metric)).dropna().to_numpy()

    def figure(self, dataset, weighting, method, metric, combination=None) -> float:
        """Return the number that a combination computes from the runs behind a cell."""
        combination = combination or self.as_printed
        setting = setting_of(self.item, combination, dataset, weighting, method)
        column = combination.metrics.get(metric, metric)
        return float(self.measure(setting, combination.select_of(setting.method), column).value)

    def _measure(self, setting, select: str, column: str):
        settings = self.config.settings
        runs = self.runs(setting)
        return measure(
            column_of(runs, column).to_numpy(),
            select,
            settings["verdicts"]["bootstrap"],
            self.config.master_seed,
            f"{setting.name} {select} {column}",
            runs["criterion"].to_numpy(),
            self._best_of,
            larger_is_better(self.config, setting.method),
        )

    def measured(self, setting, metric: str, select: str = "mean") -> dict:
        """Return a measured score as columns of an output."""
        score = self.measure(setting, select, metric)
        return {"measured": score.value, "measured_sd": score.sd, "n_runs": score.runs}

    @property
    def _best_of(self) -> int:
        return self.config.settings["runs"]["best_of"]

    def answer(self, row, combination: Combination) -> Answer:
        """Return the answer of one combination to one printed cell."""
        record = self.records[card_of(self.item, combination, row.dataset)]
        if record["status"] != "ok":
            return unreachable(record)
        if row.metric.startswith("pvalue_"):
            return self._answer_test(row, combination)
        setting = setting_of(self.item, combination, row.dataset, row.weighting, row.method)
        select = combination.select_of(setting.method)
        stopped = self.stopped(setting, select)
        if stopped:
            return stopped
        metric = row.metric.removesuffix(BRACKET)
        column = combination.metrics.get(metric, metric)
        if column == "classes":
            return answer_classes(row.value, record["classes"], trial=setting.name)
        if metric != row.metric and select != "best":
            select = "criterion"  # a number in brackets is always that of one run
        measured = self.measure(setting, select, column)
        if column.partition("@")[0] == "n_clusters":
            return answer_count(float(row.value), measured, record["classes"], trial=setting.name)
        floor = self.config.settings["verdicts"]["tolerance"]
        sd = float(row.sd) if row.sd else None
        return answer_score(float(row.value), sd, measured, floor, trial=setting.name)

    def _stopped(self, setting, select: str = "mean") -> Answer | None:
        """Return why a setting has no score by a rule of selection; None if it has one."""
        runs = self.runs(setting)
        if runs is None:
            return Answer("not-run", why=NO_RUN, trial=setting.name)
        ended = runs[runs["status"].isin(["failed", "timeout", "unreachable"])]
        if len(ended) == len(runs):
            first = ended.iloc[0]
            return Answer(first["status"], why=first["error"], trial=setting.name)
        if select == "best-of" and len(runs) < self._best_of:
            why = f"{len(runs)} runs are too few for the best of {self._best_of}"
            return Answer("too-few", why=why, trial=setting.name)
        return None

    def _answer_test(self, row, combination: Combination) -> Answer:
        metric = row.metric.removeprefix("pvalue_")
        first, second = self.item["test"]["methods"]
        settings = [
            setting_of(self.item, combination, row.dataset, row.weighting, method)
            for method in (first, second)
        ]
        for setting in settings:
            stopped = self.stopped(setting)
            if stopped:
                return stopped
        trial = " | ".join(setting.name for setting in settings)
        if combination.select != "mean":
            return Answer("undefined", why="one best run has no test", trial=trial)
        samples = [
            self.values(row.dataset, row.weighting, method, metric, combination)
            for method in (first, second)
        ]
        p, difference = TESTS[self.item["test"]["kind"]](*samples)
        printed = self._printed_difference(row, metric)
        same_way = printed == 0 or np.sign(difference) == np.sign(printed)
        return answer_pvalue(
            float(row.value),
            row.note.startswith("<"),
            p,
            bool(same_way),
            min(map(len, samples)),
            trial=trial,
        )

    def _printed_difference(self, row, metric: str) -> float:
        first, second = (
            float(self.printed[row.dataset, row.weighting, method, metric])
            for method in self.item["test"]["methods"]
        )
        return second - first
