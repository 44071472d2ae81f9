rule score:
    input:
        blocks_of_dataset,
        data="resources/prepared/{dataset}.npz",
        consensus="results/consensus/{dataset}.npz",
    output:
        "results/scores/{dataset}.parquet",
    log:
        "logs/score/{dataset}.log",
    priority: early
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("score"),
        runtime=minutes("score"),
    params:
        settings=run_counts_of_dataset,
        code=fingerprint("recoco.runs.scoring"),
    script:
        "../scripts/score.py"
