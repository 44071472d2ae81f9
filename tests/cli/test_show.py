"""What `recoco verdict` prints."""

import pytest

from recoco.cli.show import show_verdict
from recoco.report.overlay import LABEL
from support.reference_run import missing, row, write_here, write_reference


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Return the lines that the command prints about a project with two cells."""
    monkeypatch.setenv("RECOCO_ROOT", str(tmp_path))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").touch()
    write_here(tmp_path, [missing("a"), row("b", verdict="lower")])

    def lines(**options):
        show_verdict(None, **{"cells": False, "only": None} | options)
        return capsys.readouterr().out.splitlines()

    return lines


def test_without_a_reference_there_are_verdicts_only(said):
    *_, last = said()
    assert last.startswith("cells: 0 reproduced / ") and last.endswith("1 unreachable")
    assert len(said(cells=True)) == 3


def test_both_counts_come_last(said, tmp_path):
    write_reference(tmp_path, [row("a"), row("b")])
    *_, cells, counts = said()
    assert cells.startswith("cells: 0 reproduced / ") and cells.endswith("1 unreachable")
    assert counts == "1 of 2 cells were computed here, 1 more is known from the reference run"


def test_every_cell_says_what_the_reference_knows(said, tmp_path):
    write_reference(tmp_path, [row("a"), row("b")])
    first, known, second, *_ = said(cells=True)
    assert first == "unreachable  a: No file."
    assert known.strip() == f"{LABEL}: reproduced: 0.905 against 0.9 printed."
    assert second.startswith("lower        b: ")
    # What the reference knows is no verdict of this folder.
    assert said(cells=True, only="reproduced")[0].startswith("cells: ")
    assert said(cells=True, only="unreachable")[:2] == [first, known]
