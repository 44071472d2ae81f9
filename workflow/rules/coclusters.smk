# What the papers show of co-clusters: the matrix in their order, their classes, their words.
rule coclusters:
    input:
        blocks=blocks_of_coclusters,
        data="resources/prepared/{dataset}.npz",
    output:
        "results/coclusters/{dataset}/{weighting}/{slug}.npz",
    log:
        "logs/coclusters/{dataset}/{weighting}/{slug}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("coclusters"),
        runtime=minutes("coclusters"),
    params:
        place=lambda wildcards: place_of_coclusters(wildcards),
        runs=lambda wildcards: runs_of_coclusters(wildcards),
        top=cocluster_plan.top_words(recoco_config),
        code=fingerprint("recoco.cocluster_stage"),
    script:
        "../scripts/coclusters.py"


# Pairs of their words, counted in texts that the dataset is not made of.
rule neighbours:
    input:
        words=coclusters_of_dataset,
        receipts=receipts_of_neighbours,
    output:
        "results/neighbours/{dataset}.npz",
    log:
        "logs/neighbours/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("neighbours"),
        runtime=minutes("neighbours"),
    params:
        corpora=lambda wildcards: cocluster_plan.corpora_of(recoco_config, wildcards.dataset),
        corpus=recoco_config.settings["coherence"]["corpus"],
        code=fingerprint("recoco.word_stage"),
    script:
        "../scripts/coherence.py"
