"""Snakemake without its limit of jobs a second."""

from snakemake.scheduling.job_scheduler import JobScheduler

from recoco.replanning import plan_when_jobs_end


def test_a_scheduler_has_no_limit(monkeypatch):
    def plain(self, workflow):
        self.workflow, self.job_rate_limiter = workflow, "100 a second"

    monkeypatch.setattr(JobScheduler, "__init__", plain)
    plan_when_jobs_end()
    once = JobScheduler.__init__
    plan_when_jobs_end()  # the Snakefile may be read twice
    assert JobScheduler.__init__ is once
    made = JobScheduler("a workflow")
    assert made.workflow == "a workflow" and made.job_rate_limiter is None
