"""One table of a paper with the runs that answer it."""

from functools import cache

import numpy as np
import pandas as pd

from recoco.compare.details import column_of
from recoco.compare.measures import measure, welch
from recoco.compare.published import BRACKET
from recoco.compare.verdicts import (
    Answer,
    answer_classes,
    answer_count,
    answer_pvalue,
    answer_score,
)
from recoco.config import Config
from recoco.plan import Combination, card_of, combinations, larger_is_better, setting_of


class Table:
    """One scores item of a paper with the runs that answer it."""

    def __init__(self, config: Config, block: dict, scores: pd.DataFrame, records: dict):
        self.config, self.block, self.records = config, block, records
        self.combinations = combinations(block, config.settings)
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
        self.frames: dict[str, list[dict]] = {}  # what the paper's other items gave
        self.measure = cache(self._measure)
        self.stopped = cache(self._stopped)

    @property
    def as_printed(self) -> Combination:
        return self.combinations[0]

    def runs(self, setting) -> pd.DataFrame | None:
        return self._runs.get((setting.dataset, setting.weighting, setting.slug))

    def reachable(self) -> list[str]:
        """Return the printed names of the datasets that have results."""
        return [
            name
            for name, card in self.block["datasets"].items()
            if self.records[card]["status"] == "ok"
        ]

    def situations(self, combination=None):
        """Yield the (dataset, weighting, metric) with scores for all methods of the table."""
        methods = [*self.block["methods"], *self.block.get("extra_methods", {})]
        for dataset in self.reachable():
            for weighting in self.block["weightings"]:
                for metric in self.block["metrics"]:
                    if all(
                        len(self.values(dataset, weighting, m, metric, combination))
                        for m in methods
                    ):
                        yield dataset, weighting, metric

    def values(self, dataset, weighting, method, metric, combination=None) -> np.ndarray:
        """Return the score of every run behind a cell; empty when there is none."""
        combination = combination or self.as_printed
        setting = setting_of(self.block, combination, dataset, weighting, method)
        runs = self.runs(setting)
        if runs is None:
            return np.empty(0)
        return column_of(runs, combination.metrics.get(metric, metric)).dropna().to_numpy()

    def figure(self, dataset, weighting, method, metric, combination=None) -> float:
        """Return the one number that a combination makes of the runs behind a cell."""
        combination = combination or self.as_printed
        setting = setting_of(self.block, combination, dataset, weighting, method)
        column = combination.metrics.get(metric, metric)
        return float(self.measure(setting, combination.select_of(setting.method), column).value)

    def _measure(self, setting, select: str, column: str):
        settings = self.config.settings
        runs = self.runs(setting)
        values = column_of(runs, column).dropna()
        criterion = runs["criterion"].loc[values.index]
        return measure(
            values.to_numpy(),
            select,
            settings["verdicts"]["bootstrap"],
            self.config.master_seed,
            f"{setting.name} {select} {column}",
            self._sign(setting.method) * criterion.to_numpy(),
            settings["runs"]["best_of"],
        )

    def _sign(self, method: str) -> int:
        """Return -1 for a method whose criterion is the larger the better."""
        return -1 if larger_is_better(self.config, method) else 1

    def answer(self, row, combination: Combination) -> Answer:
        """Return what one combination gives for one printed cell."""
        record = self.records[card_of(self.block, combination, row.dataset)]
        if record["status"] != "ok":
            return Answer("unreachable", why=record.get("by_hand", "its data could not be had"))
        if row.metric.startswith("pvalue_"):
            return self._answer_test(row, combination)
        setting = setting_of(self.block, combination, row.dataset, row.weighting, row.method)
        stopped = self.stopped(setting)
        if stopped:
            return stopped
        metric = row.metric.removesuffix(BRACKET)
        column = combination.metrics.get(metric, metric)
        if column == "classes":
            return answer_classes(row.value, record["classes"], trial=setting.name)
        select = combination.select_of(setting.method)
        if metric != row.metric and select != "best":
            select = "criterion"  # the figure in brackets is one run, whatever the mean is of
        found = self.measure(setting, select, column)
        if column.partition("@")[0] == "n_clusters":
            return answer_count(float(row.value), found, record["classes"], trial=setting.name)
        floor = self.config.settings["verdicts"]["tolerance"]
        sd = float(row.sd) if row.sd else None
        return answer_score(float(row.value), sd, found, floor, trial=setting.name)

    def _stopped(self, setting) -> Answer | None:
        """Return why a setting has no score at all; None if it has."""
        runs = self.runs(setting)
        if runs is None:
            return Answer("not-run", why="no run of this setting is at hand", trial=setting.name)
        ended = runs[runs["status"].isin(["failed", "timeout", "unreachable"])]
        if len(ended) == len(runs):
            first = ended.iloc[0]
            return Answer(first["status"], why=first["error"], trial=setting.name)
        return None

    def _answer_test(self, row, combination: Combination) -> Answer:
        metric = row.metric.removeprefix("pvalue_")
        first, second = self.block["test"]["methods"]
        settings = [
            setting_of(self.block, combination, row.dataset, row.weighting, method)
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
        p, difference = welch(*samples)
        said = self._printed_difference(row, metric)
        same_way = said == 0 or np.sign(difference) == np.sign(said)
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
            for method in self.block["test"]["methods"]
        )
        return second - first
