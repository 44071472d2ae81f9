from recoco.job import job
from recoco.warm import compile_kernels

with job(snakemake):
    compile_kernels()
