# What the items about graphs read from the labels of runs: the consensus of the best runs inside
# and across graphs, and what the clusters of the best run say of the features.
rule ensembles:
    input:
        blocks_of_dataset,
        data="resources/prepared/{dataset}.npz",
    output:
        "results/ensembles/{dataset}.json",
    log:
        "logs/ensembles/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("ensembles"),
        runtime=minutes("ensembles"),
    params:
        tasks=lambda wildcards: graph_plan.ensembles_of(recoco_config, wildcards.dataset),
        settings=ranked_settings_of_dataset,
        code=fingerprint("recoco.graph_stage"),
    script:
        "../scripts/ensembles.py"


rule topics:
    input:
        blocks_of_dataset,
        data="resources/prepared/{dataset}.npz",
    output:
        "results/topics/{dataset}.json",
    log:
        "logs/topics/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("topics"),
        runtime=minutes("topics"),
    params:
        tasks=lambda wildcards: graph_plan.topics_of(recoco_config, wildcards.dataset),
        settings=ranked_settings_of_dataset,
        code=fingerprint("recoco.graph_stage"),
    script:
        "../scripts/topics.py"
