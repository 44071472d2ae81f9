from pathlib import Path

from recoco.datasets import prepare
from recoco.engine.job import job

with job(snakemake):
    prepare(
        snakemake.wildcards.dataset,
        Path(snakemake.input.receipt).parent,
        Path(snakemake.output.data),
        Path(snakemake.output.characteristics),
    )
