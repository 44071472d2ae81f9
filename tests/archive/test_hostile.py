"""Archives whose content tries to run: verify uses it as data and nothing of it acts."""

import json
import socket
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from recoco.archive.data import project_at
from recoco.archive.opening import open_archive
from recoco.archive.trust import trusted_config, unpack_data
from recoco.core.errors import RecocoError
from support.archive_fixture import members_of, rewrite
from support.projects import recoco, write_yaml

pytestmark = pytest.mark.workflow

METHODS = "config/methods.yaml"
CARD = "config/datasets/planted-small.yaml"
PREPARED = "resources/prepared/planted-small.npz"


@pytest.fixture
def marks(tmp_path) -> Path:
    """A folder in which every hostile member leaves a file if it is run."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture
def verified(archive, elsewhere, tmp_path, marks):
    """Verify the archive with some members changed, then look for what was run."""

    def verifying(changes: dict[str, bytes | None], *options: str):
        forged = rewrite(archive, tmp_path / "forged.zip", changes, mend=True)
        done = recoco(elsewhere, "verify", str(forged), *options, "--cores", "2", check=False)
        assert [path.name for path in marks.iterdir()] == []
        assert "Traceback" not in done.stderr
        return done

    return verifying


def leave(marks: Path, name: str) -> str:
    """Return Python code that leaves a mark."""
    return f"open({str(marks / name)!r}, 'w').close()"


def yaml_of(archive: Path, name: str) -> dict:
    return yaml.safe_load(members_of(archive)[name])


def as_yaml(content: dict) -> bytes:
    return yaml.safe_dump(content, sort_keys=False).encode()


# ---- modules, paths, the workflow ----------------------------------------------------------


def test_no_file_of_the_archive_is_imported_or_included(archive, verified, marks):
    """Verify works as if they were not there: its own program makes the tables again."""
    modules = [
        *("sitecustomize.py", "usercustomize.py", "numpy.py", "yaml.py", "snakemake/__init__.py"),
        *("recoco/__init__.py", "src/sitecustomize.py", "src/recoco/__init__.py", "conftest.py"),
        *("config/sitecustomize.py", "results/sitecustomize.py", "workflow/sitecustomize.py"),
        *("workflow/scripts/score.py", "workflow/scripts/numpy.py", "workflow/rules/common.smk"),
        *("Snakefile", "setup.py"),
    ]
    changes = {name: leave(marks, name.replace("/", "+")).encode() for name in modules}
    changes["archive.pth"] = b"import os; " + leave(marks, "pth").encode()
    changes["matplotlibrc"] = b"backend: module://numpy\n"
    done = verified(changes, "--rerun", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "identical"
    assert "modules of this recoco differ from those of the archive" in done.stdout


def test_expressions_in_the_settings_are_not_evaluated(archive, verified, marks):
    """Snakemake evaluates YAML that asks for it; the archive's own schema would let it pass."""
    schema = yaml_of(archive, "workflow/schemas/config.schema.yaml")
    settings = yaml_of(archive, "config/config.yaml")
    settings |= {"__use_yte__": True, "more": f"?{leave(marks, 'yte')}"}
    done = verified(
        {
            "workflow/schemas/config.schema.yaml": as_yaml(schema | {"additionalProperties": True}),
            "config/config.yaml": as_yaml(settings),
        }
    )
    assert done.returncode == 2 and "unknown key '__use_yte__'" in done.stderr


def test_settings_are_read_as_json(archive, elsewhere, tmp_path, monkeypatch):
    """Only for YAML does Snakemake look whether there is something to evaluate."""
    folder = unpacked(archive, elsewhere, tmp_path, monkeypatch)
    settings = yaml_of(archive, "config/config.yaml")
    with project_at(folder):
        config = trusted_config(folder, elsewhere, settings)
    assert json.loads((folder / "config" / "config.yaml").read_bytes()) == config.settings


# ---- methods -------------------------------------------------------------------------------


def program(marks: Path) -> list[str]:
    return [sys.executable, "-c", leave(marks, "command"), "{matrix}", "{labels}"]


HOSTILE_METHODS = {
    "command": lambda marks: {"command": program(marks)},
    "estimator": lambda marks: {
        "estimator": "subprocess:Popen",
        "params": {"options": {"args": [sys.executable, "-c", leave(marks, "estimator")]}},
    },
    "package of an estimator": lambda marks: {"estimator": "hostile.inside:Model"},
    "class": lambda marks: {"class": "hostile.inside:Model"},
    "class of recoco": lambda marks: {
        "class": "recoco.methods.external:CommandLine",
        "params": {"command": program(marks)},
    },
}


