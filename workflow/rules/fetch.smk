rule fetch:
    input:
        card="config/datasets/{dataset}.yaml",
    output:
        receipt="resources/raw/{dataset}/receipt.json",
    log:
        "logs/fetch/{dataset}.log",
    script:
        "../scripts/fetch.py"
