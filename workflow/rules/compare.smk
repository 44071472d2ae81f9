rule compare:
    input:
        files_of_paper,
        scores=lambda wildcards: PLAN.scores_of(wildcards.paper),
        records=lambda wildcards: PLAN.records_of(wildcards.paper),
        analyses=lambda wildcards: PLAN.analyses_of(wildcards.paper),
    output:
        expand("results/compare/{{paper}}/{table}.csv", table=list(OUTPUTS)),
    log:
        "logs/compare/{paper}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("compare"),
        runtime=minutes("compare"),
    params:
        paper=lambda wildcards: recoco_config.papers[wildcards.paper],
        # In one order: that of a file or of a saved configuration would make it run again.
        verdicts=dict(sorted(recoco_config.settings["verdicts"].items())),
        others=printed_papers,
        best_of=recoco_config.settings["runs"]["best_of"],
        code=lambda wildcards: fingerprint(
            "recoco.compare.paper:compare_paper", *kinds_of(wildcards.paper)
        ),
    script:
        "../scripts/compare.py"
