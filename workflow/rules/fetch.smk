# Nodes of a cluster often see no network: the machine that leads them fetches.
localrules:
    fetch,


# A rewritten description or citation is no reason to fetch again; other sources are.
rule fetch:
    output:
        receipt="resources/raw/{dataset}/receipt.json",
    log:
        "logs/fetch/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        sources=lambda wildcards: load_card(wildcards.dataset)["sources"],
    script:
        "../scripts/fetch.py"
