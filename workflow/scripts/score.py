from pathlib import Path

from recoco.job import job
from recoco.score import score_dataset

with job(snakemake):
    score_dataset(
        Path(snakemake.input.data),
        Path(snakemake.input.consensus),
        snakemake.params.settings,
        Path(snakemake.output[0]),
    )
