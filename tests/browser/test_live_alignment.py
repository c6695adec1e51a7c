"""An alignment that forms while a model trains, in JupyterLab."""

import pytest
from conftest import WIDGET

CELLS = (
    """
from lib.corpus import load
from lib.course import RECIPES
from lib.training import fit
from lib.widgets.live_alignment import LiveAlignment

corpus = load(size=3000)
model = RECIPES["bahdanau"].build(corpus)
pair = next(pair for pair in corpus.train if len(pair.source) == 8)
w = LiveAlignment(model, pair)
w""",
    """
import time

def slowly(*arguments):
    w(*arguments)
    time.sleep(0.05)

history = fit(model, corpus.train, epochs=2, batch_size=64, learning_rate=8e-3, on_step=slowly)""",
    "w",
)


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(*CELLS)
    notebook.run(1, to_the_end=False)
    return notebook


def label(notebook) -> str:
    return notebook.page.locator(f"{WIDGET} .lta-facts").first.inner_text()


def test_the_map_changes_while_the_kernel_trains_and_a_slider_runs_through_the_steps(notebook):
    frames = "document.querySelector('.lta input[type=range]').max"
    notebook.wait(f"+{frames} >= 3")  # while the cell is running
    state = "jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
    assert notebook.page.evaluate(state) == "busy"
    notebook.wait(f"{state} === 'idle'")
    notebook.wait(f"document.querySelectorAll('{WIDGET}').length === 2")
    count = notebook.ask("len(w._frames)")
    assert notebook.page.evaluate(f"+{frames}") == count - 1 > 40
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('step')")
    late = notebook.ask("w._maps[0].error_rates()[-1]")
    assert f"alignment error rate {late:.2f}" in label(notebook)
    notebook.picture("live_after")
    slider = notebook.page.get_by_role("slider", name="training step").first
    slider.focus()
    notebook.page.keyboard.press("Home")
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('before')")
    notebook.wait_for("w.map", 0)
    notebook.picture("live_before")
    notebook.page.keyboard.press("ArrowRight")
    notebook.wait_for("w.map", 1)
    first = notebook.ask("w._maps[0].labels[1]")
    assert first.startswith("step 2, loss")  # of 94 steps every other one is kept
    assert label(notebook).startswith(first)
    assert slider.get_attribute("aria-valuetext") == first


def test_it_plays_and_stops(notebook):
    play = notebook.page.get_by_role("button", name="Play").first
    play.click()
    stop = notebook.page.get_by_role("button", name="Stop").first
    notebook.wait("document.querySelector('.lta input[type=range]').value >= 4")
    stop.click()
    place = notebook.page.get_by_role("slider").first.input_value()
    notebook.page.wait_for_timeout(400)
    assert notebook.page.get_by_role("slider").first.input_value() == place


def test_accessible_and_nothing_went_wrong(notebook):
    assert notebook.violations() == []
    assert notebook.overflow() == []
    assert notebook.problems() == []
