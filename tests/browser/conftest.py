"""One Chromium and one JupyterLab for all tests of a process; the notebooks are each test's own."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from browser.lab import Lab, chromium, jupyterlab


def pytest_collection_modifyitems(items):
    """All of these tests are slow."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        if browser is None:
            missing = "no Chromium: apt-get install chromium, or playwright install chromium"
            pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(browser, tmp_path_factory):
    with jupyterlab(tmp_path_factory.mktemp("jupyter")) as found:
        yield found


@pytest.fixture(scope="module")
def lab(browser, server):
    lab = Lab(browser, *server)
    yield lab
    lab.close_all()
