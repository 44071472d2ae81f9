rule consensus:
    input:
        blocks_of_dataset,
    output:
        "results/consensus/{dataset}.npz",
    log:
        "logs/consensus/{dataset}.log",
    priority: early
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("consensus"),
        runtime=minutes("consensus"),
    params:
        settings=run_counts_of_dataset,
        code=fingerprint("recoco.runs.scoring"),
    script:
        "../scripts/consensus.py"
