# What a leaderboard has beside the runs of each method: the consensus of all of them on a dataset,
# and the seconds of their runs, which are kept apart because they differ each time.
rule fusions:
    input:
        blocks_of_fusions,
        data="resources/prepared/{dataset}.npz",
    output:
        fused="results/fusions/{dataset}.json",
        seconds="results/fusions/{dataset}.seconds.json",
    log:
        "logs/fusions/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("fusions"),
        runtime=minutes("fusions"),
    params:
        tasks=lambda wildcards: leaderboard_plan.fusions_of(recoco_config, wildcards.dataset),
        settings=settings_of_fusions,
        master_seed=recoco_config.master_seed,
        code=fingerprint("recoco.fusion_stage"),
    script:
        "../scripts/fusions.py"
