"""The archive of a archived reproduction: the same bytes, nothing of the host, checked anew."""

import csv
import io
import json
import os
import re
import shutil
import socket
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from recoco.archive.crate import METADATA
from recoco.core.checksums import digest_of_arrays
from recoco.core.files import read_arrays, read_json, write_arrays, write_json
from recoco.engine import integrity
from support.archive_fixture import members_of, rewrite
from support.projects import CHECKOUT, recoco, write_yaml

pytestmark = pytest.mark.workflow

# Files that no mirror has, at an address that must not be asked without --fetch.
FILES = [{"at": "none/none.mat", "sha256": "0" * 64, "bytes": 1}]
UNREACHED = {
    "parser": {"name": "gml", "file": "none.mat"},
    "sources": [
        {"kind": "mirror", "files": FILES},
        {"kind": "url", "files": [FILES[0] | {"at": "https://none.invalid/none.mat"}]},
    ],
}
CELLS = "results/compare/mini/cells.csv"


def test_has_all_that_stands_behind_the_report(archive, archived):
    members = members_of(archive)
    for name in (
        *("CITATION.cff", "LICENSE", "Snakefile", "requirements.lock", "receipt.txt", METADATA),
        *("config/papers/mini/paper.yaml", "src/recoco/runs/block.py", "workflow/rules/run.smk"),
        *("reports/index.html", "reports/tables/mini_table2.csv", "results/provenance.json"),
        *("resources/raw/planted-small/receipt.json", "resources/prepared/sports.json", CELLS),
        *("logs/score/planted-small.log", "results/scores/planted-small.parquet"),
        *("reports/verdicts.svg", "environment.yml", "pyproject.toml", "Makefile"),
    ):
        assert members.get(name), name
    for folder, pattern in (("results/runs", "*.npz"), ("reports", "[!.]*.*")):  # the site too
        on_disk = {p.relative_to(archived).as_posix() for p in (archived / folder).rglob(pattern)}
        assert {name for name in members if name.startswith(f"{folder}/")} == on_disk
    # Drawn data may be given away; that of a card without such a licence may not.
    assert "resources/prepared/planted-small.npz" in members
    assert "resources/prepared/sports.npz" not in members


def test_sha256sum_reads_the_manifest(archive, tmp_path):
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path)
    command = ["sha256sum", "--check", "--quiet", "--strict", "manifest-sha256.txt"]
    assert subprocess.run(command, cwd=tmp_path).returncode == 0


def test_same_bytes_in_another_folder_on_another_day(archive, archived, tmp_path):
    """Neither the place, nor the seconds, nor the machine, nor what is left over counts."""
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(archived, copy, symlinks=True)
    (copy / "dist" / archive.name).unlink()
    for path in (copy / "logs").rglob("*.log"):
        path.write_text(path.read_text().replace("finished in ", "finished in 9"))
    for path in (copy / "results" / "runs").rglob("*.seconds.json"):
        write_json(path, {**read_json(path), "seconds": 99.0})
    told = copy / "results" / "provenance.json"
    stamp = told.stat()
    write_json(told, {**read_json(told), "machine": {"cpu": "another"}, "stages": []})
    os.utime(told, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    # Another machine's jobs would have entered their own.
    integrity.record(copy, [told, *(copy / "results" / "runs").rglob("*.seconds.json")])
    (copy / "results" / "runs" / "gone" / "binary" / "coclus").mkdir(parents=True)
    (copy / "results" / "runs" / "gone" / "binary" / "coclus" / "0-2.npz").write_bytes(b"old")
    recoco(copy, "archive", "--cores", "1")
    assert (copy / "dist" / archive.name).read_bytes() == archive.read_bytes()


def test_nothing_of_the_host(archive, archived):
    leaks = [str(archived), str(Path.home()) + "/", str(CHECKOUT)]
    if len(socket.gethostname()) > 5:
        leaks.append(socket.gethostname())
    for name, content in members_of(archive).items():
        for leak in leaks:
            assert leak.encode() not in content, (name, leak)
    with zipfile.ZipFile(archive) as opened:
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.external_attr >> 16 for info in opened.infolist()} == {0o100644}


def test_machine_and_seconds_are_beside_the_archive(archived, archive):
    told = read_json(archived / "dist" / "recoco-archive.machine.json")
    assert told["machine"]["cores"] and told["stages"]
    assert json.loads(members_of(archive)["results/provenance.json"])["machine"] == {}


