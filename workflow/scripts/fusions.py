from pathlib import Path

from recoco.fusion_stage import write_fusions
from recoco.job import job

with job(snakemake):
    write_fusions(
        Path(snakemake.input.data),
        snakemake.params.tasks,
        snakemake.params.settings,
        snakemake.params.master_seed,
        Path(snakemake.output.fused),
        Path(snakemake.output.seconds),
    )
