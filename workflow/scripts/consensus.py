from pathlib import Path

from recoco.job import job
from recoco.score import consensus_of_dataset

with job(snakemake):
    consensus_of_dataset(snakemake.params.settings, Path(snakemake.output[0]))
