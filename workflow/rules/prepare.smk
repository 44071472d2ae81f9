rule prepare:
    input:
        receipt="resources/raw/{dataset}/receipt.json",
    output:
        data="resources/prepared/{dataset}.npz",
        characteristics="resources/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("prepare"),
        runtime=minutes("prepare"),
    params:
        card=card_of,
        code=code_of_prepare,
    script:
        "../scripts/prepare.py"
