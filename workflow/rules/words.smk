# What the papers show of words: the factors of some runs, computed again from the seeds of
# those runs, the texts in which pairs of words are counted, and how full the word-by-word
# matrix is.
rule words:
    input:
        data="resources/prepared/{dataset}.npz",
    output:
        "results/words/{dataset}/{weighting}/{slug}.npz",
    log:
        "logs/words/{dataset}/{weighting}/{slug}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("words"),
        runtime=minutes("words"),
    params:
        place=place_of_words,
        params=lambda wildcards: plan.parameters(recoco_config, words_setting(wildcards)),
        runs=lambda wildcards: runs_of_words(wildcards),
        top=word_plan.top_words(recoco_config),
        code=lambda wildcards: code_of_words(wildcards),
        master_seed=recoco_config.master_seed,
    script:
        "../scripts/words.py"


rule coherence:
    input:
        words=words_of_dataset,
        receipts=receipts_of_corpora,
    output:
        "results/coherence/{dataset}.npz",
    log:
        "logs/coherence/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("coherence"),
        runtime=minutes("coherence"),
    params:
        corpora=lambda wildcards: word_plan.corpora_of(recoco_config, wildcards.dataset),
        corpus=recoco_config.settings["coherence"]["corpus"],
        code=fingerprint("recoco.word_stage"),
    script:
        "../scripts/coherence.py"


rule densities:
    input:
        data="resources/prepared/{dataset}.npz",
    output:
        "results/densities/{dataset}.json",
    log:
        "logs/densities/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("densities"),
        runtime=minutes("densities"),
    params:
        shifts=lambda wildcards: word_plan.shifts_of(recoco_config, wildcards.dataset),
        code=fingerprint("recoco.word_stage"),
    script:
        "../scripts/densities.py"
