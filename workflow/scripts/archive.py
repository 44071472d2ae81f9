from pathlib import Path

from recoco.archive.pack import pack
from recoco.config import load_config
from recoco.engine.job import job

with job(snakemake):
    out = snakemake.output
    pack(load_config(snakemake.config), Path.cwd(), Path(out.zip), Path(out.machine))
