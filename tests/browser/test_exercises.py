"""A learner's path through a question: no answer, a wrong one, its message, the right one."""

import shutil

import pytest

from browser.lab import ROOT

ANSWER, CHECK = 1, 2  # code cells of assignment 1, after the imports
WRONG = """def mask_from_lengths(valid_lens, num_keys):
    return torch.arange(num_keys) <= valid_lens[..., None]"""
RIGHT = WRONG.replace("<=", "<")


@pytest.fixture(scope="module")
def notebook(lab):
    folder = lab.folder / "1_scoring"
    shutil.copytree(ROOT / "exercises" / "release" / "1_scoring", folder)
    notebook = lab.show(folder / "scoring.ipynb", height=3000)
    run(notebook, 0)
    return notebook


def cell(notebook, number: int):
    return notebook.page.locator(".jp-CodeCell").nth(number)


def run(notebook, number: int, text: str | None = None) -> None:
    """Click into a cell, perhaps type, and press Shift + Enter."""
    cell(notebook, number).locator(".cm-content").click()
    if text is not None:
        notebook.press("Control+A")
        notebook.page.keyboard.insert_text(text)
    notebook.press("Shift+Enter")


def said(notebook, words: str) -> str:
    """What the check says, once it says these words."""
    output = cell(notebook, CHECK).locator(".jp-OutputArea-output").filter(has_text=words)
    output.wait_for()
    return output.inner_text()


def test_a_learner_is_told_what_is_wrong_and_then_that_it_is_right(notebook):
    run(notebook, CHECK)
    assert "There is no mask_from_lengths yet" in said(notebook, "not yet (0 of 2")
    run(notebook, ANSWER)
    run(notebook, CHECK)
    assert "There is no answer yet" in said(notebook, "There is no answer yet")

    run(notebook, ANSWER, WRONG)
    run(notebook, CHECK)
    message = said(notebook, "yours is True, expected False")
    assert "mask_from_lengths: not yet" in message
    assert "Given:  valid_lens (batch=" in message
    assert "Traceback" not in message
    notebook.picture("exercise_wrong", ".jp-NotebookPanel-notebook")

    run(notebook, ANSWER, RIGHT)
    run(notebook, CHECK)
    assert said(notebook, "right").strip() == "mask_from_lengths: right (2 of 2 visible cases)"


def test_beginning_again_keeps_the_old_notebook(notebook):
    notebook.page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    notebook.wait("!jupyterapp.shell.currentWidget.context.model.dirty")
    told = notebook.execute("from checking import reset; reset()")
    (kept,) = notebook.path.parent.glob("scoring 20*.ipynb")
    assert kept.name in told
    assert "<= valid" not in kept.read_text(encoding="utf-8")
    assert "< valid_lens[..., None]" in kept.read_text(encoding="utf-8")
    assert "raise NotImplementedError" in notebook.path.read_text(encoding="utf-8")
