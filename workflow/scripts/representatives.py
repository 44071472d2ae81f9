from pathlib import Path

from recoco.job import job
from recoco.study_stage import write_representatives

with job(snakemake):
    write_representatives(
        Path(snakemake.input.data),
        [Path(path) for path in snakemake.input.blocks],
        snakemake.params.total,
        snakemake.params.place,
        snakemake.wildcards.weighting,
        snakemake.params.top,
        Path(snakemake.output[0]),
    )
