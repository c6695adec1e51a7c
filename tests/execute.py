"""Execute notebooks in place: `python -m tests.execute [notebook …]`, all if none is named.

A notebook is written only once all of it has run. Running it again changes no byte of it but in
outputs that changed, such as the speed on a progress bar: widgets are numbered, not named.
"""

import json
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

SECONDS_PER_CELL = 600


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
    path.write_text(nbformat.writes(number_widgets(notebook)) + "\n", encoding="utf-8")
    return time.perf_counter() - start


def number_widgets(notebook: NotebookNode) -> NotebookNode:
    """Replace the random names that widgets are stored under by 0, 1, 2 …, in the order created."""
    text = json.dumps(notebook)
    for kind in notebook.metadata.get("widgets", {}).values():
        for number, name in enumerate(kind["state"]):
            text = text.replace(name, f"{number:032x}")
    return nbformat.reads(text, as_version=4)


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:] or sorted(map(str, Path("notebooks").glob("*.ipynb")))):
        print(f"{path}: {execute(path):.0f} s", flush=True)
