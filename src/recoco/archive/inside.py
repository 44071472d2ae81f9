"""The confined part of a verification: derive an archive's numbers again, compare its inputs.

This runs in a process of its own (see :mod:`recoco.archive.verify`), which gives up its rights
before it reads anything of the archive.
"""

import json
import sys
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.core.limits import limit_memory
from recoco.core.sandbox import NoSandbox, confine
from recoco.core.texts import one_line


def main(task_file: str) -> int:
    """Do what the task says; return 0 if there is no difference, 1 if there is, 2 on errors."""
    task = json.loads(Path(task_file).read_text(encoding="utf-8"))
    try:
        replaced = {Path(folder): Path(copy) for folder, copy in task["replaced"].items()}
        confine([Path(task["scratch"])], replaced)
        print("sandbox: no network, and nothing can be written but a temporary folder")
    except NoSandbox as error:
        print(f"sandbox: not available here ({error}); nothing of the archive is run all the same")
    sys.stdout.flush()
    # The verifier's own methods may lie in the project; last, so that they shadow nothing.
    sys.path.append(task["here"])
    try:
        limit_memory()
        return _examine(task)
    except RecocoError as error:
        print(f"recoco: {one_line(str(error), 1000)}", file=sys.stderr)
    except MemoryError:
        print("recoco: The archive needs more memory than this machine has.", file=sys.stderr)
    except Exception as error:  # a file may be malformed in any way
        text = one_line(str(error), 200) or "no message"
        print(
            f"recoco: The archive cannot be verified ({type(error).__name__}: {text}): "
            "it is malformed, or another version of recoco wrote it.",
            file=sys.stderr,
        )
    return 2


def _examine(task: dict) -> int:
    from recoco.archive.data import choose_data, project_at
    from recoco.archive.derive import derive
    from recoco.archive.inputs import compare_inputs
    from recoco.archive.levels import Findings
    from recoco.archive.opening import open_archive
    from recoco.archive.trust import trusted_config, unpack_data

    scratch, here = Path(task["scratch"]), Path(task["here"])
    folder = scratch / "archive"
    with open_archive(Path(task["archive"])) as opened:
        provenance = opened.json("results/provenance.json")
        if not isinstance(provenance, dict) or not isinstance(provenance.get("settings"), dict):
            raise RecocoError("results/provenance.json in the archive has no settings.")
        unpack_data(opened, folder, here)
    with project_at(folder):
        config = trusted_config(folder, here, provenance["settings"])
        findings = Findings(list(config.papers))
        compare_inputs(config, folder, here, task["papers"], findings)
        available = choose_data(config, folder, scratch / "own", task["reasons"], findings)
        derive(config, folder, scratch, provenance, available, task["cores"], findings)
        if task["rerun"]:
            _repeat(config, folder, task, available, findings)
    findings.print_all()
    print(findings.verdict(), flush=True)
    return 1 if findings.differences else 0


def _repeat(config, folder: Path, task: dict, available: set[str], findings) -> None:
    from recoco import plan
    from recoco.archive.levels import RERUNS
    from recoco.archive.rerun import run_again, sample, trials_of

    plan.check_parameters(config)
    drawn_data = plan.twins(folder)
    trials = [t for t in trials_of(config, folder) if t.setting.dataset not in drawn_data]
    drawn = sample(trials, task["rerun"], task["seed"])
    users = {key: set(plan.settings_of(config.alone(key))) for key in config.papers}
    same = 0
    for trial in drawn:
        papers = [key for key, settings in users.items() if trial.setting in settings]
        if trial.setting.dataset not in available:
            findings.missing(RERUNS, f"{trial.name}: its data is not available", papers)
            continue
        outcome = run_again(config, trial, folder)
        print(f"  {trial.name}: {outcome}", flush=True)
        same += outcome == "identical"
        if outcome != "identical":
            findings.differs(RERUNS, f"{trial.name}: {outcome}", papers)
        for key in papers:
            equal, total = findings.repeated.get(key, (0, 0))
            findings.repeated[key] = equal + (outcome == "identical"), total + 1
    print(
        f"rerun: {same} of {len(drawn)} trials identical, drawn from {len(trials)} "
        f"(seed {task['seed']})"
    )
