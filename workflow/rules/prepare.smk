rule prepare:
    input:
        card="config/datasets/{dataset}.yaml",
        receipt="resources/raw/{dataset}/receipt.json",
        printed="config/published/datasets.csv",
    output:
        data="resources/prepared/{dataset}.npz",
        characteristics="resources/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    params:
        code=fingerprint("recoco.datasets.preparation"),
    script:
        "../scripts/prepare.py"
