"""Snakemake chooses the next job when one has ended, and not every second besides.

To start no more than 100 jobs a second it looks again a second after every look, and each look that
follows the end of a job begins another such chain. After a hundred jobs it does hardly anything
else: with a thousand that are ready this took a quarter of a core from them. No computer
starts 100 of our jobs in a second, so the limit is left out; Snakemake's command line cannot do it.
"""

from functools import wraps


def plan_when_jobs_end() -> None:
    """Let this Snakemake know no limit; to be called when the Snakefile is read."""
    from snakemake.scheduling.job_scheduler import JobScheduler

    plain = JobScheduler.__init__
    if hasattr(plain, "__wrapped__"):
        return

    @wraps(plain)
    def init(self, *arguments, **options):
        plain(self, *arguments, **options)
        self.job_rate_limiter = None

    JobScheduler.__init__ = init
