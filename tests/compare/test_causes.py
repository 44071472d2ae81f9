"""Every number that does not come out has one cause, with evidence from the numbers."""

import pandas as pd
import pytest

from recoco.archive import reference
from recoco.compare.causes import CAUSES, NOT_FOUND, add_causes, check_causes, contradicted
from recoco.compare.errata import misprinted
from recoco.compare.verdicts import CAUSED
from recoco.config.papers import all_papers
from recoco.core.errors import RecocoError
from support.projects import CHECKOUT

CELLS = ["p:t:A:w:One:acc", "p:t:A:w:Two:acc", "p:t:A:w:One vs Two:pvalue_acc"]
EVIDENCE = "Printed is {printed}, ours is {measured:.2f}."


def cell(name: str, verdict: str, **more) -> dict:
    keys = ("paper", "item", "dataset", "weighting", "method", "metric")
    place = dict(zip(keys, name.split(":"), strict=True))
    numbers = {"printed": "0.9", "measured": 0.8, "printed_note": "copied", "reason": "why."}
    return {"cell": name, "verdict": verdict, **place, **numbers, **more}


def cause(cells: str, name: str = "weighting", evidence: str = EVIDENCE) -> dict[str, str]:
    return {"paper": "p", "cells": cells, "cause": name, "evidence": evidence}


def test_stated_computed_and_missing_causes():
    cells = [
        cell(CELLS[0], "lower"),
        cell(CELLS[1], "explained", cause="selection rule", evidence="best of 20."),
        cell("p:t:B:w:One:acc", "higher", tried="3 other readings tried."),
        cell("p:t:B:w:Two:acc", "undecided"),
        cell("p:t:C:w:One:acc", "misprint"),
        cell("p:t:C:w:Two:acc", "reproduced"),
        cell("p:t:D:w:One:acc", "unreachable"),
        cell("p:t:D:w:Two:acc", "variant"),
    ]
    causes = [cause("p:t:A:w:One:*"), cause("p:t:C:*")]
    add_causes(cells, causes, {"p:t:C:w:One:acc": "see the erratum"})
    found = [(row["cause"], row["evidence"]) for row in cells]
    assert found == [
        ("weighting", "Printed is 0.9, ours is 0.80."),
        ("selection rule", "best of 20."),
        (NOT_FOUND, "3 other readings tried."),
        ("too few runs", "why."),
        ("misprint", "see the erratum"),
        ("", ""),
        ("", ""),
        ("data version", "why."),
    ]


def test_a_test_follows_from_its_means():
    cells = [cell(name, "lower") for name in CELLS]
    add_causes(cells, [cause(CELLS[1])], {})
    assert cells[2]["cause"] == "weighting"
    assert cells[2]["evidence"].startswith("Follows from the mean of Two, which is lower: Printed")


@pytest.mark.parametrize(
    ("row", "meant"),
    [
        (cause("p:t:Z:*"), "no printed cell is named 'p:t:Z:\\*': write cells"),
        (cause("p:t:A:*", "wheighting"), "unknown cause 'wheighting': did you mean 'weighting'"),
        (cause("p:t:A:*", evidence="Surely."), "the evidence for 'p:t:A:\\*' is not computed"),
        (cause("p:t:A:*", evidence="{mesured}"), "unknown field 'mesured': did you mean"),
    ],
)
def test_a_cause_that_cannot_be_right_is_refused(row, meant):
    check_causes([cause("p:t:A:*")], CELLS, "causes.csv")
    with pytest.raises(RecocoError, match=f"causes.csv: {meant}"):
        check_causes([row], CELLS, "causes.csv")


def test_a_cause_of_a_reproduced_cell_is_named():
    cells = [cell(CELLS[0], "reproduced"), cell(CELLS[1], "lower")]
    (sentence,) = contradicted([cause(CELLS[0]), cause(CELLS[1]), cause("p:t:A:*")], cells)
    assert CELLS[0] in sentence and "remove it" in sentence


def test_errata_name_cells():
    erratum = {"id": "p-1", "evidence": "Twice the same.", "cells": f"{CELLS[0]}; p:t:A:w:Two:*"}
    found = misprinted([erratum, {**erratum, "cells": ""}], CELLS)
    assert set(found) == set(CELLS[:2]) and found[CELLS[0]].endswith("p-1: Twice the same")
    with pytest.raises(RecocoError, match=r"errata\.csv, p-1: no printed cell is named 'p:x'"):
        misprinted([{**erratum, "cells": "p:x"}], CELLS)


def test_causes_of_the_papers_are_known():
    for paper in all_papers(CHECKOUT / "config").values():
        assert {row["cause"] for row in paper.causes} <= set(CAUSES)


def test_verdicts_of_an_earlier_reference_are_renamed(tmp_path):
    path = reference.cells_file(tmp_path, "p")
    path.parent.mkdir()
    old = pd.DataFrame({"cell": list("abc"), "verdict": ["better", "worse", "reproduced"]})
    old.to_csv(path, index=False)
    assert reference.read_cells(tmp_path, "p")["verdict"].tolist() == [
        *("higher", "lower", "reproduced")
    ]
    assert {"higher", "lower"} <= CAUSED