def test_receipt_is_the_one_in_the_archive(archived, archive):
    printed = recoco(archived, "receipt").stdout
    assert printed.encode() == members_of(archive)["receipt.txt"]
    assert recoco(archived, "receipt", str(archive)).stdout == printed
    assert str(archived) not in printed and len(printed.splitlines()) < 60
    for told in (
        *("commit +.+", "lock +[0-9a-f]{64}", "planted-small +[0-9a-f]{24} +[0-9a-f]{24}"),
        *("cells +reproduced +explained .*", r"mini table2( +\d+)+", "all cells +[0-9a-f]{64}"),
    ):
        assert re.search(f"^{told}$", printed, re.MULTILINE), told


# ---- verify ------------------------------------------------------------------------------


def test_verified_elsewhere_from_the_stored_runs(archive, elsewhere):
    before = sorted(path for path in elsewhere.rglob("*") if "__pycache__" not in path.parts)
    done = recoco(elsewhere, "verify", str(archive), "--rerun", "20%", "--cores", "2")
    lines = done.stdout.splitlines()
    assert lines[-1] == "identical"
    assert "program: this recoco is the archived one" in lines
    reached = "consistent, derives, same inputs, reruns (2 of 2 runs)"
    assert lines[-3:-1] == ["levels:", f"  mini  {reached}"]
    for part in ("results/consensus", "results/scores", "results/compare", "reports"):
        assert any(line.startswith(f"{part}: ") and "identical" in line for line in lines), part
    drawn = [line for line in lines if line.startswith("  planted-small/")]
    assert drawn and all(line.endswith(": identical") for line in drawn)
    again = recoco(elsewhere, "verify", str(archive), "--rerun", "20%", "--cores", "1").stdout
    assert [line for line in again.splitlines() if line.startswith("  planted")] == drawn
    after = sorted(path for path in elsewhere.rglob("*") if "__pycache__" not in path.parts)
    assert before == after


def test_a_changed_cell_is_named_though_all_checksums_fit(archive, elsewhere, tmp_path):
    rows = list(csv.reader(io.StringIO(members_of(archive)[CELLS].decode())))
    place = rows[0].index("measured")
    target = next(row for row in rows[1:] if row[place] and "Coclus" in row[0])
    was, target[place] = target[place], "0.123456"
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    forged = rewrite(archive, tmp_path / "f.zip", {CELLS: text.getvalue().encode()}, mend=True)
    done = recoco(elsewhere, "verify", str(forged), check=False)
    assert done.returncode == 1
    said = f"{CELLS}: {target[0]}, measured: 0.123456 archived, {was} now"
    assert said in done.stdout
    # The receipt in the archive is that of the true cells, so it agrees with those made again.
    assert done.stdout.splitlines()[-1] == "NOT identical: 1 differences"


