from pathlib import Path

from recoco.job import job
from recoco.score import score_dataset

with job(snakemake):
    settings = {
        name: ([Path(block) for block in entry["blocks"]], entry["runs"])
        for name, entry in snakemake.params.settings.items()
    }
    score_dataset(
        Path(snakemake.input.data),
        Path(snakemake.input.consensus),
        settings,
        Path(snakemake.output[0]),
    )
