"""Submit jobs of the workflow to Kubernetes and query their status, through kubectl.

Snakemake's own executor for Kubernetes does not support a shared folder, but the plan of this
workflow depends on what is in the folder. Jobs are therefore pods that mount the volume with the
folder, and Snakemake treats Kubernetes as a generic cluster (see profiles/kubernetes).
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from recoco.core.errors import RecocoError

# Kubernetes removes a finished job after this time; until then its status can be queried.
_SECONDS_KEPT = 3600
# Seconds to wait when Kubernetes does not answer; after the last pause Snakemake stops.
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
    memory : MB; a pod that uses more is killed
    minutes : time after which Kubernetes kills the job
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
            # Snakemake retries by itself, with more memory and time.
            "backoffLimit": 0,
            "activeDeadlineSeconds": 60 * minutes,
            "ttlSecondsAfterFinished": _SECONDS_KEPT,
            "template": {"metadata": {"labels": {"app": "recoco"}}, "spec": pod},
        },
    }


def status_of(job: dict) -> str:
    """Translate the status of a Kubernetes job into the word that Snakemake expects."""
    for condition in job.get("status", {}).get("conditions") or []:
        if condition["status"] == "True" and condition["type"] in ("Complete", "Failed"):
            return "success" if condition["type"] == "Complete" else "failed"
    return "running"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; a user error prints one sentence and returns 2."""
    parser = argparse.ArgumentParser(prog="python -m recoco.engine.kubernetes")
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
    job = manifest(**{key: value for key, value in vars(options).items() if key != "action"})
    print(_kubectl("create", "--filename=-", "--output=name", stdin=json.dumps(job)).strip())


def _status(options) -> None:
    for pause in (*_PAUSES, None):
        try:
            answer = _kubectl("get", options.job, "--output=json", "--ignore-not-found")
        except RecocoError:
            if pause is None:
                raise
            time.sleep(pause)
        else:
            # A job that no longer exists was deleted by somebody.
            print(status_of(json.loads(answer)) if answer.strip() else "failed")
            return


def _kubectl(*arguments: str, stdin: str | None = None) -> str:
    try:
        done = subprocess.run(["kubectl", *arguments], input=stdin, capture_output=True, text=True)
    except FileNotFoundError:
        raise RecocoError("kubectl was not found: install it on this machine.") from None
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RecocoError(f"kubectl {arguments[0]} failed ({message}): fix that and start again.")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
