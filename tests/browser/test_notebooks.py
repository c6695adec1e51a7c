"""The course's own notebooks, opened and run as a learner does."""

import shutil

import pytest

from browser.lab import ROOT, WIDGET

WIDGETS = {"00_start_here": 3, "02_scoring_functions": 1, "06_many_heads": 1}


@pytest.mark.parametrize("name", WIDGETS)
def test_a_fresh_clone_shows_pictures_and_answers_once_it_has_been_run(lab, name):
    path = lab.folder / f"{name}.ipynb"
    shutil.copy(ROOT / "notebooks" / path.name, path)
    notebook = lab.show(path, height=20_000)  # JupyterLab draws only what is in sight
    notebook.page.locator(".jp-OutputArea-output img").first.wait_for()
    assert notebook.page.locator(WIDGET).count() == 0
    errors = len(notebook.problems())  # pictures of the prose, which lie elsewhere, are not found
    notebook.run(WIDGETS[name])
    for widget in notebook.page.locator(WIDGET).all():
        assert widget.bounding_box()["height"] > 150
    assert notebook.violations(WIDGET) == []
    assert notebook.problems()[errors:] == []
    notebook.picture(name, WIDGET)
