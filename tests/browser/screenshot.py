"""Take the README's picture of the translation lab: `python -m tests.browser.screenshot`."""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.lab import ROOT, Lab, chromium, jupyterlab

CELL = """
from lib.checkpoints import load_model
from lib.widgets.translation_lab import TranslationLab

w = TranslationLab(load_model("bahdanau"), "the girl doesn't see the red car .")
w.toggle(6)
w"""


def take(path: Path) -> None:
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as home,
        jupyterlab(Path(home)) as server,
    ):
        browser = chromium(playwright)
        lab = Lab(browser, *server)
        notebook = lab.open(CELL, width=1130)
        notebook.run(2)
        output = notebook.page.locator(".jp-OutputArea-output").first
        notebook.page.locator(".lta-queries [data-query='7']").first.hover()
        notebook.page.wait_for_timeout(300)
        output.screenshot(path=path)
        lab.close_all()
        browser.close()
    image = Image.open(path)
    image.convert("P", palette=Image.Palette.ADAPTIVE, colors=128).save(path, optimize=True)


if __name__ == "__main__":
    take(ROOT / "figures" / "screens" / "translation_lab.png")
