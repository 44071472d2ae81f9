from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/consensus.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/archive.smk"


# fetch -> prepare -> run -> consensus -> score -> analyse -> compare -> report -> archive
rule all:
    default_target: True
    input:
        "reports/index.html",


rule data:
    input:
        characteristics_of_all(),
