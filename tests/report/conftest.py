"""The report of the mini project, rendered once."""

import pytest

from recoco.report import render
from support.report_inputs import gathered, report_inputs


@pytest.fixture(scope="session")
def rendered(tmp_path_factory):
    """The number of cells by verdict, and the folder of the report."""
    inputs = report_inputs(tmp_path_factory.mktemp("site"))
    return render(**inputs), inputs["out_dir"]


@pytest.fixture(scope="session")
def site(rendered):
    return rendered[1]


@pytest.fixture(scope="session")
def page(site) -> str:
    return (site / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def material(tmp_path_factory):
    """What the report reads; tests leave it as it is."""
    return gathered(report_inputs(tmp_path_factory.mktemp("unused")))
