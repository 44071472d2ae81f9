from pathlib import Path

from recoco.compare.paper import compare_paper
from recoco.config import load_config
from recoco.job import job

with job(snakemake):
    compare_paper(
        load_config(snakemake.config),
        snakemake.wildcards.paper,
        [Path(path) for path in snakemake.input.scores],
        [Path(path) for path in snakemake.input.characteristics],
        Path(snakemake.input[0]).parent,
        Path(snakemake.output[0]).parent,
    )
