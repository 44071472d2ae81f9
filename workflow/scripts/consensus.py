from pathlib import Path

from recoco.job import job
from recoco.score import consensus_of_dataset

with job(snakemake):
    settings = {
        name: ([Path(block) for block in entry["blocks"]], entry["runs"])
        for name, entry in snakemake.params.settings.items()
    }
    consensus_of_dataset(settings, Path(snakemake.output[0]))
