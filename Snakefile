from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/consensus.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/words.smk"
include: "workflow/rules/coclusters.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/fusions.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/archive.smk"


# One straight line: fetch -> prepare -> run -> consensus -> score -> compare -> report -> archive.
rule all:
    default_target: True
    input:
        "reports/index.html",


rule data:
    input:
        characteristics_of_all(),
