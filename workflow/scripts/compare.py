from pathlib import Path

from recoco.compare.comparison import Findings
from recoco.compare.paper import compare_paper
from recoco.config import load_config
from recoco.engine.job import job

with job(snakemake):
    names = ("scores", "records", "analyses")
    compare_paper(
        load_config(snakemake.config),
        snakemake.wildcards.paper,
        Findings(
            **{name: [Path(path) for path in snakemake.input.get(name, [])] for name in names}
        ),
        Path(snakemake.output[0]).parent,
    )
