"""The last lines of a reproduction."""

import pandas as pd

from recoco.engine.closing import LEADERS, closing, leaders
from support.reference_run import missing, row, write_here, write_reference

COLUMNS = ["item", "weighting", "selection", "metric", "kind", "method", "mean_rank", "n_datasets"]


def standings(ranks, **other):
    row = {"item": "documents", "weighting": "count", "selection": "mean", "metric": "nmi"}
    row |= {"kind": "method", "n_datasets": 7, **other}
    return [{**row, "method": name, "mean_rank": rank} for name, rank in ranks.items()]


def test_the_leaders_are_the_methods_of_the_lowest_mean_ranks():
    ranks = {f"M{number}": float(number) for number in range(9, 0, -1)}
    rows = standings({**ranks, "unranked": None})
    rows += standings({"of starts": 0.1}, selection="best")
    rows += standings({"by another": 0.1}, metric="ari")
    rows += standings({"random labels": 0.1}, kind="null")
    (line,) = leaders(pd.DataFrame(rows))
    named = ", ".join(f"M{number} {number:.2f}" for number in range(1, LEADERS + 1))
    assert line == f"mean ranks by NMI, documents, count: {named} (of 9 methods on 7 datasets)"


def test_a_benchmark_ends_with_ranks_and_without_verdicts(tmp_path):
    folder = tmp_path / "results" / "compare" / "benchmark"
    folder.mkdir(parents=True)
    pd.DataFrame(columns=["cell", "verdict"]).to_csv(folder / "cells.csv", index=False)
    frame = pd.DataFrame(standings({"A": 1.5, "B": 1.25}), columns=COLUMNS)
    frame.to_csv(folder / "standings.csv", index=False)
    said = closing(tmp_path, ["benchmark"])
    assert "cells" not in said and "B 1.25, A 1.50" in said


def test_a_reproduction_ends_with_what_is_from_here_and_what_is_known(tmp_path):
    folder = write_here(tmp_path, [missing("a"), row("b"), missing("c", "failed")]).parent
    pd.DataFrame(columns=COLUMNS).to_csv(folder / "standings.csv", index=False)
    pd.DataFrame(columns=["cell", "twin"]).to_csv(folder / "drawn.csv", index=False)
    first, *alone = closing(tmp_path, ["mini"]).splitlines()
    assert first.startswith("report: ")
    assert len(alone) == 1 and alone[0].startswith("cells: 1 reproduced / ")

    write_reference(tmp_path, [row("a"), row("c"), missing("b")])
    pd.DataFrame({"cell": ["a"], "twin": [0.5]}).to_csv(folder / "drawn.csv", index=False)
    _, cells, twins, counts, agreement = closing(tmp_path, ["mini"]).splitlines()
    assert twins == "twins: 1 of the unreachable cells have numbers on drawn data, not judged"
    assert cells == alone[0] and agreement.startswith("reference: ")
    assert counts == (
        "1 of 3 cells were computed here, 1 more is known from the reference run, 1 from neither"
    )
