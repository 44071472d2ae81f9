"""The three descriptions of the environment agree, and name no registry host."""

import re
import tomllib

import yaml

from support.projects import CHECKOUT


def locked() -> dict[str, str]:
    text = (CHECKOUT / "requirements.lock").read_text()
    return {m[1].lower(): m[2] for m in re.finditer(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE)}


def required() -> list[str]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *extras["dev"], *extras["cluster"], *extras["sign"]]


def test_lock_satisfies_pyproject():
    from packaging.requirements import Requirement

    pins = locked()
    for line in required():
        requirement = Requirement(line)
        assert requirement.specifier.contains(pins[requirement.name.lower()]), line


def test_environment_yml_has_the_locked_versions():
    from packaging.requirements import Requirement

    listed = yaml.safe_load((CHECKOUT / "environment.yml").read_text())["dependencies"]
    versions = dict(
        entry.split("=", 1) for entry in listed if isinstance(entry, str) and "=" in entry
    )
    versions.pop("python>", None)
    with_pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    versions |= dict(entry.split("==") for entry in with_pip)
    pins = locked()
    names = {Requirement(line).name for line in required()}
    assert versions == {name: pins[name.lower()] for name in names}


def test_lock_has_hashes_and_no_host():
    text = (CHECKOUT / "requirements.lock").read_text()
    assert "--hash=sha256:" in text
    assert (
        "http" not in text
        and "--index-url" not in text
        and "find-links" not in text.replace("--no-emit-find-links", "")
    )


def test_import_is_light():
    import subprocess
    import sys

    heavy = ("numba", "sklearn", "pandas", "scipy", "numpy", "matplotlib")
    code = f"import sys, recoco, recoco.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
