"""Hand jobs of the workflow to Kubernetes: submit and status, through kubectl.

Snakemake's own executor for Kubernetes knows no shared folder, and the plan of this workflow
looks at what is in the folder. So jobs are pods that mount the volume on which the folder is, and
Snakemake takes Kubernetes for a cluster (cluster-generic, see workflow/profiles/kubernetes).
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from recoco.errors import RecocoError

# A finished job can be asked about for so long; then Kubernetes removes it.
_SECONDS_KEPT = 3600
# Seconds to wait when Kubernetes does not answer; after the last Snakemake stops.
_PAUSES = (1, 5, 30, 60)


def manifest(
    script: Path, *, image: str, claim: str, mount: str, memory: int, minutes: int, cores: int
) -> dict:
    """Return the Kubernetes job that runs a job script of Snakemake.

    Parameters
    ----------
    script : the job script, on the volume
    image : container image with the Python of the environment
    claim : name of the persistent volume claim that the project is on (ReadWriteMany)
    mount : where the claim is mounted, here and in the jobs
    memory : MB; a pod that takes more is ended
    minutes : after which Kubernetes ends the job
    cores : processor cores
    """
    script = Path(script).resolve()
    if not script.is_relative_to(mount):
        raise RecocoError(
            f"{script} is not below {mount}, where pods see the volume {claim!r}: start recoco "
            "on that volume or correct --mount in the profile."
        )
    container = {
        "name": "job",
        "image": image,
        "command": ["/bin/sh", str(script)],
        "workingDir": str(Path.cwd()),
        "resources": {
            "requests": {"cpu": str(cores), "memory": f"{memory}M"},
            "limits": {"memory": f"{memory}M"},
        },
        "volumeMounts": [{"name": "project", "mountPath": mount}],
    }
    pod = {
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "project", "persistentVolumeClaim": {"claimName": claim}}],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"generateName": "recoco-", "labels": {"app": "recoco"}},
        "spec": {
            # Snakemake tries again itself, with more memory and time.
            "backoffLimit": 0,
            "activeDeadlineSeconds": 60 * minutes,
            "ttlSecondsAfterFinished": _SECONDS_KEPT,
            "template": {"metadata": {"labels": {"app": "recoco"}}, "spec": pod},
        },
    }


def status_of(job: dict) -> str:
    """Return what Snakemake wants to know of a job as Kubernetes describes it."""
    for condition in job.get("status", {}).get("conditions") or []:
        if condition["status"] == "True" and condition["type"] in ("Complete", "Failed"):
            return "success" if condition["type"] == "Complete" else "failed"
    return "running"


def main(arguments: list[str] | None = None) -> int:
    """Do what Snakemake asks; a mistake of the user is answered with one sentence and code 2."""
    parser = argparse.ArgumentParser(prog="python -m recoco.kubernetes")
    commands = parser.add_subparsers(required=True)
    submit = commands.add_parser("submit")
    submit.set_defaults(action=_submit)
    for name in ("--image", "--claim", "--mount"):
        submit.add_argument(name, required=True)
    for name in ("--memory", "--minutes", "--cores"):
        submit.add_argument(name, required=True, type=int)
    submit.add_argument("script", type=Path)
    status = commands.add_parser("status")
    status.set_defaults(action=_status)
    status.add_argument("job")
    options = parser.parse_args(arguments)
    try:
        options.action(options)
    except RecocoError as error:
        print(f"recoco: {error}", file=sys.stderr)
        return 2
    return 0


def _submit(options) -> None:
    given = {key: value for key, value in vars(options).items() if key != "action"}
    job = manifest(**given)
    print(_kubectl("create", "--filename=-", "--output=name", given=json.dumps(job)).strip())


def _status(options) -> None:
    for pause in (*_PAUSES, None):
        try:
            found = _kubectl("get", options.job, "--output=json", "--ignore-not-found")
        except RecocoError:
            if pause is None:
                raise
            time.sleep(pause)
        else:
            # One that is gone was removed by somebody.
            print(status_of(json.loads(found)) if found.strip() else "failed")
            return


def _kubectl(*arguments: str, given: str | None = None) -> str:
    try:
        done = subprocess.run(["kubectl", *arguments], input=given, capture_output=True, text=True)
    except FileNotFoundError:
        raise RecocoError("kubectl is not to be found: install it on this machine.") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise RecocoError(f"kubectl {arguments[0]} failed: {said[-1]}: see to it and start again.")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
