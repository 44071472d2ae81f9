# Compiled first, so that no two jobs compile the same code. It is not an input of the runs, because
# recompiling must not make results out of date: `recoco reproduce` requests it first, and without
# it each job compiles what it needs.
rule kernels:
    output:
        "resources/kernels.done",
    log:
        "logs/kernels.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory("kernels"),
        runtime=minutes("kernels"),
        processes=1,
    params:
        variants=lambda wildcards: variants_of(recoco_config),
        words=words_of(recoco_config),
        digest=lambda wildcards: digest_of(variants_of(recoco_config), words_of(recoco_config)),
    script:
        "../scripts/kernels.py"


# Small datasets first: the first table comes early.
rule run:
    input:
        data="resources/prepared/{dataset}.npz",
    output:
        labels="results/runs/{dataset}/{weighting}/{slug}/{start}-{stop}.npz",
        seconds="results/runs/{dataset}/{weighting}/{slug}/{start}-{stop}.seconds.json",
    log:
        "logs/runs/{dataset}/{weighting}/{slug}/{start}-{stop}.log",
    priority: early
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=memory("run"),
        runtime=minutes("run"),
    params:
        identity=name_of,
        method=method_of,
        import_path=import_path_of_run,
        params=parameters_of,
        code=code_of_run,
        master_seed=recoco_config.master_seed,
        time_limit=recoco_config.settings["time_limit"],
    script:
        "../scripts/run.py"
