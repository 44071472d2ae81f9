rule score:
    input:
        blocks_of_dataset,
        data="resources/prepared/{dataset}.npz",
        consensus="results/consensus/{dataset}.npz",
    output:
        "results/scores/{dataset}.parquet",
    log:
        "logs/score/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        settings=run_counts_of_dataset,
        code=fingerprint("recoco.score"),
    script:
        "../scripts/score.py"
