"""The runs behind an item of a paper, and the numbers that they give."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from recoco.compare.answers import (
    PRECISE,
    Answer,
    Printed,
    answer_number,
    answer_pvalue,
    exact_answer,
    unreachable,
)
from recoco.compare.details import column_of
from recoco.compare.measures import TESTS, Measure, measure
from recoco.compare.pool import NUMBERS, Expected, Pool, resample
from recoco.compare.published import BRACKET
from recoco.compare.spreads import FEWEST, Spread, spread_of
from recoco.config import Config
from recoco.core.seeds import generator_of
from recoco.metrics import METRICS
from recoco.plan import (
    Combination,
    Setting,
    card_of,
    combination_of,
    combinations,
    larger_is_better,
    setting_of,
)

NO_RUN = "there is no run of this setting"
# Of the deviation of a single run of the paper, in brackets, the central share that is close.
_CENTRAL = (2.5, 97.5)


class Reading(NamedTuple):
    """What answers a printed cell: a column of the scores of a setting, by a rule of selection."""

    setting: Setting
    select: str
    column: str

    @property
    def is_score(self) -> bool:
        """Say whether it is a measure between 0 and 1 that the tolerance of scores is for."""
        return self.column.partition("@")[0] in METRICS


class Table:
    """The runs behind an item of a paper: settings, scores and measured numbers.

    Parameters
    ----------
    item : configuration of the item
    scores : scored runs and consensus partitions, as the stage score writes them
    records : what ``prepare`` wrote about each dataset, by card
    paper_runs : runs behind a printed number, where the item does not say otherwise
    """

    def __init__(
        self,
        config: Config,
        item: dict,
        scores: pd.DataFrame,
        records: dict,
        paper_runs: int | None = None,
    ):
        self.config, self.item, self.records = config, item, records
        self.paper_runs = paper_runs
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
        self.spread = cache(self._spread)
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

    def combination(self, options: dict[str, str]) -> Combination:
        """Return the combination of the given option of each choice."""
        return combination_of(self.item, self.config.settings, options)

    def reading(self, combination, dataset, weighting, method, metric) -> Reading:
        """Return what answers a printed place under a combination."""
        at = combination.at(dataset, method)
        setting = setting_of(self.item, at, dataset, weighting, method)
        plain = metric.removesuffix(BRACKET)
        select = at.select_of(setting.method)
        if plain != metric and select != "best":
            select = "criterion"  # a number in brackets is always that of one run
        return Reading(setting, select, at.metrics.get(plain, plain))

    def values(self, dataset, weighting, method, metric, combination=None) -> np.ndarray:
        """Return the score of every run behind a cell; empty if there are no runs."""
        place = (dataset, weighting, method, metric)
        reading = self.reading(combination or self.as_printed, *place)
        runs = self.runs(reading.setting)
        if runs is None:
            return np.empty(0)
        return column_of(runs, reading.column).dropna().to_numpy()

    def figure(self, dataset, weighting, method, metric, combination=None) -> float:
        """Return the number that a combination computes from the runs behind a cell."""
        place = (dataset, weighting, method, metric)
        return float(self.measure(*self.reading(combination or self.as_printed, *place)).value)

    def _measure(self, setting, select: str, column: str) -> Measure:
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

    def pool(self, setting, column: str) -> Pool:
        """Return the runs of a setting as starts, of which the best by the criterion is taken."""
        runs = self.runs(setting)
        scores, criterion = column_of(runs, column), runs["criterion"]
        larger = larger_is_better(self.config, setting.method)
        return Pool(scores.to_numpy(), criterion.to_numpy(), larger, setting.name)

    def curve(self, row) -> dict[int, Expected]:
        """Return what the best of n starts scores in a printed cell, as the paper states it."""
        place = (row.dataset, row.weighting, row.method, row.metric)
        setting, _, column = self.reading(self.as_printed, *place)
        pool, draws = self.pool(setting, column), self.config.settings["verdicts"]["bootstrap"]
        generator = generator_of(self.config.master_seed, f"curve {setting.name} {column}")
        return pool.curve(NUMBERS, resample(len(pool), draws, generator))

    def _spread(self, setting, select: str, column: str, runs: int | None) -> Spread | None:
        """Return the spread of results by a rule; None if too little is known to judge one."""
        measured = self.measure(setting, select, column)
        if measured.sd is None or not runs or runs < 2 or measured.runs < FEWEST:
            return None
        pool = self.pool(setting, column)
        known = ~np.isnan(pool.scores)
        name = f"spread {setting.name} {select} {column}"
        return spread_of(
            pool.scores[known],
            pool.weights(measured.starts)[known],
            runs,
            self.config.settings["verdicts"]["bootstrap"],
            generator_of(self.config.master_seed, name),
        )

    def measured(self, setting, metric: str, select: str = "mean") -> dict:
        """Return a measured score as columns of an output."""
        score = self.measure(setting, select, metric)
        return {"measured": score.value, "measured_sd": score.sd, "n_runs": score.runs}

    @property
    def _best_of(self) -> int:
        return self.config.settings["runs"]["best_of"]

    def printed_number(self, row) -> Printed:
        """Return a printed number with its precision."""
        stated = self.item.get("printed_runs", {})
        runs = stated.get(row.method, stated.get("*", self.paper_runs))
        return Printed.of(row.value, row.sd, runs)

    def tolerance(self, printed: Printed, reading: Reading, metric: str) -> tuple[float, float]:
        """Return by how much a number may differ, and half of an interval that is precise."""
        declared = self.item.get("tolerances", {}).get(metric)
        if declared is not None:
            return declared, declared / 2
        if not reading.is_score:
            tolerance = printed.tolerance()
            return tolerance, tolerance / 2
        return printed.tolerance(self.config.settings["verdicts"]["tolerance"]), PRECISE

    def answer(self, row, combination: Combination) -> Answer:
        """Return the answer of one combination to one printed cell."""
        record = self.records[card_of(self.item, combination, row.dataset)]
        if record["status"] != "ok":
            return unreachable(record)
        if row.metric.startswith("pvalue_"):
            return self._answer_test(row, combination)
        place = (row.dataset, row.weighting, row.method, row.metric)
        reading = self.reading(combination, *place)
        setting, select, column = reading
        stopped = self.stopped(setting, select)
        if stopped:
            return stopped
        if column == "classes":
            why = f"{record['classes']} classes in the data against {row.value} printed"
            return exact_answer(float(record["classes"]), row.value, why, trial=setting.name)
        printed, ours = self.printed_number(row), self.measure(*reading)
        counted = column.partition("@")[0] == "n_clusters"
        return answer_number(
            printed,
            ours,
            *self.tolerance(printed, reading, row.metric),
            unit=f" clusters, of {record['classes']} classes," if counted else "",
            close=self._among_runs(printed, reading) if row.metric.endswith(BRACKET) else "",
            spread=self._judged_spread(printed, reading),
            trial=setting.name,
        )

    def _among_runs(self, printed: Printed, reading: Reading) -> str:
        """Return that a single run of the paper may be one of ours; "" if it may not."""
        values = column_of(self.runs(reading.setting), reading.column).dropna()
        low, high = np.percentile(values, _CENTRAL)
        inside = low - printed.rounding <= printed.value <= high + printed.rounding
        return f"inside the central 95 % of our runs, [{low:.3f}, {high:.3f}]" if inside else ""

    def _judged_spread(self, printed: Printed, reading: Reading) -> str:
        spread = self.spread(*reading, printed.runs) if printed.sd is not None else None
        return spread.judge(printed.sd, printed.sd_rounding) if spread else ""

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
            return Answer("too-few", why=why, trial=setting.name, undecided=True)
        return None

    def _answer_test(self, row, combination: Combination) -> Answer:
        metric = row.metric.removeprefix("pvalue_")
        methods = self.item["test"]["methods"]
        readings = [
            self.reading(combination, row.dataset, row.weighting, method, metric)
            for method in methods
        ]
        for reading in readings:
            stopped = self.stopped(reading.setting)
            if stopped:
                return stopped
        trial = " | ".join(reading.setting.name for reading in readings)
        if any(reading.select != "mean" for reading in readings):
            why = "one best run has no test"
            return Answer("undefined", why=why, trial=trial, undecided=True)
        samples = [
            self.values(row.dataset, row.weighting, method, metric, combination)
            for method in methods
        ]
        p, difference = TESTS[self.item["test"]["kind"]](*samples)
        printed = self._printed_difference(row, metric)
        same_way = printed == 0 or np.sign(difference) == np.sign(printed)
        below, runs = row.note.startswith("<"), min(map(len, samples))
        return answer_pvalue(float(row.value), below, p, bool(same_way), runs, trial=trial)

    def _printed_difference(self, row, metric: str) -> float:
        first, second = (
            float(self.printed[row.dataset, row.weighting, method, metric])
            for method in self.item["test"]["methods"]
        )
        return second - first
