from pathlib import Path

from recoco.graph_stage import write_ensembles
from recoco.job import job

with job(snakemake):
    write_ensembles(
        Path(snakemake.input.data),
        snakemake.params.tasks,
        snakemake.params.settings,
        Path(snakemake.output[0]),
    )
