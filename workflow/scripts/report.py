from pathlib import Path

from recoco.config import load_config
from recoco.engine.job import job
from recoco.report import render
from recoco.report.provenance import write_provenance, write_timings

with job(snakemake):
    characteristics = [Path(path) for path in snakemake.input.characteristics]
    provenance = Path(snakemake.output.provenance)
    config = load_config(snakemake.config)
    write_provenance(config, characteristics, snakemake.params.runs, provenance)
    timings = Path(snakemake.output.timings)
    write_timings(config, Path(), timings)
    folders = [Path(path).parent for path in snakemake.input.compared]
    render(
        compare_dirs={folder.name: folder for folder in folders},
        scores=[Path(path) for path in snakemake.input.scores],
        characteristics=characteristics,
        provenance=provenance,
        config_dir=Path("config"),
        out_dir=Path(snakemake.output.page).parent,
        timings=timings,
        with_reference=Path(),
    )
