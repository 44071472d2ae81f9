rule report:
    input:
        files_of_report(),
        "config/method_cards.yaml",
        reference_of_report(),
        compared=expand("results/compare/{paper}/{table}.csv", paper=papers(), table=list(OUTPUTS)),
        scores=expand("results/scores/{dataset}.parquet", dataset=PLAN.datasets),
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
        code=code_of_report(),
        templates=templates(),
        lines=code_lines(),
    script:
        "../scripts/report.py"