def test_a_changed_label_is_found_by_scores_and_by_rerun(archive, elsewhere, tmp_path):
    members = members_of(archive)
    name = next(n for n in sorted(members) if "/coclus/" in n and n.startswith("results/runs/"))
    block = tmp_path / "block.npz"
    block.write_bytes(members[name])
    arrays = read_arrays(block)
    labels = arrays["row_labels"].copy()
    labels[:, : labels.shape[1] // 2] = np.roll(labels[:, : labels.shape[1] // 2], 1, axis=1)
    write_arrays(block, arrays | {"row_labels": labels})
    forged = rewrite(archive, tmp_path / "f.zip", {name: block.read_bytes()}, mend=True)
    done = recoco(elsewhere, "verify", str(forged), "--rerun", "100%", check=False)
    assert done.returncode == 1
    assert "results/scores/planted-small.parquet: binary/coclus run 0, acc:" in done.stdout
    assert "planted-small/binary/coclus run 0: row_labels:" in done.stdout
    assert "planted-small/binary/specco run 0: identical" in done.stdout


def test_a_tampered_file_stops_before_anything_is_computed(archive, elsewhere, tmp_path):
    forged = rewrite(archive, tmp_path / "f.zip", {CELLS: b"cell\n"}, mend=False)
    done = recoco(elsewhere, "verify", str(forged), check=False)
    assert done.returncode == 1
    assert f"changed: {CELLS}" in done.stdout and "recomputed" not in done.stdout


def test_data_of_the_verifier_comes_first(archive, elsewhere, tmp_path, monkeypatch):
    """Other data than the verifier's is a difference; without it, scores are kept as archived."""
    from recoco.archive import data
    from recoco.archive.levels import Findings
    from recoco.archive.opening import open_archive
    from recoco.config import load_config

    here = tmp_path / "here"
    shutil.copytree(elsewhere, here)
    with open_archive(archive) as opened:
        opened.extract(tmp_path / "a")
    archived = tmp_path / "a" / "resources" / "prepared" / "planted-small.npz"
    digests = tmp_path / "a" / "resources" / "digests.json"
    good, listed = archived.read_bytes(), digests.read_bytes()
    monkeypatch.setenv("RECOCO_ROOT", str(here))

    def found() -> tuple[bool, list[str]]:
        own = tmp_path / "own"
        shutil.rmtree(own, ignore_errors=True)
        reasons = data.own_data(["planted-small", "../passwd"], own, here, False)
        assert reasons["../passwd"] == "you have no card for it"
        findings = Findings(["mini"])
        with data.project_at(tmp_path / "a"):
            available = data.choose_data(load_config(), tmp_path / "a", own, reasons, findings)
        return available == {"planted-small"}, [f"{e.level}: {e.text}" for e in findings.entries]

    assert found() == (True, [])
    archived.unlink()
    assert found() == (True, [])
    assert read_arrays(archived).keys() == _arrays(good, tmp_path).keys()
    # Other classes, with a hash that fits them.
    arrays = read_arrays(archived)
    write_arrays(archived, arrays | {"labels": arrays["labels"][::-1].copy()})
    write_json(digests, {"planted-small": digest_of_arrays(archived)})
    assert found() == (True, ["same inputs: data: planted-small differs from yours"])
    # The hash fits neither.
    write_json(digests, {"planted-small": "0" * 64})
    available, said = found()
    assert not available and not archived.exists()
    assert said[0] == "derives: data: planted-small is not the data that was scored"
    assert "its scores are kept" in said[2]
    # The verifier has no data, and neither has the archive.
    digests.write_bytes(listed)
    card = here / "config" / "datasets" / "planted-small.yaml"
    write_yaml(card, yaml.safe_load(card.read_text()) | UNREACHED)
    available, said = found()
    assert not available and "it is not on this machine (try --fetch)" in said[0]
    assert "its scores are kept" in said[1]
    archived.write_bytes(good)
    assert found()[0]
    card.unlink()
    available, said = found()
    assert available and "you have no card for it" in said[0] and len(said) == 1
    assert os.environ["RECOCO_ROOT"] == str(here)


def _arrays(content: bytes, folder: Path) -> dict:
    (folder / "arrays.npz").write_bytes(content)
    return read_arrays(folder / "arrays.npz")


def test_code_of_a_stranger_is_not_called(archive, elsewhere, tmp_path):
    name = "config/methods.yaml"
    methods = yaml.safe_load(members_of(archive)[name])
    methods["coclus"]["class"] = "subprocess:Popen"
    forged = {name: yaml.safe_dump(methods).encode()}
    path = rewrite(archive, tmp_path / "f.zip", forged, mend=True)
    done = recoco(elsewhere, "verify", str(path), "--rerun", "1", check=False)
    assert done.returncode == 2
    assert "subprocess:Popen" in done.stderr and "recomputed" not in done.stdout


# ---- the RO-Crate ------------------------------------------------------------------------

PROFILES = ("workflow-run-crate-0.5", "provenance-run-crate-0.5")


@pytest.fixture(scope="module")
def validate(tmp_path_factory):
    """Validate a folder or zip with roc-validator, without any network."""
    home = Path(os.environ.get("RECOCO_VALIDATOR", CHECKOUT / ".cache" / "validator")) / "bin"
    if not (home / "rocrate-validator").is_file():
        reason = "roc-validator is not installed: `make validator` does it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    cache = tmp_path_factory.mktemp("cache") / "http"
    seed = Path(__file__).parents[1] / "support" / "crate_cache.py"
    subprocess.run([home / "python", seed, cache], check=True)

    def validating(crate: Path, profile: str) -> subprocess.CompletedProcess:
        command = [
            *(home / "rocrate-validator", "--no-interactive", "validate", "--offline"),
            *("--cache-path", cache, "--profile-identifier", profile, "--no-paging", "-v", crate),
        ]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    return validating


@pytest.mark.parametrize("profile", PROFILES)
def test_crate_is_valid(validate, archive, profile):
    done = validate(archive, profile)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "break_it",
    [
        lambda entities: entities["./"].pop("datePublished"),
        lambda entities: entities["./"].pop("mainEntity"),
        lambda entities: entities["#run"].pop("instrument"),
        lambda entities: entities["Snakefile"].update({"@type": ["File", "SoftwareSourceCode"]}),
    ],
)
def test_a_broken_crate_is_not_valid(validate, archive, tmp_path, break_it):
    described = json.loads(members_of(archive)[METADATA])
    break_it({entity["@id"]: entity for entity in described["@graph"]})
    broken = {METADATA: json.dumps(described).encode()}
    done = validate(rewrite(archive, tmp_path / "b.zip", broken, mend=True), PROFILES[0])
    assert done.returncode == 1
    assert "not a valid workflow-run-crate-0.5" in done.stdout
