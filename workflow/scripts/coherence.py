from pathlib import Path

from recoco.job import job
from recoco.word_stage import write_coherence

with job(snakemake):
    write_coherence(
        snakemake.wildcards.dataset,
        [Path(path) for path in snakemake.input.words],
        snakemake.params.corpora,
        snakemake.params.corpus,
        Path(snakemake.output[0]),
    )