@pytest.mark.parametrize("kind", HOSTILE_METHODS)
def test_a_method_that_the_verifier_does_not_have_is_refused(archive, verified, marks, kind):
    methods = yaml_of(archive, METHODS) | {"coclus": HOSTILE_METHODS[kind](marks)}
    changes = {
        METHODS: as_yaml(methods),
        "hostile/__init__.py": leave(marks, "package").encode(),
        "hostile/inside.py": leave(marks, "module").encode(),
    }
    done = verified(changes, "--rerun", "100%")
    assert done.returncode == 2 and "recomputed" not in done.stdout
    assert "method 'coclus'" in done.stderr and len(done.stderr.splitlines()) == 1


def unpacked(archive: Path, here: Path, tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("RECOCO_ROOT", str(here))
    with open_archive(archive) as opened:
        unpack_data(opened, tmp_path / "unpacked", here)
    return tmp_path / "unpacked"


def test_only_the_same_entry_is_accepted(archive, elsewhere, tmp_path, monkeypatch):
    """A method of the verifier's own is run, but not with what an archive makes of it."""
    folder = unpacked(archive, elsewhere, tmp_path, monkeypatch)
    here = tmp_path / "here"
    (here / "config").mkdir(parents=True)
    settings = yaml_of(archive, "config/config.yaml")
    own = {"command": "true {matrix} {labels}", "params": {"seconds": 5}}
    methods = yaml_of(archive, METHODS) | {"coclus": own}
    paper = yaml_of(archive, "config/papers/mini/paper.yaml")

    def accepted(theirs: dict, changed: dict | None = None) -> bool:
        write_yaml(here / METHODS, methods)
        write_yaml(folder / METHODS, methods | {"coclus": theirs})
        item = paper["items"]["table2"] | {"params": {"coclus": changed or {}}}
        items = paper["items"] | {"table2": item}
        write_yaml(folder / "config" / "papers" / "mini" / "paper.yaml", paper | {"items": items})
        try:
            with project_at(folder):
                trusted_config(folder, here, settings)
        except RecocoError as error:
            assert "config/methods.yaml" in str(error)
            return False
        return True

    assert accepted(own) and accepted(own, {"max_iter": 3})
    assert not accepted(own | {"command": "false {matrix} {labels}"})
    assert not accepted(own | {"params": {"seconds": 6}})
    assert not accepted({})  # the name of a method of recoco, which is another one here
    assert not accepted(own, {"command": "reboot {matrix} {labels}"})
    methods["coclus"] = {"params": {"max_iter": 100}}
    assert accepted({"params": {"max_iter": 50}}, {"init": "random"})
    assert not accepted({"params": {"init": "os:system"}})
    assert not accepted({}, {"init": "/etc/passwd"})


# ---- data ----------------------------------------------------------------------------------


def test_a_loader_with_a_folder_of_its_choice_is_refused(archive, verified, marks):
    """The loader makes its folder before it asks for anything."""
    source = {
        "kind": "sklearn",
        "loader": "fetch_20newsgroups",
        "options": {"data_home": str(marks / "home"), "download_if_missing": False},
        "parser": {"name": "bunch"},
    }
    card = yaml_of(archive, CARD) | {"sources": [source]}
    done = verified({CARD: as_yaml(card), PREPARED: None}, "--fetch")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert "fetch_20newsgroups" in done.stderr


@pytest.mark.parametrize("options", [(), ("--fetch",)])
def test_a_card_of_the_archive_is_not_followed(archive, verified, options):
    """The data is not part of the archive; the verifier's own card draws it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/data.mat"
        file = {"at": address, "sha256": "0" * 64, "bytes": 1}
        source = {
            "kind": "url",
            "files": [file],
            "parser": {"name": "gml", "file": "data.mat"},
            "expected": {"rows": 1, "columns": [1], "classes": 1},
        }
        card = yaml_of(archive, CARD) | {"sources": [source]}
        done = verified({CARD: as_yaml(card), PREPARED: None}, *options)
        with pytest.raises(TimeoutError):
            server.accept()
    assert "data: 1 of 1 datasets are available as archived" in done.stdout, done.stderr
    assert "same inputs: card planted-small: sources[0]" in done.stdout


class Pickled:
    def __init__(self, mark: str):
        self.mark = mark

    def __reduce__(self):
        return open, (self.mark, "w")


@pytest.mark.parametrize("kind", ["results/runs/", PREPARED])
def test_pickles_are_not_loaded(archive, verified, marks, tmp_path, kind):
    names = [name for name in sorted(members_of(archive)) if name.startswith(kind)]
    name = next(name for name in names if name.endswith(".npz"))
    packed = tmp_path / "packed.npz"
    (tmp_path / "block.npz").write_bytes(members_of(archive)[name])
    with np.load(tmp_path / "block.npz") as block:
        arrays = dict(block)
    hostile = np.array([Pickled(str(marks / "pickle"))], dtype=object)
    np.savez(packed, **dict.fromkeys(arrays, hostile))
    with np.load(packed, allow_pickle=True) as careless:
        careless[next(iter(arrays))]
    (marks / "pickle").unlink()  # so it does run where pickles are loaded
    done = verified({name: packed.read_bytes()}, "--rerun", "100%")
    assert done.returncode != 0
