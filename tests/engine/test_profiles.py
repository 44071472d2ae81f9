"""Profiles are complete and use options that Snakemake and its executors know."""

import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest
import yaml

from recoco.config import load_config
from recoco.core.errors import RecocoError
from recoco.engine import kubernetes
from recoco.engine.profiles import find_profile
from recoco.plan import settings_of
from support.projects import CHECKOUT, recoco, write_yaml
from workflow.test_workflow import content

PROFILES = sorted(path.parent.name for path in (CHECKOUT / "profiles").glob("*/*.yaml"))


def settings(name: str) -> dict:
    return yaml.safe_load((CHECKOUT / "profiles" / name / "config.yaml").read_text())


@pytest.fixture(scope="module")
def options() -> dict:
    """Return every option that Snakemake takes here, those of its executors too."""
    from snakemake.cli import get_argument_parser

    known = {}
    for action in get_argument_parser()._actions:
        known |= {option.removeprefix("--"): action for option in action.option_strings}
    return known


@pytest.mark.parametrize("name", PROFILES)
def test_every_key_is_an_option(name, options):
    for key, value in settings(name).items():
        assert key in options, f"{name}: Snakemake has no option --{key}"
        if options[key].type in (int, float):
            assert isinstance(value, int | float), key
        if options[key].choices:
            assert set(value if isinstance(value, list) else [value]) <= set(options[key].choices)


@pytest.mark.parametrize("name", [name for name in PROFILES if name != "default"])
def test_profiles_for_clusters_are_complete(name):
    from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

    told = settings(name)
    assert ExecutorPluginRegistry().is_installed(told["executor"])
    assert told["jobs"] > 1 and told["cores"] == 1 and told["retries"] >= 1
    grouped = dict(entry.split("=") for entry in told["groups"])
    rules = re.findall(r"^rule (\w+):", "".join(p.read_text() for p in rule_files()), re.MULTILINE)
    assert set(grouped) <= set(rules)
    assert {entry.split("=")[0] for entry in told["group-components"]} == set(grouped.values())


def rule_files() -> list[Path]:
    return sorted((CHECKOUT / "workflow" / "rules").glob("*.smk"))


def test_every_rule_that_is_submitted_asks_for_memory_and_time():
    for path in rule_files():
        for rule in re.split(r"^rule ", path.read_text(), flags=re.MULTILINE)[1:]:
            name = rule.split(":")[0]
            if name != "fetch":
                assert f'mem_mb=memory("{name}")' in rule, name
                assert f'runtime=minutes("{name}")' in rule, name


def test_only_jobs_here_watch_their_owner(monkeypatch):
    monkeypatch.setenv("RECOCO_OWNER", "1")
    here = find_profile(None, CHECKOUT, 2)
    assert here.environment()["RECOCO_OWNER"] == str(os.getpid())
    assert here.width == 2 and here.arguments(CHECKOUT)[:2] == ["--cores", "2"]
    for name in ("slurm", "kubernetes"):
        there = find_profile(name, CHECKOUT)
        assert "RECOCO_OWNER" not in there.environment()
        assert there.width == settings(name)["jobs"]
        assert "--cores" not in there.arguments(CHECKOUT)
        assert find_profile(name, CHECKOUT, 7).arguments(CHECKOUT)[:2] == ["--jobs", "7"]


def test_a_profile_may_be_any_folder(tmp_path):
    write_yaml(tmp_path / "config.yaml", {"executor": "slurm", "jobs": 3})
    assert find_profile(str(tmp_path), CHECKOUT).width == 3
    with pytest.raises(RecocoError, match="did you mean 'slurm'"):
        find_profile("slrum", CHECKOUT)


# ---- Kubernetes ----------------------------------------------------------------------------


def submit_options(command: str) -> dict[str, str]:
    words = command.split()
    return dict(zip(words[4::2], words[5::2], strict=True))


def test_the_submit_command_has_all_that_a_pod_needs():
    told = settings("kubernetes")
    assert told["cluster-generic-submit-cmd"].startswith(
        "python -m recoco.engine.kubernetes submit "
    )
    given = submit_options(told["cluster-generic-submit-cmd"])
    assert set(given) == {"--image", "--claim", "--mount", "--memory", "--minutes", "--cores"}
    assert given["--memory"] == "{resources.mem_mb}"
    assert given["--minutes"] == "{resources.runtime}"
    cancel = CHECKOUT / told["cluster-generic-cancel-cmd"]
    assert cancel.is_file() and os.access(cancel, os.X_OK)


