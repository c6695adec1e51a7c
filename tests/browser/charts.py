"""Charts on a page: where they stand, and what is told of a point in them."""

from browser.lab import WIDGET

PANEL = ".lta-panel"


def drawn(notebook) -> int:
    return int(notebook.page.locator(WIDGET).first.get_attribute("data-lta-ready"))


def after(notebook, count: int) -> None:
    notebook.wait(f"+document.querySelector('{WIDGET}').dataset.ltaReady > {count}")


def status(notebook) -> str:
    """What is told of a point, without the title of its chart."""
    return notebook.page.locator(".lta-status").first.inner_text().split(" — ")[-1]


def chart(notebook, at: int):
    return notebook.page.locator(".lta-chart").nth(at)


def point(notebook, at: int):
    return chart(notebook, at).get_by_role("slider")
