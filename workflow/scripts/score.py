from pathlib import Path

from recoco.engine.job import job
from recoco.runs.scoring import score_dataset

with job(snakemake):
    score_dataset(
        Path(snakemake.input.data),
        Path(snakemake.input.consensus),
        snakemake.params.settings,
        Path(snakemake.output[0]),
    )
