from pathlib import Path

from recoco.job import job
from recoco.word_stage import write_densities

with job(snakemake):
    write_densities(Path(snakemake.input.data), snakemake.params.shifts, Path(snakemake.output[0]))
