# Nodes of a cluster often have no network access, so the machine that leads them fetches.
localrules:
    fetch,


# Other sources are a reason to fetch again; a new description or citation is not.
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
