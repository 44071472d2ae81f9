"""Commas in wildcards, on their way to a job on another machine.

Snakemake tells such a job its wildcards as ``rule:name=value,name=value`` and cuts that at every
comma, those in a value too (its issue 2366): a job for ``coclus,n_init=20`` would come back as one
for ``coclus``. Folders of results have such names. So commas are written otherwise on the way.
"""

from functools import wraps

# No wildcard of the workflow may have a per cent sign: see wildcard_constraints.
_COMMA = "%2C"


def encode(targets) -> list[str]:
    """Return jobs as Snakemake's option --target-jobs takes them."""
    return [
        f"{target.rulename}:"
        + ",".join(
            f"{name}={str(value).replace(',', _COMMA)}"
            for name, value in target.wildcards_dict.items()
        )
        for target in targets
    ]


def decode(wildcards: dict | None) -> dict | None:
    """Return wildcards as they were before :func:`encode`."""
    if wildcards is None:
        return None
    return {
        name: value.replace(_COMMA, ",") if isinstance(value, str) else value
        for name, value in wildcards.items()
    }


def keep_commas() -> None:
    """Let this Snakemake send and take commas; to be called when the Snakefile is read.

    The process that leads and those on other machines all read it, before jobs are made.
    """
    from snakemake.dag import DAG
    from snakemake_interface_executor_plugins.executors import real

    if real.encode_target_jobs_cli_args is encode:
        return
    real.encode_target_jobs_cli_args = encode
    plain = DAG.new_job

    @wraps(plain)
    async def new_job(self, rule, targetfile=None, format_wildcards=None, wildcards_dict=None):
        return await plain(self, rule, targetfile, format_wildcards, decode(wildcards_dict))

    DAG.new_job = new_job
