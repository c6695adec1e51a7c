"""The attention explorer in JupyterLab, used with mouse and keyboard."""

import pytest

CELL = """
from lib.checkpoints import load_model
from lib.corpus import load
from lib.widgets.attention_explorer import AttentionExplorer

pair = load().test[5]
w = AttentionExplorer.of(load_model("transformer"), pair)
w
"""


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(CELL)
    notebook.run()
    return notebook


def test_it_draws(notebook):
    notebook.picture("explorer_light")
    assert notebook.problems() == []
