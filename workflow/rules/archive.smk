# Everything behind the report in one zip; machine and seconds are in a file of their own.
rule archive:
    input:
        documents(),
        page="reports/index.html",
        provenance="results/provenance.json",
    output:
        zip="dist/recoco-archive.zip",
        machine="dist/recoco-archive.machine.json",
    log:
        "logs/archive.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("archive"),
        runtime=minutes("archive"),
    params:
        commit=commit_now(),
        code=fingerprint("recoco.archive.pack"),
    script:
        "../scripts/archive.py"
