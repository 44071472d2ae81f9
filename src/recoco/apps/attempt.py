"""``recoco try``: rank a user's method among others on a few small datasets."""

import os
import sys
import time
from dataclasses import dataclass

import numpy as np

from recoco.config.schema import nearest
from recoco.core.errors import RecocoError

# small enough to run in a minute; the first three that are available are used
DATASETS = ("cstr", "tr45", "classic3", "bbcsport2", "tr23", "planted-small")
ENOUGH = 3
# two co-clusterings, k-means, factorisations, a spectral method, and chance
RIVALS = ("coclus", "dcc", "skmeans", "onmtf", "specco", "null")
METRICS = ("nmi", "ari", "acc")
MASTER_SEED = 2015
_GRACE = 30.0  # seconds beyond the limit to load what is compiled, before a process is killed


@dataclass
class Trial:
    """A method to try: its name in the table, its class and parameters."""

    name: str
    kind: type
    params: dict


@dataclass
class Outcome:
    """Mean scores of a method on a dataset and seconds per run, or why there are none.

    ``compiling`` is the time for compiling and warming up, which is not part of the seconds.
    """

    scores: dict[str, float]
    seconds: float
    why: str = ""
    compiling: float = 0.0


def show_attempt(
    method: str | None,
    command: str | None,
    datasets: list[str] | None,
    weighting: str,
    runs: int,
    limit: float,
) -> int:
    """Try a method and print its rank on every dataset and overall."""
    from recoco.apps.warm_up import sentence
    from recoco.core.steps import Steps
    from recoco.datasets.weighting import WEIGHTINGS

    if weighting not in WEIGHTINGS:
        raise RecocoError(f"Unknown weighting {weighting!r}: {nearest(weighting, WEIGHTINGS)}")
    own = own_trial(method, command)
    trials = [own, *(own_trial(name, None) for name in RIVALS if name != own.name)]
    chosen = _datasets(datasets)
    steps, outcomes = Steps(), {}
    for position, data in enumerate(chosen):
        for number, trial in enumerate(trials):
            done = position * len(trials) + number
            steps(f"{trial.name} on {data.name}", done, len(chosen) * len(trials))
            outcomes[data.name, trial.name] = _outcome(trial, data, weighting, runs, limit)
    steps.end()
    names = [trial.name for trial in trials]
    spent = {name: sum(outcomes[d.name, name].compiling for d in chosen) for name in names}
    if line := sentence(spent):
        print(line)
    for data in chosen:
        n, d = data.X.shape
        print(f"\n{data.name}: {n} x {d}, {data.n_classes} classes, {weighting}, {runs} runs")
        _print_dataset({name: outcomes[data.name, name] for name in names}, own.name)
    _print_ranks(outcomes, [data.name for data in chosen], names, own.name)
    failed = all(outcomes[data.name, own.name].why for data in chosen)
    return 1 if failed else 0


def own_trial(method: str | None, command: str | None) -> Trial:
    """Return the trial of a command, a class or a name from config/methods.yaml."""
    from recoco.config import load_methods
    from recoco.core.paths import config
    from recoco.methods import METHODS, get_method
    from recoco.methods.external import CommandLine, Estimator, command_parts

    if command is not None:
        return Trial(_program(command_parts(command)), CommandLine, {"command": command})
    if ":" in method:
        try:
            kind = get_method(method)
        except RecocoError:
            raise
        except Exception as error:  # a module under development may fail in any way
            raise RecocoError(
                f"The module of {method} cannot be loaded ({type(error).__name__}: {error}): "
                "fix it first."
            ) from error
        if hasattr(kind, "fit_runs"):
            return Trial(method.split(":")[1], kind, {})
        if hasattr(kind, "fit") or hasattr(kind, "fit_predict"):
            return Trial(method.split(":")[1], Estimator, {"estimator": method})
        raise RecocoError(
            f"{method} has neither fit_runs nor fit: write one of them (docs/bring-your-own.md)."
        )
    methods = load_methods(config())
    if method not in methods and method not in METHODS:
        raise RecocoError(
            f"Unknown method {method!r} (one of your own is module:Class): "
            f"{nearest(method, {*methods, *METHODS})}"
        )
    entry = methods.get(method, {})
    return Trial(method, get_method(entry.get("class", method)), dict(entry.get("params", {})))


def _program(parts: list[str]) -> str:
    """Name a command after its script if it calls an interpreter."""
    scripts = [part for part in parts[1:] if "{" not in part and os.path.isfile(part)]
    return os.path.basename(scripts[0] if scripts else parts[0])


