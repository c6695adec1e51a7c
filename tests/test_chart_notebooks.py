"""A notebook with the playground and the explorer gives the same outputs when it is run again."""

import pytest
from rerun import executed, passes_again

CELLS = [
    "from lib.widgets.scoring_playground import ScoringPlayground\nw = ScoringPlayground()\nw",
    "from lib.widgets.position_explorer import PositionExplorer\nv = PositionExplorer()\nv",
    "w.controls['d'].value, v.controls['shift'].value = 512, -3\nw, v",
    "w",
]


@pytest.mark.slow
def test_run_again_it_says_the_same_and_stays_small(tmp_path):
    notebook = executed(*CELLS)
    for cell in notebook.cells:
        assert [output.output_type for output in cell.outputs] == ["execute_result"]
    moved = notebook.cells[3].outputs[0].data
    assert "At d = 512" in moved["text/plain"]
    assert moved["image/png"] != notebook.cells[0].outputs[0].data["image/png"]

    path = tmp_path / "charts.ipynb"
    passes_again(notebook, path)
    assert path.stat().st_size < 700_000  # the widgets' state included
