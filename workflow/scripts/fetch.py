from pathlib import Path

from recoco.datasets import fetch
from recoco.engine.job import job

with job(snakemake):
    receipt = Path(snakemake.output.receipt)
    fetch(snakemake.wildcards.dataset, receipt.parent)
