"""Ninety hostile archives and more: one sentence each, or a difference; nothing gets out."""

import pytest

from support.archive_fixture import members_of, rewrite, small_archive
from support.faults import some
from support.hostile_archives import BROKEN, FORGED
from support.projects import recoco


def unharmed(done, before: set, folder) -> None:
    """Check that a verification ended as it should, and wrote nothing where it was called."""
    said = done.stderr.strip().splitlines()
    assert "Traceback" not in done.stdout + done.stderr
    if done.returncode == 2:
        assert len(said) == 1 and said[0].startswith("recoco: ")
    else:
        assert done.returncode == 1, done.stdout
        assert done.stdout.splitlines()[-1].startswith(("NOT identical", "NOT consistent"))
    assert "\x1b" not in done.stdout + done.stderr
    assert {path.name for path in folder.iterdir()} == before


def test_there_are_ninety_of_them():
    assert len(BROKEN) + len(FORGED) >= 90


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused(tmp_path, case):
    from recoco.archive.opening import open_archive
    from recoco.core.errors import RecocoError

    good, bad = small_archive(tmp_path / "good.zip"), tmp_path / "bad.zip"
    BROKEN[case](good, bad)
    try:
        with open_archive(bad) as opened:
            problems = opened.problems_of_files() + opened.problems_of_crate()
            assert problems and all("\n" not in line for line in problems)
    except RecocoError as error:
        assert "\n" not in str(error) and "\x1b" not in str(error) and len(str(error)) < 400
    assert {path.name for path in tmp_path.iterdir()} == {"good.zip", "bad.zip"}


@pytest.mark.workflow
@pytest.mark.parametrize("case", some(FORGED, least=6))
def test_a_forged_archive_does_no_harm(archive, elsewhere, tmp_path, case):
    changes = FORGED[case](members_of(archive))
    forged = rewrite(archive, tmp_path / "forged.zip", changes, mend=True)
    options = ("--rerun", "2", "--cores", "2", "--hours", "0.1")
    here = tmp_path / "here"
    here.mkdir()
    done = recoco(elsewhere, "verify", str(forged), *options, check=False, cwd=here)
    unharmed(done, set(), here)
