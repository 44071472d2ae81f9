"""What installs the environment is itself pinned by hashes, and no registry host is named."""

import re

from support.projects import CHECKOUT


def read(name: str) -> str:
    return (CHECKOUT / name).read_text()


def test_uv_is_installed_by_hash_alone():
    makefile = read("Makefile")
    assert "pip install -q --require-hashes -r bootstrap.lock" in makefile
    installs = [line for line in makefile.splitlines() if "pip install" in line]
    assert all("--require-hashes" in line or '"$$uv"' in line for line in installs)


def test_the_lock_of_uv_is_that_of_the_version_asked_for():
    (asked,) = re.findall(r"^uv==(\S+)$", read(".ci/uv.in"), re.MULTILINE)
    lock = read("bootstrap.lock")
    assert re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE) == [("uv", asked)]
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", lock)) > 10  # one for each platform


def test_make_lock_writes_every_lock_and_none_names_a_host():
    recipe = read("Makefile").partition("\nlock:")[2].partition("\n\n")[0]
    for name in ("requirements.lock", ".ci/validator.lock", "bootstrap.lock"):
        assert f"-o {name} --custom-compile-command 'make lock'" in recipe.replace("\\\n\t  ", "")
        text = read(name)
        assert "http" not in text and "index-url" not in text and "find-links" not in text
