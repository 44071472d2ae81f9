from pathlib import Path

from recoco.engine.job import job
from recoco.engine.warm import compile_kernels

with job(snakemake):
    compile_kernels(snakemake.params.variants, snakemake.params.words)
    Path(snakemake.output[0]).write_text(snakemake.params.digest + "\n", encoding="utf-8")
