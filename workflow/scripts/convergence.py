from pathlib import Path

from recoco.job import job
from recoco.study_stage import write_convergence

with job(snakemake):
    block = snakemake.params.block
    write_convergence(
        f"{snakemake.wildcards.paper}/{snakemake.wildcards.item}",
        snakemake.params.place,
        objects=block["sizes"]["objects"],
        features=block["sizes"]["features"],
        blocks=block["blocks"],
        flips=block["flips"],
        iterations=block["iterations"],
        points=block.get("points", 100),
        runs=snakemake.params.runs,
        master_seed=snakemake.params.master_seed,
        out=Path(snakemake.output[0]),
    )
