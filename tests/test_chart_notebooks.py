"""A notebook with the playground and the explorer gives the same outputs when it is run again."""

import os
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

CELLS = [
    "from lib.widgets.scoring_playground import ScoringPlayground\nw = ScoringPlayground()\nw",
    "from lib.widgets.position_explorer import PositionExplorer\nv = PositionExplorer()\nv",
    "w.controls['d'].value, v.controls['shift'].value = 512, -3\nw, v",
    "w",
]


@pytest.mark.slow
def test_run_again_it_says_the_same_and_stays_small(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    root = Path(__file__).parent.parent
    client = nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": root}})
    client.execute()
    for cell in notebook.cells:
        assert [output.output_type for output in cell.outputs] == ["execute_result"]
    moved = notebook.cells[3].outputs[0].data
    assert "At d = 512" in moved["text/plain"]
    assert moved["image/png"] != notebook.cells[0].outputs[0].data["image/png"]

    path = tmp_path / "charts.ipynb"
    nbformat.write(notebook, path)
    assert path.stat().st_size < 700_000  # the widgets' state included
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=60", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, *nbval, path],
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "4 passed" in run.stdout
