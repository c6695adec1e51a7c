"""Execute notebooks in place: `python -m tests.execute [notebook …]`, all if none is named.

A notebook is written only once all of it has run. Running it again changes no byte of it but in
outputs that changed, such as the speed on a progress bar: widgets are numbered, not named.
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

SECONDS_PER_CELL = 600
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def execute(path: Path) -> float:
    """Run every cell of the notebook, store the outputs, and return the seconds it took.

    An error in a cell is raised as nbclient's CellExecutionError, which quotes the cell.
    """
    start = time.perf_counter()
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    notebook.metadata["language_info"] = {"name": "python"}
    path.write_text(nbformat.writes(without_widget_state(notebook)) + "\n", encoding="utf-8")
    return time.perf_counter() - start


def without_widget_state(notebook: NotebookNode) -> NotebookNode:
    """Leave of each widget its picture and text, and a number in the place of its random name.

    The state (a widget's whole program among it) would double the file, and a web page would then
    try to show a widget that it cannot run, in the place of the picture.
    """
    notebook.metadata.pop("widgets", None)
    numbers: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if view := output.get("data", {}).get(WIDGET_VIEW):
                view["model_id"] = numbers.setdefault(view["model_id"], f"{len(numbers):032x}")
    return notebook


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:] or sorted(map(str, Path("notebooks").glob("*.ipynb")))):
        print(f"{path}: {execute(path):.0f} s", flush=True)
