from pathlib import Path

from recoco.datasets import prepare
from recoco.engine.job import job

with job(snakemake):
    twin = snakemake.params.card.get("twin")
    files = (
        snakemake.wildcards.dataset,
        Path(snakemake.input.receipt).parent,
        Path(snakemake.output.data),
        Path(snakemake.output.characteristics),
    )
    if twin:
        from recoco.datasets.twins import prepare_twin

        prepare_twin(*files, twin["master_seed"])
    else:
        prepare(*files)
