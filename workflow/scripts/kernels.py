from pathlib import Path

from recoco.engine.job import job
from recoco.engine.warm import compile_in_parallel

with job(snakemake):
    params = snakemake.params
    compile_in_parallel(params.variants, params.words, snakemake.resources.processes)
    Path(snakemake.output[0]).write_text(params.digest + "\n", encoding="utf-8")
