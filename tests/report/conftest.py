"""The report of the mini project, rendered once, and a browser that is started once."""

import json
import os
import shutil
from pathlib import Path

import pytest

from recoco.report import render
from support.report_inputs import gathered, report_inputs

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def rendered(once):
    """The number of cells by verdict, and the folder of the report."""

    def draw(folder: Path) -> None:
        counts = render(**report_inputs(folder / "site"))
        (folder / "counts.json").write_text(json.dumps(counts))

    folder = once("report", draw)
    return json.loads((folder / "counts.json").read_text()), folder / "site"


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


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    found, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (found and driver):
        reason = "Chromium and chromedriver are not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield started
    started.quit()


@pytest.fixture
def browser(chromium):
    """The browser of all tests, as if it had just been started."""
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chromium.get_log("browser")  # what earlier tests left there
    return chromium
