from pathlib import Path

from recoco.engine.job import job
from recoco.runs.scoring import consensus_of_dataset

with job(snakemake):
    consensus_of_dataset(snakemake.params.settings, Path(snakemake.output[0]))
