from pathlib import Path

from recoco.job import job
from recoco.word_factors import write_words

with job(snakemake):
    names = snakemake.wildcards
    write_words(
        Path(snakemake.input.data),
        Path(snakemake.output[0]),
        identity=f"{names.dataset}/{names.weighting}/{names.slug}",
        place=snakemake.params.place,
        params=snakemake.params.params,
        weighting=names.weighting,
        runs=snakemake.params.runs,
        top=snakemake.params.top,
        master_seed=snakemake.params.master_seed,
    )
