from pathlib import Path

from recoco.engine.job import block_of, job

with job(snakemake):
    # Imported only here: a warm worker that takes over the job has it already.
    from recoco.runs.block import run_block

    run_block(
        block_of(snakemake),
        Path(snakemake.input.data),
        Path(snakemake.output.labels),
        Path(snakemake.output.seconds),
    )
