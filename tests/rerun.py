"""A notebook made of a few cells, executed, and run again under nbval as `make test` does."""

import os
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parent.parent


def executed(*cells: str) -> nbformat.NotebookNode:
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    resources = {"metadata": {"path": ROOT}}
    nbclient.NotebookClient(notebook, timeout=60, resources=resources).execute()
    return notebook


def passes_again(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Store the notebook at `path`; fail if a cell's output is another one when it runs again."""
    nbformat.write(notebook, path)
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=60", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, *nbval, path],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{len(notebook.cells)} passed" in run.stdout
