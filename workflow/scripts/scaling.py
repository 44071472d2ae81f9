from pathlib import Path

from recoco.job import job
from recoco.study_plan import sizes_of
from recoco.study_stage import write_scaling

with job(snakemake):
    block = snakemake.params.block
    write_scaling(
        f"{snakemake.wildcards.paper}/{snakemake.wildcards.item}",
        snakemake.params.place,
        block["variants"],
        sizes_of(block),
        block["density"],
        snakemake.params.runs,
        snakemake.params.master_seed,
        Path(snakemake.output[0]),
    )
