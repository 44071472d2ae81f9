from pathlib import Path

from recoco.cocluster_stage import write_coclusters
from recoco.job import job

with job(snakemake):
    write_coclusters(
        Path(snakemake.input.data),
        [Path(path) for path in snakemake.input.blocks],
        snakemake.params.runs,
        snakemake.params.place,
        snakemake.params.top,
        Path(snakemake.output[0]),
    )
