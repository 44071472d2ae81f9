"""Progress of the workflow, read from Snakemake's output: a bar, or plain lines in a log."""

import re
import sys
import time

from recoco.plan.estimate import Estimate, in_words

_STEPS = re.compile(r"(\d+) of (\d+) steps")
# How the executors of clusters report that a job was submitted.
_SUBMITTED = re.compile(r"submitted with SLURM jobid|^Submitted .* with external jobid")
_PLAIN_EVERY = 15.0


class Progress:
    """Show steps done and time left while Snakemake works.

    On a terminal one line is kept up to date; elsewhere (a log, CI) a line is printed every
    quarter of a minute.
    """

    def __init__(self, heading: str, estimate: Estimate | None):
        self.heading, self.estimate = heading, estimate
        self.done = self.total = self.submitted = 0
        self._live = sys.stdout.isatty()
        self._shown = self._began = time.monotonic()
        self._bar = None

    def __enter__(self):
        print(f"{self.heading}{self._todo()}", flush=True)
        if self._live:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                BarColumn(),
                TextColumn("{task.completed:.0f}/{task.total:.0f} steps"),
                TextColumn("{task.fields[left]}"),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=1, left="")
        return self

    def _todo(self) -> str:
        if self.estimate is None:
            return ""
        if not self.estimate.blocks:
            return " (no runs missing)"
        left = in_words(self.estimate.seconds_left())
        return f" ({self.estimate.blocks} blocks of runs, about {left})"

    def read(self, line: str) -> None:
        match = _STEPS.search(line)
        if match:
            self.done, self.total = int(match[1]), int(match[2])
        elif _SUBMITTED.search(line):
            self.submitted += 1

    def seconds_left(self) -> float:
        """Return the estimate of the jobs; without one, go by the pace of the steps so far."""
        left = self.estimate.seconds_left() if self.estimate else 0
        if left == 0 and self.done:
            left = (time.monotonic() - self._began) / self.done * (self.total - self.done)
        return left

    def _left(self, now: float) -> str:
        """Return the time left or, where it is unknown (as when compiling), the time so far."""
        if seconds := self.seconds_left():
            return f"about {in_words(seconds)} left"
        return f"{in_words(now - self._began)} so far"

    def tick(self) -> None:
        now = time.monotonic()
        if self._live:
            left = self._left(now)
            self._bar.update(self._task, completed=self.done, total=max(self.total, 1), left=left)
        elif now - self._shown >= _PLAIN_EVERY:
            self._shown = now
            steps = f"{self.done} of {self.total} steps" if self.total else "running"
            queued = f", {self.submitted} jobs submitted" if self.submitted else ""
            print(f"  {steps}{queued}, {self._left(now)}", flush=True)

    def __exit__(self, kind, *_):
        if self._bar:
            self._bar.stop()
        spent = in_words(time.monotonic() - self._began)
        steps = f"{self.done} step{'s' * (self.done > 1)}" if self.done else "nothing to do"
        if kind:
            steps = f"stopped after {self.done} of {self.total} steps" if self.total else "stopped"
        print(f"  {steps}, {spent}", flush=True)
