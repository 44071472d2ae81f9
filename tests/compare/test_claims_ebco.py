"""The claims of the EBCO paper, mean gains, and what runs tell beside their scores."""

import json

import numpy as np
import pandas as pd
import pytest

from recoco.compare.answers import Printed, answer_number, exact_answer
from recoco.compare.details import column_of
from recoco.compare.measures import Measure
from recoco.items.gains import answer_gains, gain_rows, mean_gains
from recoco.runs.scoring import _details
from support.claims import FakeTable, check


def scores(**methods):
    return {("A", m, metric): value for m, value in methods.items() for metric in ("nmi", "ari")}


def cells(**values):
    return [
        {"item": "table2", "dataset": d, "metric": "nmi", "method": m, "printed": p}
        | {"as_printed": measured}
        for (d, m), (p, measured) in values["of"].items()
    ]


def test_best_of_the_table_without_the_rival_outside():
    table = FakeTable(scores(DCC=0.5, EBCO=0.7, CoCE=0.9), extra=("CoCE",))
    assert check("ebco", "E1", table)[0] == "holds"
    assert check("ebco", "E3", table)[0] == "fails"
    outcome, numbers = check("ebco", "E1", FakeTable(scores(DCC=0.8, EBCO=0.7)))
    assert outcome == "fails" and "DCC by 0.100 on A NMI" in numbers
    assert check("ebco", "E3", FakeTable(scores(DCC=0.8, EBCO=0.7)))[0] == "open"


def test_mean_gain():
    made = {("A", "EBCO"): ("0.70", 0.75), ("A", "DCC"): ("0.60", 0.55)}
    made |= {("B", "EBCO"): ("0.90", None), ("B", "DCC"): ("0.60", None)}
    rows = gain_rows("gains", "EBCO", "table2", cells(of=made))
    found = mean_gains(rows, "nmi")
    assert found["printed"] == pytest.approx(0.2) and found["printed_there"] == pytest.approx(0.1)
    assert found["measured"] == pytest.approx(0.2) and found["datasets_there"] == 1
    printed = pd.DataFrame([{"metric": "nmi_mean_gain", "value": "0.15"}])
    ((_, said, answer, why),) = answer_gains(printed, rows, 0.02)
    assert said == "variant" and answer.measured == pytest.approx(0.2) and "1 of 2" in why
    ((_, said, _, _),) = answer_gains(printed, rows[:1], 0.02)
    assert said == "higher"
    ((_, said, _, _),) = answer_gains(printed, rows[1:], 0.02)
    assert said == "unreachable"


def test_claim_of_the_mean_gain():
    frames = {
        "gains": [{"metric": "nmi", "printed": 0.11, "measured": 0.2, "dataset": "A"}],
        "cells": [{"metric": "nmi_mean_gain", "printed": "0.2"}],
    }
    near = FakeTable(scores(DCC=0.5, EBCO=0.7, CoCE=0.1), frames, extra=("CoCE",))
    outcome, numbers = check("ebco", "E2", near)
    assert outcome == "holds" and "+0.200" in numbers and "0.1100" in numbers
    far = FakeTable(scores(DCC=0.5, EBCO=0.6, CoCE=0.1), frames, extra=("CoCE",))
    assert check("ebco", "E2", far)[0] == "partly"
    worse = FakeTable(scores(DCC=0.5, EBCO=0.4, CoCE=0.1), frames, extra=("CoCE",))
    assert check("ebco", "E2", worse)[0] == "fails"


def curve(parameter, metric, points, dataset="CLASSIC4"):
    return [
        {"item": "f", "dataset": dataset, "metric": metric, "parameter": parameter}
        | {"value": x, "measured": y}
        for x, y in points.items()
    ]


def test_eighty_percent():
    flat = curve("threshold", "ari", {0.95: 0.5, 0.8: 0.69, 0: 0.7})
    assert check("ebco", "E4", FakeTable({}, {"sweeps": flat}))[0] == "holds"
    rising = curve("threshold", "ari", {0.95: 0.5, 0.8: 0.6, 0: 0.7})
    outcome, numbers = check("ebco", "E4", FakeTable({}, {"sweeps": rising}))
    assert outcome == "fails" and "0.100" in numbers
    other = curve("threshold", "threshold_bases", {0.8: 3, 0.5: 9})
    assert check("ebco", "E4", FakeTable({}, {"sweeps": other}))[0] == "open"


def inferred(**found):
    return [
        {"dataset": d, "metric": metric, "as_printed": value}
        for d, (g, k) in found.items()
        for metric, value in (("g_star", g), ("expected_g", k))
    ]


def test_number_of_co_clusters():
    near = {"cells": inferred(CSTR=(4.0, 4), TR45=(8.5, 10))}
    assert check("ebco", "E5", FakeTable({}, near))[0] == "holds"
    far = {"cells": inferred(CSTR=(2.0, 4), TR45=(3.5, 10))}
    assert check("ebco", "E5", FakeTable({}, far))[0] == "fails"
    assert check("ebco", "E5", FakeTable({}))[0] == "open"


def test_peak_of_the_bases():
    bases = curve("n_clusters", "base_modularity", {4: 0.4, 5: 0.5, 6: 0.3})
    frames = {"sweeps": bases, "cells": inferred(CLASSIC4=(4.1, 4))}
    assert check("ebco", "E6", FakeTable({}, frames))[0] == "holds"
    frames["cells"] = inferred(CLASSIC4=(6.0, 4))
    assert check("ebco", "E6", FakeTable({}, frames))[0] == "partly"
    assert check("ebco", "E6", FakeTable({}))[0] == "open"


def test_a_mean_number_of_clusters():
    def answer(printed, value, tolerance=0.5):
        ours = Measure(value, 0.3, value - 0.1, value + 0.1, 10)
        return answer_number(Printed.of(printed), ours, tolerance, tolerance / 2)

    assert answer("4.1", 4.5).within and not answer("4.1", 4.7).within
    assert (answer("8.5", 9.5).side, answer("8.5", 7.0).side) == ("higher", "lower")
    # To the printed digit our interval is too wide.
    rounding = Printed.of("4.1").tolerance()
    assert rounding == pytest.approx(0.05) and answer("4.1", 4.12, rounding).undecided
    assert exact_answer(10, "10", "").within and not exact_answer(10, "9", "").within


def test_runs_tell_arrays_and_other_partitions():
    truth = np.array([0, 0, 1, 1])
    good, bad = truth, np.array([0, 1, 0, 1])
    arrays = {
        "row_labels": np.array([good, bad]),
        "detail_part_other": np.array([bad, good]),
        "detail_part_threshold": np.array([[good, bad], [bad, good]]),
        "detail_threshold_at": np.array([[0.9, 0.5]] * 2),
        "detail_threshold_bases": np.array([[3, 7], [4, 8]]),
    }
    runs = pd.DataFrame({"ari": [1.0, 0.0], "details": _details(arrays, truth)})
    assert "part" not in json.loads(runs["details"][0])
    assert column_of(runs, "ari").tolist() == [1.0, 0.0]
    assert column_of(runs, "nmi@other").tolist() == pytest.approx([0.0, 1.0])
    assert column_of(runs, "nmi@threshold=0.9").tolist() == pytest.approx([1.0, 0.0])
    assert column_of(runs, "nmi@threshold=0.5").tolist() == pytest.approx([0.0, 1.0])
    assert column_of(runs, "threshold_bases=0.5").tolist() == [7, 8]
    assert column_of(runs, "threshold_bases=0.7").isna().all()
    with pytest.raises(KeyError):
        column_of(runs, "purity_of_nothing")
