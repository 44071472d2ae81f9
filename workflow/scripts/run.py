from pathlib import Path

from recoco.job import job
from recoco.run import run_block

with job(snakemake):
    names = snakemake.wildcards
    run_block(
        Path(snakemake.input.data),
        Path(snakemake.output.labels),
        Path(snakemake.output.seconds),
        identity=f"{names.dataset}/{names.weighting}/{names.slug}",
        method=snakemake.params.method,
        place=snakemake.params.place,
        params=snakemake.params.params,
        weighting=names.weighting,
        start=int(names.start),
        stop=int(names.stop),
        master_seed=snakemake.params.master_seed,
        time_limit=snakemake.params.time_limit,
    )
