"""Progress of the workflow, read from Snakemake's output: a bar, or plain lines in a log."""

import re
import sys
import time
from collections import Counter

from recoco import plan
from recoco.config import Config
from recoco.core.errors import RecocoError
from recoco.plan.estimate import Estimate, in_words

_STEPS = re.compile(r"(\d+) of (\d+) steps")
# The table of planned jobs, a job that begins and what it is about, a job that has ended.
_PLANNED = re.compile(r"^(\w+) +(\d+)$")
_BEGUN = re.compile(r"^(?:local)?rule (\w+):$")
_WILDCARDS = re.compile(r"^    wildcards: (.+)$")
_NUMBER = re.compile(r"^    jobid: (\d+)$")
_FINISHED = re.compile(r"^Finished jobid: (\d+) \(Rule: (\w+)\)$")
# How the executors of clusters report that a job was submitted.
_SUBMITTED = re.compile(r"submitted with SLURM jobid|^Submitted .* with external jobid")
# Seconds between two updates. What is left is estimated from all files that are still missing.
_LIVE_EVERY, _PLAIN_EVERY = 0.25, 15.0
# What is counted, by the rule that makes it: one, and several.
_COUNTED = {"run": ("group of runs", "groups of runs"), "prepare": ("dataset", "datasets")}


class Progress:
    """Show what is being computed and the time left while Snakemake works.

    On a terminal one line is kept up to date; elsewhere (a log, CI) a line is printed every
    quarter of a minute.
    """

    def __init__(self, heading: str, estimate: Estimate | None, config: Config):
        self.heading, self.estimate, self.config = heading, estimate, config
        self.done = self.total = self.submitted = 0
        self.running: dict[str, str] = {}  # what each job does, by its number
        self.planned: Counter[str] = Counter()
        self.finished: Counter[str] = Counter()
        self._rule = self._job = ""
        self._live = sys.stdout.isatty()
        self._shown = self._began = time.monotonic()
        self._bar = None

    def __enter__(self):
        print(f"{self.heading}{self._todo()}", flush=True)
        if self._live:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (BarColumn(), TextColumn("{task.description}"))
            self._bar = Bar(*columns, transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=1)
        return self

    def _todo(self) -> str:
        if self.estimate is None:
            return ""
        if not self.estimate.blocks:
            return " (no runs missing)"
        left = in_words(self.estimate.seconds_left())
        return f" ({_number(self.estimate.blocks, 'run')}, about {left})"

    def read(self, line: str) -> str:
        """Take in a line of Snakemake's; return the rule of the job that has ended, or ""."""
        line = line.rstrip("\n")
        if match := _STEPS.search(line):
            self.done, self.total = int(match[1]), int(match[2])
        elif match := _FINISHED.match(line):
            self.running.pop(match[1], None)
            self.finished[match[2]] += 1
            return match[2]
        elif match := _BEGUN.match(line):
            self._rule = match[1]
        elif match := _NUMBER.match(line):
            self._job = match[1]
            self.running[self._job] = self._in_words({})
        elif match := _WILDCARDS.match(line):
            names = dict(part.partition("=")[::2] for part in match[1].split(", "))
            self.running[self._job] = self._in_words(names)
        elif match := _PLANNED.match(line):
            self.planned[match[1]] = int(match[2])
        elif _SUBMITTED.search(line):
            self.submitted += 1
        return ""

    def _in_words(self, names: dict[str, str]) -> str:
        """Return what a job does, "" if that depends on its names."""
        rule, dataset = self._rule, _title(names.get("dataset", ""))
        if rule == "kernels":
            return "compiling kernels"
        if rule in ("report", "archive"):
            return f"writing the {rule}"
        if not names:
            return ""
        if rule == "run":
            return f"{self._method(names['slug'].partition('@')[0])} on {dataset}"
        if rule == "compare":
            return f"comparing with {names['paper']}"
        if rule == "analyse":
            return f"{names['step']} of {names['paper']}"
        doing = {"fetch": "fetching", "prepare": "preparing", "score": "scoring"}
        return f"{doing[rule]} {dataset}" if rule in doing else f"{rule} of {dataset}"

    def _method(self, name: str) -> str:
        try:
            return plan.import_path(self.config, name).rpartition(":")[2]
        except (KeyError, RecocoError):
            return name

    def seconds_left(self) -> float:
        """Return the estimate of the jobs; without one, go by the pace of the steps so far."""
        left = self.estimate.seconds_left() if self.estimate else 0
        # Kernels are one step, but a long one.
        if left == 0 and self.done and self.finished["kernels"] == self.planned["kernels"]:
            left = (time.monotonic() - self._began) / self.done * (self.total - self.done)
        return left

    def _left(self, now: float) -> str:
        """Return the time left or, where it is unknown (as when compiling), the time so far."""
        if seconds := self.seconds_left():
            return f"about {in_words(seconds)} left"
        return f"{in_words(now - self._began)} so far"

    def line(self) -> str:
        """Return what is being done, how much of it was done, and the time left."""
        counts = [
            f"{self.finished[rule]} of {_number(self.planned[rule], rule)}"
            for rule in _COUNTED
            if self.finished[rule] < self.planned[rule]
        ]
        queued = [f"{self.submitted} jobs submitted"] if self.submitted else []
        doing = [words for words in self.running.values() if words][-1:]
        doing = doing or ([] if self.done else ["planning"])
        return ", ".join([*doing, *counts, *queued, self._left(time.monotonic())])

    def tick(self) -> None:
        now = time.monotonic()
        if now - self._shown < (_LIVE_EVERY if self._live else _PLAIN_EVERY):
            return
        self._shown = now
        if self._live:
            whole = max(self.total, 1)
            self._bar.update(self._task, completed=self.done, total=whole, description=self.line())
        else:
            print(f"  {self.line()}", flush=True)

    def __exit__(self, kind, *_):
        if self._bar:
            self._bar.stop()
        spent = in_words(time.monotonic() - self._began)
        if kind:
            done = f"stopped after {self.done} of {self.total} steps" if self.total else "stopped"
        elif self.done:
            counts = [
                _number(self.finished[rule], rule) for rule in _COUNTED if self.finished[rule]
            ]
            done = ", ".join(counts) or "done"
        else:
            done = "nothing to do"
        print(f"  {done}, {spent}", flush=True)


def _number(number: int, rule: str) -> str:
    return f"{number} {_COUNTED[rule][number != 1]}"


def _title(dataset: str) -> str:
    """Return the name of a dataset as people write it."""
    from recoco.datasets.card import load_card

    try:
        return load_card(dataset).get("title", dataset) if dataset else ""
    except RecocoError:
        return dataset