def test_the_job_that_kubernetes_gets(tmp_path):
    made = kubernetes.manifest(
        tmp_path / "script.sh",
        image="python:3.11",
        claim="recoco",
        mount=str(tmp_path),
        memory=1500,
        minutes=7,
        cores=1,
    )
    pod = made["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["resources"]["limits"] == {"memory": "1500M"}
    assert container["resources"]["requests"] == {"cpu": "1", "memory": "1500M"}
    assert made["spec"]["activeDeadlineSeconds"] == 420 and made["spec"]["backoffLimit"] == 0
    assert [v["name"] for v in pod["volumes"]] == [m["name"] for m in container["volumeMounts"]]
    with pytest.raises(RecocoError, match="is not below /elsewhere"):
        kubernetes.manifest(
            tmp_path / "s", image="i", claim="c", mount="/elsewhere", memory=1, minutes=1, cores=1
        )


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        (None, "running"),
        ([{"type": "Suspended", "status": "True"}], "running"),
        ([{"type": "Failed", "status": "False"}], "running"),
        ([{"type": "Failed", "status": "True"}], "failed"),
        ([{"type": "Complete", "status": "True"}], "success"),
    ],
)
def test_what_a_job_has_become(conditions, status):
    assert kubernetes.status_of({"status": {"conditions": conditions}}) == status


# Answers as kubectl does and runs the pods as processes, with an environment as empty as a pod's.
KUBECTL = """#!{python}
import json, os, subprocess, sys, uuid
from pathlib import Path
folder = Path({folder!r})
verb, names = sys.argv[1], [word for word in sys.argv[2:] if not word.startswith("-")]
if verb == "create":
    job = json.load(sys.stdin)
    name = "job.batch/" + job["metadata"]["generateName"] + uuid.uuid4().hex[:5]
    file = folder / name.split("/")[1]
    file.with_suffix(".json").write_text(json.dumps(job))
    pod = job["spec"]["template"]["spec"]["containers"][0]
    script = " ".join(pod["command"]) + "; echo $? > " + str(file.with_suffix(".code"))
    subprocess.Popen(["/bin/sh", "-c", script], cwd=pod["workingDir"], start_new_session=True,
                     stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                     stdout=file.with_suffix(".log").open("w"),
                     env={{"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"]}})
    print(name)
elif verb == "get":
    code = folder / (names[0].split("/")[1] + ".code")
    kind = None if not code.is_file() else "Complete" if code.read_text() == "0\\n" else "Failed"
    print(json.dumps({{"status": {{"conditions": kind and [{{"type": kind, "status": "True"}}]}}}}))
"""


@pytest.mark.workflow
def test_pods_give_the_same_bytes(finished, project, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "kubectl").write_text(KUBECTL.format(python=sys.executable, folder=str(folder)))
    (folder / "kubectl").chmod(stat.S_IRWXU)
    told = settings("kubernetes")
    command = told["cluster-generic-submit-cmd"]
    told["cluster-generic-submit-cmd"] = command.replace("/recoco ", f"{tmp_path} ")
    told["seconds-between-status-checks"] = 1
    (project / "pods").mkdir()
    write_yaml(project / "pods" / "config.yaml", told | {"jobs": 2})
    path = f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    recoco(
        project, "reproduce", "--profile", str(project / "pods"), env={"PATH": path}, timeout=1800
    )
    assert content(project) == content(finished)
    asked = [json.loads(file.read_text()) for file in folder.glob("*.json")]
    assert len(asked) > 5
    assert all(job["spec"]["activeDeadlineSeconds"] >= 60 for job in asked)


def test_wildcards_of_every_run_survive_the_trip_to_another_machine():
    """Snakemake separates wildcards by commas, so no value may contain one."""
    from snakemake.target_jobs import parse_target_jobs_cli_args
    from snakemake_interface_executor_plugins.utils import TargetSpec, encode_target_jobs_cli_args

    names = {setting.file_name for setting in settings_of(load_config())}
    assert any("=" in name for name in names)
    specs = [TargetSpec("run", {"slug": name, "start": "0"}) for name in sorted(names)]
    received = parse_target_jobs_cli_args(encode_target_jobs_cli_args(specs))
    assert [(t.rulename, t.wildcards_dict) for t in received] == [
        (spec.rulename, spec.wildcards_dict) for spec in specs
    ]
