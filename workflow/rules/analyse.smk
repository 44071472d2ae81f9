# What a kind of table or figure needs in addition to scores: words, co-clusters, times, ensembles.
# The kind (src/recoco/items) defines how. Clock readings, which always differ, have their own file.
rule analyse:
    input:
        unpack(inputs_of_analysis),
    output:
        result="results/analyse/{paper}/{step}/{part}",
        readings="results/analyse/{paper}/{step}/{part}.seconds.json",
    log:
        "logs/analyse/{paper}/{step}/{part}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("analyse"),
        runtime=minutes("analyse"),
    params:
        names=lambda wildcards: list(analysis_of(wildcards).inputs),
        function=lambda wildcards: analysis_of(wildcards).function,
        task=lambda wildcards: analysis_of(wildcards).task,
        code=code_of_analysis,
    script:
        "../scripts/analyse.py"
