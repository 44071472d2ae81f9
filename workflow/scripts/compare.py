from pathlib import Path

from recoco.compare.comparison import Findings
from recoco.compare.paper import compare_paper
from recoco.config import load_config
from recoco.job import job

with job(snakemake):
    given = snakemake.input
    names = list(Findings.__dataclass_fields__)
    compare_paper(
        load_config(snakemake.config),
        snakemake.wildcards.paper,
        Findings(**{name: [Path(path) for path in given.get(name, [])] for name in names}),
        Path(given[0]).parent,
        Path(snakemake.output[0]).parent,
    )
