"""Clients of package registries: what they are asked for, and what is said when they fail."""

from pathlib import Path

import pytest

from recoco.datasets.packages import PackageError, download


def client(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("echo https://secret.example/ >&2; exit 1", "exit status 1"),
        ("exit 0", "downloaded no archive"),
        ("touch a.tgz b.tgz", "downloaded no archive"),
        (None, "no npm on this machine"),
    ],
)
def test_a_failing_client_is_named_and_its_words_are_not_repeated(
    tmp_path, monkeypatch, script, word
):
    (tmp_path / "bin").mkdir()
    (tmp_path / "to").mkdir()
    if script:
        client(tmp_path / "bin", "npm", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin" if script else str(tmp_path / "bin"))
    with pytest.raises(PackageError, match=word) as caught:
        download("npm", "corpus", "1.0", tmp_path / "to")
    assert "secret" not in str(caught.value)


def test_a_client_is_asked_for_one_exact_version_without_retries(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "to").mkdir()
    client(tmp_path / "bin", "npm", 'echo "$@" > corpus.tgz')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    asked = download("npm", "corpus", "1.0", tmp_path / "to").read_text().split()
    assert asked[0] == "pack" and asked[-1] == "corpus@1.0" and "--fetch-retries=0" in asked


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return an empty folder to download into; the clients are scripts in a folder beside it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "to").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    return tmp_path / "to"


def test_a_wheel_for_another_python_is_asked_for_by_its_tags(folder, monkeypatch):
    client(folder.parent / "bin", "pip", 'echo "$@" > corpus.whl')
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    wheel = "corpus-1.0-cp310-cp310-manylinux1_x86_64.whl"
    asked = download("pypi", "corpus", "1.0", folder, file=wheel).read_text().split()
    assert {"--implementation=cp", "--python-version=310", "--abi=cp310"} <= set(asked)
    assert "--platform=manylinux1_x86_64" in asked
    (folder / "corpus.whl").unlink()
    plain = download("pypi", "corpus", "1.0", folder, file="corpus-1.0-py3-none-any.whl")
    assert "--platform" not in plain.read_text() and "--only-binary=:all:" in plain.read_text()


# What a machine with Debian's and other servers answers; `source` writes what it was asked and
# where apt would keep its lists.
APT = """case "$1" in
  indextargets) echo http://a.example/node/ http://b.example/debian/ http://c.example/debian/ ;;
  update) [ -d "$(dirname "${2#-c=}")/lists/partial" ] || exit 3 ;;
  source) echo "$@" > corpus.tar.xz; conf="${2#-c=}"
    cat "$conf" "$(dirname "$conf")/own.sources" >> corpus.tar.xz ;;
esac"""


def test_a_debian_source_is_downloaded_with_lists_of_its_own(folder):
    client(folder.parent / "bin", "apt-get", APT)
    asked = download("debian", "corpus", "1.0-2", folder, release="trixie").read_text()
    command, *configuration = asked.splitlines()
    assert "--download-only --tar-only corpus=1.0-2" in command
    assert "URIs: http://b.example/debian/" in configuration
    assert "Suites: trixie" in configuration
    lists = next(line for line in configuration if line.startswith("Dir::State::lists"))
    assert "/var/lib" not in lists and not Path(lists.split('"')[1]).exists()  # removed again


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("exit 0", "no server of Debian"),
        (APT.replace("update) ", "update) exit 100; "), "exit status 100"),
    ],
)
def test_a_debian_source_that_cannot_be_had(folder, script, word):
    client(folder.parent / "bin", "apt-get", script)
    with pytest.raises(PackageError, match=word):
        download("debian", "corpus", "1.0-2", folder, release="trixie")
    assert not list(folder.iterdir())
