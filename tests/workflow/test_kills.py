"""Kills at random moments in every stage: the same command goes on to the same bytes.

There are 100 of them, 90 here and 10 in `workflow.test_slurm`. By default a few are done, in CI a
tenth, all by `make faults`.
"""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from support.faults import some
from support.kills import HERE, ON_SLURM, STAGES, finish, kills_here, make_whole, strike
from workflow.test_workflow import blocks, content

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A project in which everything was done without disturbance, the archive included."""
    return make_whole(tmp_path_factory.mktemp("whole") / "project")


def archived(project: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(project / "dist" / "recoco-archive.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_there_are_a_hundred_in_all_stages():
    kills = kills_here()
    assert len(kills) + ON_SLURM == 100 and len(kills) == HERE
    assert {kill.stage for kill in kills} == set(STAGES)
    assert {kill.victim for kill in kills} == {"leader", "snakemake", "job", "warm"}


def test_kills_and_the_same_bytes(whole, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(whole, project, symlinks=True)
    unfinished: set[str] = set()
    for kill in some(kills_here()):
        kept = {name: stamp for name, (stamp, _) in blocks(project).items()}
        strike(project, kill)
        now = {name: stamp for name, (stamp, _) in blocks(project).items()}
        undone = {name.removeprefix("results/runs/") for name in STAGES[kill.stage]}
        # A block whose file is there may still count as unfinished: Snakemake may have been killed
        # between the end of the job and taking note of it. Then the next start computes it again.
        spared = kept.keys() - undone - unfinished
        lost = {name for name in spared if now.get(name) != kept[name]}
        assert not lost, f"{kill}: finished blocks were lost or computed again"
        unfinished = undone
    finish(project)
    assert content(project) == content(whole)
    ours, theirs = archived(project), archived(whole)
    assert not {name for name in ours | theirs if ours.get(name) != theirs.get(name)}
