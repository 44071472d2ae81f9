from pathlib import Path

from recoco.compare.paper import Findings, compare_paper
from recoco.config import load_config
from recoco.job import job

with job(snakemake):
    given = snakemake.input
    compare_paper(
        load_config(snakemake.config),
        snakemake.wildcards.paper,
        Findings(
            scores=[Path(path) for path in given.scores],
            records=[Path(path) for path in given.characteristics],
            words=[Path(path) for path in given.words],
            coherence=[Path(path) for path in given.coherence],
            densities=[Path(path) for path in given.densities],
            coclusters=[Path(path) for path in given.coclusters],
            neighbours=[Path(path) for path in given.neighbours],
            studies=[Path(path) for path in given.studies],
        ),
        Path(given[0]).parent,
        Path(snakemake.output[0]).parent,
    )
