"""A picture under controls answers them, tells its errors, and leaves nothing behind."""

import base64
import io

import matplotlib

matplotlib.use("Agg")

import ipywidgets
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from PIL import Image
from rerun import executed, passes_again

from lib.widgets.explore import explore


def draw(height: float = 1, title: str = "") -> Figure:
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.bar([0], [height])
    ax.set(ylim=(0, 10), title=title)
    return figure


def fragile(height: float) -> Figure:
    figure = draw(height)
    if height > 5:
        raise ValueError(f"height {height} > 5 & <b>too tall</b>")
    return figure


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    assert plt.get_fignums() == []


def test_moving_a_slider_changes_the_picture_and_moving_it_back_restores_it():
    widget = explore(draw, height=(0, 10))
    before = widget.picture.value
    widget.children[0].value = 9
    assert widget.picture.value != before
    widget.children[0].value = 5
    assert widget.picture.value == before


def test_with_two_controls_the_picture_shows_the_values_of_both():
    seen = []

    def record(**values):
        seen.append(values)
        return draw(**values)

    slider, menu, *_ = explore(record, height=(0.0, 4.0, 0.5), title=["a", "b"]).children
    slider.value, menu.value = 3.5, "b"
    assert seen == [
        {"height": 2.0, "title": "a"},
        {"height": 3.5, "title": "a"},
        {"height": 3.5, "title": "b"},
    ]


def test_controls_come_from_ranges_lists_or_as_they_are_and_are_named():
    own = ipywidgets.IntSlider(3, 0, 10, description="how tall")
    widget = explore(draw, height=own, title={"first": "a", "second": "b"})
    assert widget.children[0] is own
    assert [child.description for child in widget.children[:2]] == ["how tall", "title"]
    assert widget.children[1].value == "a"


def test_a_later_error_is_shown_as_harmless_text_in_place_of_the_picture_until_it_is_mended():
    widget = explore(fragile, height=(0, 10))
    widget.children[0].value = 8
    assert widget.message.value == (
        "<b>ValueError:</b> height 8 &gt; 5 &amp; &lt;b&gt;too tall&lt;/b&gt;"
    )
    assert widget.picture.layout.display == "none"
    widget.children[0].value = 2
    assert widget.message.value == ""
    assert widget.picture.layout.display is None


def test_an_error_in_the_first_picture_is_raised_so_that_the_cell_fails():
    with pytest.raises(ValueError, match="too tall"):
        explore(fragile, height=ipywidgets.IntSlider(9, 0, 10))


def test_a_draw_without_a_figure_is_refused():
    with pytest.raises(TypeError, match="draw returned None; let it return the figure"):
        explore(lambda height: None, height=(0, 10))


def test_a_control_that_is_none_is_refused():
    with pytest.raises(ValueError, match="at least one control"):
        explore(draw)
    with pytest.raises(ValueError, match="height=None is no control"):
        explore(draw, height=None)


def test_figures_of_the_reader_stay_open():
    mine = plt.figure()
    explore(draw, height=(0, 10))
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_its_text_is_the_same_on_every_run_and_a_page_without_widgets_gets_the_picture():
    widget = explore(draw, height=(0, 10), title=["a"])
    assert repr(widget) == "explore(height, title)"
    bundle, metadata = widget._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == repr(widget)
    assert bundle["text/plain"] == "explore(height, title)"
    assert "application/vnd.jupyter.widget-view+json" in bundle
    png = base64.b64decode(bundle["image/png"])
    assert Image.open(io.BytesIO(png)).format == "PNG"
    assert len(png) < 10_000


NOTEBOOK = """
import matplotlib.pyplot as plt
from lib.widgets.explore import explore

def draw(height, kind):
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.bar([0], [height])
    return figure

widget = explore(draw, height=(0, 10), kind=["a", "b"])
widget
"""


@pytest.mark.slow
def test_a_notebook_with_it_gives_the_same_outputs_when_run_again(tmp_path):
    cells = [NOTEBOOK, "widget.children[0].value = 7\nlen(plt.get_fignums())"]
    notebook = executed(*cells)
    shown, counted = (cell.outputs for cell in notebook.cells)
    assert [output.output_type for output in shown] == ["execute_result"]  # the picture only once
    assert counted[0].data["text/plain"] == "0"

    passes_again(notebook, tmp_path / "explored.ipynb")