def _datasets(names: list[str] | None) -> list:
    """Load the requested datasets, or the first three small ones that are available."""
    from recoco.datasets import load_dataset

    if names:
        return [load_dataset(name) for name in dict.fromkeys(names)]
    loaded = []
    for name in DATASETS:
        if len(loaded) == ENOUGH:
            break
        try:
            loaded.append(load_dataset(name))
        except RecocoError as error:
            print(f"recoco: {error} Skipping it.", file=sys.stderr)
    return loaded


def _outcome(trial: Trial, data, weighting: str, runs: int, limit: float) -> Outcome:
    """Run a method on a dataset in a process of its own; a failure is told below the table."""
    from recoco.apps.warm_up import Compiling, warm_up
    from recoco.core.limits import call_foreign
    from recoco.methods.external import CommandLine

    compiling = Compiling()

    def work() -> Outcome:
        with compiling.watched():
            began = time.monotonic()
            if trial.kind is not CommandLine:  # a program starts anew in every run
                warm_up(trial.kind, trial.params, limit)
            warm, before = time.monotonic() - began, compiling.seconds
            outcome = _measured(trial, data, weighting, runs, limit, compiling)
        outcome.compiling = warm + compiling.seconds - before
        return outcome

    began = time.monotonic()
    # the warm-up has the same limit as the runs
    ending = call_foreign(work, lambda: 2 * limit + _GRACE + compiling.seconds)
    if isinstance(ending.value, Outcome):
        return ending.value
    late = ending.status == "timeout"
    why = f"no result within {limit:g} s" if late else ending.error
    spent = time.monotonic() - began - compiling.seconds
    return Outcome({}, spent, why, compiling.seconds)


def _measured(trial: Trial, data, weighting: str, runs: int, limit: float, compiling) -> Outcome:
    from recoco.core.limits import reason_of
    from recoco.core.seeds import seeds_of_runs
    from recoco.core.texts import one_line
    from recoco.metrics import score_partitions
    from recoco.runs.block import data_of, timeout
    from recoco.runs.results import fit_checked

    seeds = seeds_of_runs(MASTER_SEED, f"{data.name}/{weighting}/try", range(runs), False)
    before = time.monotonic() - compiling.seconds
    try:
        with timeout(limit):
            model = trial.kind(**{"n_clusters": data.n_classes, **trial.params})
            result = fit_checked(model, data_of(trial.kind, data, weighting), seeds)
        seconds = (time.monotonic() - compiling.seconds - before) / runs
        scores = score_partitions(data.labels, result.row_labels)
    except TimeoutError:
        return Outcome({}, limit, f"no result within {limit:g} s")
    except Exception as error:  # a method under development may raise anything
        spent = time.monotonic() - compiling.seconds - before
        return Outcome({}, spent, one_line(reason_of(error)))
    return Outcome({metric: float(scores[metric].mean()) for metric in METRICS}, seconds)


def _print_dataset(outcomes: dict[str, Outcome], own: str) -> None:
    from recoco.cli.show import table

    order = sorted(outcomes, key=lambda name: -outcomes[name].scores.get("nmi", -1.0))
    rows = []
    for name in order:
        outcome = outcomes[name]
        figures = [f"{outcome.scores[m]:.3f}" if outcome.scores else "-" for m in METRICS]
        rows.append([">" if name == own else "", name, *figures, f"{outcome.seconds:.2f}"])
    table(["", "method", "NMI", "ARI", "ACC", "s per run"], rows, {2, 3, 4, 5})
    for name, outcome in outcomes.items():
        if outcome.why:
            print(f"  {name}: {outcome.why}")


def _print_ranks(outcomes: dict, datasets: list[str], names: list[str], own: str) -> None:
    """Print mean ranks over the datasets; a method without a result comes last."""
    from scipy.stats import rankdata

    from recoco.cli.show import table

    ranks = {}
    for metric in METRICS:
        per_dataset = [
            rankdata([-outcomes[d, name].scores.get(metric, -2.0) for name in names])
            for d in datasets
        ]
        ranks[metric] = dict(zip(names, np.mean(per_dataset, axis=0), strict=True))
    order = sorted(names, key=lambda name: (ranks["nmi"][name], ranks["ari"][name]))
    rows = []
    for name in order:
        seconds = np.mean([outcomes[d, name].seconds for d in datasets])
        figures = [f"{ranks[m][name]:.2f}" for m in METRICS]
        rows.append([">" if name == own else "", name, *figures, f"{seconds:.2f}"])
    print(f"\nmean ranks over {', '.join(datasets)} (1 is best)")
    table(["", "method", "NMI", "ARI", "ACC", "s per run"], rows, {2, 3, 4, 5})
    rank = 1 + sum(ranks["nmi"][name] < ranks["nmi"][own] for name in names)
    print(
        f"\n{own} ranks {rank} of {len(names)} by NMI. A few runs on {len(datasets)} small "
        "datasets give a rough ranking only: for a full comparison, add it to a paper's file "
        "(docs/bring-your-own.md)."
    )
