rule report:
    input:
        "config/published/published.csv",
        "config/published/errata.csv",
        "config/method_cards.yaml",
        compared=expand("results/compare/{paper}/cells.csv", paper=papers()),
        scores=expand("results/scores/{dataset}.parquet", dataset=datasets_with_runs()),
        characteristics=characteristics_of_all(),
    output:
        page=report("reports/index.html", category="Site", caption="../report/site.rst"),
        picture="reports/verdicts.svg",
        provenance="results/provenance.json",
        timings="results/timings.csv",
        tables=report(
            directory("reports/tables"),
            patterns=["{name}.csv"],
            category="Tables",
            caption="../report/table.rst",
        ),
        figures=report(
            directory("reports/figures"),
            patterns=["{name}.svg"],
            category="Figures",
            caption="../report/figure.rst",
        ),
        data=directory("reports/data"),
    log:
        "logs/report.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("report"),
        runtime=minutes("report"),
    params:
        papers=recoco_config.papers,
        runs=run_counts(recoco_config, Path()),
        code=fingerprint("recoco.report.site", "recoco.provenance"),
        templates=templates(),
        lines=code_lines(),
    script:
        "../scripts/report.py"
