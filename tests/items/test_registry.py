"""The registry of kinds: what is loaded by name must be named to those who take fingerprints."""

import subprocess
import sys

from recoco.core.fingerprint import definitions_of
from recoco.items import modules_of_drawings
from recoco.report.figures.drawing import drawings


def test_an_edited_drawing_makes_the_report_out_of_date():
    behind = definitions_of("recoco.report.site", *modules_of_drawings())
    known = drawings()
    assert "nmi_bars" in known
    for name, function in known.items():
        assert f"{function.__module__}:{function.__name__}" in behind, name


def test_a_kind_may_contain_its_own_drawing():
    # Kinds are loaded by name: a drawing's module that needs them could not be imported by one.
    code = (
        "import sys, recoco.report.figures.drawing; print('recoco.compare.outputs' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
