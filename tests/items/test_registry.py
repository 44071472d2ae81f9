"""The registry of kinds: what is loaded by name must be named to those who take fingerprints."""

from recoco.core.fingerprint import definitions_of
from recoco.items import modules_of_drawings
from recoco.report.figures.drawing import drawings


def test_an_edited_drawing_makes_the_report_out_of_date():
    behind = definitions_of("recoco.report.site", *modules_of_drawings())
    known = drawings()
    assert "nmi_bars" in known
    for name, function in known.items():
        assert f"{function.__module__}:{function.__name__}" in behind, name
