"""Which readings the printed numbers of a paper's tables of scores support."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recoco.compare.answers import PRECISE
from recoco.compare.fitting import Chance, Choice, Evidence, chance, fit
from recoco.compare.published import BRACKET
from recoco.compare.spreads import unlikely
from recoco.compare.table import Table
from recoco.core.seeds import generator_of
from recoco.plan import Part, combination_of, parts_of, setting_of, stated_options


class Place(NamedTuple):
    """A printed cell that a part of the choices is fitted to."""

    item: str
    table: Table
    row: object


@dataclass
class PartFit:
    """Choices that are fitted together, in one or several tables of the same runs.

    Attributes
    ----------
    part : the choices
    options : every combination of their options, the stated one first
    places : the cells that they are fitted to
    evidence, choice : None if there is no such cell
    """

    part: Part
    options: list[dict[str, str]]
    places: list[Place] = field(default_factory=list)
    evidence: Evidence | None = None
    choice: Choice | None = None

    def concerns(self, dataset: str, methods) -> bool:
        """Say whether these choices change numbers of some methods on a dataset."""
        return any((dataset, method) in self.part.places for method in methods)

    def best(self) -> dict[str, str]:
        """Return the options chosen by all cells."""
        return self.options[self.choice.best if self.choice else 0]

    def chosen_without(self, dataset: str, methods) -> tuple[dict[str, str], bool]:
        """Return the options chosen for a cell, and whether that was without its own data."""
        if self.evidence is None:
            return self.options[0], True
        known = [(place.row.dataset, place.row.method) for place in self.places]
        if dataset not in {name for name, _ in known}:
            return self.best(), True
        if self.evidence.fold is None:
            return self.best(), False
        by_dataset = self.evidence.fold is self.evidence.dataset
        left_out = [dataset] if by_dataset else list(methods)
        names = list(dict.fromkeys(place[0 if by_dataset else 1] for place in known))
        if len(left_out) > 1 or left_out[0] not in names:
            return self.best(), False
        return self.options[self.choice.without[names.index(left_out[0])]], True

    def chance(self, item: str, master: int) -> Chance | None:
        """Return what chance explains of the cells of one table; None if none is fitted."""
        cells = np.array([place.item == item for place in self.places], dtype=bool)
        if self.evidence is None or len(self.options) < 2 or not cells.any():
            return None
        name = f"chance {item} {'+'.join(self.part.choices)}"
        return chance(self.evidence, generator_of(master, name), cells)


@dataclass
class ItemFit:
    """The fitted choices of one table."""

    table: Table
    parts: list[PartFit]

    def best(self) -> dict[str, str]:
        """Return the option of every choice that the cells support."""
        return self._with([part.best() for part in self.parts])

    def chosen(self) -> list[dict[str, str]]:
        """Return the chosen options of each part, with all others as the paper states them."""
        return [self._with([part.best()]) for part in self.parts]

    def chosen_for(self, dataset: str, methods) -> tuple[dict[str, str], bool]:
        """Return the options chosen for a cell, and whether that was without its own data."""
        chosen = [
            part.chosen_without(dataset, methods)
            for part in self.parts
            if part.concerns(dataset, methods)
        ]
        return self._with([options for options, _ in chosen]), all(out for _, out in chosen)

    def _with(self, picked: list[dict]) -> dict[str, str]:
        stated = stated_options(self.table.item)
        return stated | {choice: o for options in picked for choice, o in options.items()}


def fit_tables(tables: dict[str, Table], rows: dict[str, list], left_out: set[str], master: int):
    """Return the fit of every table, by item.

    Parameters
    ----------
    tables : by item
    rows : printed cells of each
    left_out : cells that say nothing about a reading: on other data, or misprinted
    """
    fits = {name: ItemFit(table, []) for name, table in tables.items()}
    joined: list[tuple[str, PartFit]] = []
    for name, table in tables.items():
        for part in parts_of(table.item, table.config.settings):
            made = next(
                (fit for first, fit in joined if _shared(tables, first, name, fit.part, part)),
                None,
            )
            if made is None:
                made = PartFit(part, part.options(table.item))
                joined.append((name, made))
            fits[name].parts.append(made)
            made.places += [
                Place(name, table, row)
                for row in rows[name]
                if row.cell not in left_out and _says_something(table, part, row)
            ]
    for _, made in joined:
        if made.places:
            made.evidence = _evidence(made)
            made.choice = fit(made.evidence)
    return fits


def _shared(tables: dict[str, Table], first: str, second: str, one: Part, other: Part) -> bool:
    """Say whether two tables come from the same runs and ask the same."""
    if one.choices != other.choices:
        return False
    asked, also = (tables[name].item["choices"] for name in (first, second))
    scopes = [asked[choice].get("scope", {}) for choice in one.choices]
    return (
        all({first, second} <= set(scope.get("tables", (first, second))) for scope in scopes)
        and all(asked[choice] == also[choice] for choice in one.choices)
        and same_runs(tables[first].item, tables[second].item)
    )


def same_runs(first: dict, second: dict) -> bool:
    """Say whether two items of a paper have a setting in common, as the paper states them."""

    def settings(item: dict) -> set:
        stated = combination_of(item, {"runs": {"best_of": 1}}, stated_options(item))
        return {
            setting_of(item, stated, dataset, weighting, method)
            for dataset in item["datasets"]
            for weighting in item["weightings"]
            for method in item["methods"]
        }

    return bool(settings(first) & settings(second))


def _says_something(table: Table, part: Part, row) -> bool:
    if (row.dataset, row.method) not in part.places or row.metric.endswith(BRACKET):
        return False
    if row.metric.startswith("pvalue_"):
        return False
    place = (row.dataset, row.weighting, row.method, row.metric)
    reading = table.reading(table.as_printed, *place)
    return reading.is_score and table.answer(row, table.as_printed).status == "ok"


def _evidence(made: PartFit) -> Evidence:
    printed = [place.table.printed_number(place.row) for place in made.places]
    numbers = np.array([_numbers(made, place) for place in made.places])  # cells, readings, 5
    value, low, high, variance, log_spread = np.moveaxis(numbers, -1, 0).swapaxes(1, 2)
    judged = ~np.isnan(log_spread[0])
    log_spread = np.where(judged, log_spread, 0.0)
    for cell in np.flatnonzero(judged):
        # A reading without a spread accounts for none.
        missing = np.isnan(numbers[cell, :, 4])
        log_spread[missing, cell] = np.log(unlikely(printed[cell].sd_rounding))
    floor = made.places[0].table.config.settings["verdicts"]["tolerance"]
    return Evidence(
        np.array([each.value for each in printed]),
        np.array([each.rounding for each in printed]),
        np.array([each.tolerance(floor) for each in printed]),
        np.full(len(printed), PRECISE),
        *(value, low, high, variance, log_spread),
        _codes(place.row.dataset for place in made.places),
        _codes(place.row.method for place in made.places),
        _codes((p.row.dataset, p.row.weighting, p.row.method) for p in made.places),
    )


def _numbers(made: PartFit, place: Place) -> list[tuple]:
    """Return what each reading gives for a cell."""
    row, table, numbers = place.row, place.table, []
    printed = table.printed_number(row)
    for options in made.options:
        combination = table.combination(stated_options(table.item) | options)
        answer = table.answer(row, combination)
        if answer.status != "ok":
            numbers.append((np.nan,) * 5)
            continue
        reading = table.reading(combination, row.dataset, row.weighting, row.method, row.metric)
        ours = table.measure(*reading)
        # A single result of all runs varies as much in the paper as it does here.
        theirs = ours.error if ours.sd is None else ours.sd / np.sqrt(printed.runs or 1)
        spread = table.spread(*reading, printed.runs) if printed.sd is not None else None
        likely = spread.log_likelihood(printed.sd, printed.sd_rounding) if spread else np.nan
        variance = theirs**2 + ours.error**2
        numbers.append((ours.value, ours.low, ours.high, variance, likely))
    return numbers


def _codes(values) -> np.ndarray:
    """Return numbers that stand for values, in order of first appearance."""
    values = list(values)
    known = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([known[value] for value in values])
