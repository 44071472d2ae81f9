from pathlib import Path

from recoco.graph_stage import write_topics
from recoco.job import job

with job(snakemake):
    write_topics(
        Path(snakemake.input.data),
        snakemake.params.tasks,
        snakemake.params.settings,
        Path(snakemake.output[0]),
    )
