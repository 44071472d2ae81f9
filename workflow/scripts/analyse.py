from pathlib import Path

from recoco.engine.job import job
from recoco.items.kind import run_analysis

with job(snakemake):
    run_analysis(
        snakemake.params.function,
        {name: list(snakemake.input[name]) for name in snakemake.params.names},
        snakemake.params.task,
        Path(snakemake.output.result),
        Path(snakemake.output.readings),
    )
