"""What verify says of an archive that was computed honestly from something else."""

import shutil

import pytest
import yaml

from recoco.archive.levels import DERIVES, INPUTS, RERUNS, Findings
from support.projects import recoco, write_yaml


def test_levels_are_said_for_each_paper(capsys):
    findings = Findings(["one", "two"])
    assert findings.verdict() == "identical"
    findings.missing(INPUTS, "data: x has no counterpart", ["two"])
    assert findings.verdict() == "no differences, but not everything could be compared (see above)"
    findings.differs(DERIVES, "a cell\x1b[2J", ["one"])
    findings.differs(RERUNS, "a run", ["two"])
    findings.repeated["two"] = (3, 4)
    findings.print_all()
    assert capsys.readouterr().out.splitlines() == [
        "differences:",
        "  derives: a cell",
        "  reruns: a run",
        "not compared:",
        "  same inputs: data: x has no counterpart",
        "levels:",
        "  one  consistent, NOT derives (1 differences), same inputs",
        "  two  consistent, derives, same inputs in part, NOT reruns (3 of 4 runs)",
    ]
    assert findings.verdict() == "NOT identical: 2 differences"


@pytest.mark.workflow
def test_other_truth_numbers_and_rules_are_named(archived, elsewhere, tmp_path):
    """Each forgery was computed from end to end, so the archive agrees with itself."""
    forger = tmp_path / "forger"
    shutil.copytree(archived, forger)
    for name in ("results", "resources", "reports", "dist", ".snakemake"):
        shutil.rmtree(forger / name)
    card = forger / "config" / "datasets" / "planted-small.yaml"
    content = yaml.safe_load(card.read_text())
    planted = next(source["planted"] for source in content["sources"] if "planted" in source)
    planted["seed"] = planted.get("seed", 0) + 1
    write_yaml(card, content)
    printed = forger / "config" / "papers" / "mini" / "published.csv"
    printed.write_text(printed.read_text().replace("0.10,0.001", "1.00,0.001"))
    settings = yaml.safe_load((forger / "config" / "config.yaml").read_text())
    settings |= {"master_seed": 8, "verdicts": {"tolerance": 0.5}}
    write_yaml(forger / "config" / "config.yaml", settings)
    recoco(forger, "reproduce", "--quick", "--cores", "2")
    recoco(forger, "archive", "--cores", "2")
    archive = forger / "dist" / "recoco-archive.zip"
    done = recoco(elsewhere, "verify", str(archive), "--rerun", "100%", check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    for said in (
        "card planted-small: sources[0].planted.seed: ",
        "data: planted-small differs from yours",
        "papers/mini/published.csv: row 2 (mini), value: 1.00 archived, 0.10 yours",
        "config.yaml: master_seed: 8 archived, 7 yours",
        "config.yaml: verdicts.tolerance: 0.5 archived, 0.02 yours",
    ):
        assert f"  same inputs: {said}" in done.stdout, done.stdout
    lines = done.stdout.splitlines()
    assert lines[-2].startswith("  mini  consistent, derives, NOT same inputs (5 differences), rer")
    assert lines[-1] == "NOT identical: 5 differences"
