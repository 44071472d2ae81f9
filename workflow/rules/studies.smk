# What the papers show beside their tables: features that stand for a cluster, times on random
# data, objectives by iteration. Seconds are kept apart: they differ each time.
rule representatives:
    input:
        data="resources/prepared/{dataset}.npz",
        blocks=blocks_of_setting,
    output:
        "results/representatives/{dataset}/{weighting}/{slug}.json",
    log:
        "logs/representatives/{dataset}/{weighting}/{slug}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("representatives"),
        runtime=minutes("representatives"),
    params:
        place=place_of_run,
        total=lambda wildcards: BLOCKS[name_of(wildcards)][1],
        top=lambda wildcards: REPRESENTATIVES[name_of(wildcards)],
        code=lambda wildcards: fingerprint("recoco.study_stage"),
    script:
        "../scripts/representatives.py"


rule scaling:
    output:
        "results/scaling/{paper}/{item}.seconds.json",
    log:
        "logs/scaling/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("scaling"),
        runtime=minutes("scaling"),
    params:
        place=place_of_study,
        block=block_of_study,
        runs=runs_of_study,
        code=code_of_study,
        master_seed=recoco_config.master_seed,
    script:
        "../scripts/scaling.py"


rule convergence:
    output:
        "results/convergence/{paper}/{item}.json",
    log:
        "logs/convergence/{paper}/{item}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("convergence"),
        runtime=minutes("convergence"),
    params:
        place=place_of_study,
        block=block_of_study,
        runs=runs_of_study,
        code=code_of_study,
        master_seed=recoco_config.master_seed,
    script:
        "../scripts/convergence.py"
