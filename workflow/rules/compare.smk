rule compare:
    input:
        published_files(),
        scores=scores_of_paper,
        records=characteristics_of_paper,
        words=words_of_paper,
        coherence=coherence_of_paper,
        densities=densities_of_paper,
        coclusters=coclusters_of_paper,
        neighbours=neighbours_of_paper,
        studies=studies_of_paper,
        ensembles=ensembles_of_paper,
        topics=topics_of_paper,
        fusions=fusions_of_paper,
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
        verdicts=recoco_config.settings["verdicts"],
        others=printed_papers,
        best_of=recoco_config.settings["runs"]["best_of"],
        code=fingerprint("recoco.compare.paper"),
    script:
        "../scripts/compare.py"
