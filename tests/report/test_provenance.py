"""What the report says of the runs behind it."""

from recoco.report.provenance import runs_sentence


def test_readings_tried_on_fewer_runs_do_not_make_a_report_preliminary():
    whole = {"fewest": 5, "most": 10, "settings": 8, "complete": 8}
    assert runs_sentence(whole).startswith("Full protocol")
    first = whole | {"most": 5, "complete": 2}
    assert "2 of 8 settings" in runs_sentence(first)
    assert "No run" in runs_sentence({"fewest": 0, "most": 0, "settings": 0, "complete": 0})
