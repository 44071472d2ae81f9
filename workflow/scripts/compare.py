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
            ensembles=[Path(path) for path in given.ensembles],
            topics=[Path(path) for path in given.topics],
        ),
        Path(given[0]).parent,
        Path(snakemake.output[0]).parent,
    )
