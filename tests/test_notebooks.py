"""What every committed notebook keeps, beyond nbval's comparison of its outputs.

nbval compares nothing in a cell without an execution number, and it skips pictures. So the checks
here read the notebook itself: each takes it and its path, and yields a sentence per problem.
"""

import copy
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.execute import WIDGET_VIEW, without_widget_state

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MAX_BYTES = 700_000
MAX_LINES = 30
STRICT_SHARE = 0.8
Check = Callable[[nbformat.NotebookNode, Path], Iterator[str]]


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def prose(notebook) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def texts(output) -> list[str]:
    """The texts of an output, with no pictures: what is printed, shown as text, or as a table."""
    if output.output_type == "stream":
        return [output.text]
    if output.output_type == "error":
        return output.traceback
    return [str(text) for kind, text in output.data.items() if kind.startswith("text/")]


def is_fact(output) -> bool:
    """Printed text or a table: not a figure's `<Figure size …>`, a widget, or a warning."""
    if output.output_type == "stream":
        return output.name == "stdout" and bool(output.text.strip())
    if output.output_type == "error" or WIDGET_VIEW in output.data:
        return False
    return any(text.strip() and not text.startswith("<Figure size") for text in texts(output))


def is_strict(cell) -> bool:
    """Whether nbval compares a content of this cell's output that is a fact."""
    tags = {"nbval-skip", "nbval-ignore-output"} & set(cell.metadata.get("tags", []))
    return not tags and "NBVAL_" not in cell.source and any(map(is_fact, cell.outputs))


def has_figure(cell) -> bool:
    return any(kind.startswith("image/") for o in cell.outputs for kind in o.get("data", {}))


def broken_links(text: str, folder: Path) -> Iterator[str]:
    for link in re.findall(r"\]\(<?([^)\s>]+)|(?:src|href)=\"([^\"]+)\"", text):
        target = re.split("[#?]", "".join(link))[0]
        if target and not re.match(r"\w+:", target) and not (folder / target).exists():
            yield f"link to {target}, which is not there"


def executed_in_order(notebook, path) -> Iterator[str]:
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells were not executed once each from top to bottom: {counts}"


def no_errors(notebook, path) -> Iterator[str]:
    for cell in code_cells(notebook):
        raises = any(output.output_type == "error" for output in cell.outputs)
        if raises and "raises-exception" not in cell.metadata.get("tags", []):
            yield f"an error, and no tag raises-exception: {cell.source[:80]}"


def no_trace_of_the_machine(notebook, path) -> Iterator[str]:
    private = r"(?:/(?:home|Users|root|tmp|work|opt|usr)/|\b[A-Z]:\\)\S*| at 0x[0-9a-f]+"
    for cell in code_cells(notebook):
        for text in (text for output in cell.outputs for text in texts(output)):
            if found := re.search(private, text):
                yield f"an output names {found[0]!r}, which only this machine has"


def figures_come_with_facts(notebook, path) -> Iterator[str]:
    cells = code_cells(notebook)
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        near = [cell, following] if following else [cell]
        facts = any(any(map(is_fact, c.outputs)) or "assert " in c.source for c in near)
        if has_figure(cell) and not facts:
            yield f"no printed or asserted fact beside the figure: {cell.source[:80]}"


def most_cells_are_prose(notebook, path) -> Iterator[str]:
    code = len(code_cells(notebook))
    words = sum(cell.cell_type == "markdown" for cell in notebook.cells)
    if words < code:
        yield f"{code} code cells, but only {words} of prose"


def cells_are_short(notebook, path) -> Iterator[str]:
    for cell in code_cells(notebook):
        if (lines := len(cell.source.splitlines())) > MAX_LINES:
            yield f"a cell of {lines} lines: {cell.source[:80]}"


def opens_with_title_and_minutes(notebook, path) -> Iterator[str]:
    if not notebook.cells[0].source.startswith("# "):
        yield "the first cell is no title"
    if not re.search(r"\d+ minutes", prose(notebook)[:2000]):
        yield "the opening does not say how many minutes it takes"


def links_lead_somewhere(notebook, path) -> Iterator[str]:
    yield from broken_links(prose(notebook), path.parent)


def runs_in_the_course_kernel(notebook, path) -> Iterator[str]:
    if (name := notebook.metadata.get("kernelspec", {}).get("name")) != "python3":
        yield f"kernel {name!r} instead of 'python3'"


def file_is_small(notebook, path) -> Iterator[str]:
    if (size := len(nbformat.writes(notebook).encode())) > MAX_BYTES:
        yield f"{size:,} bytes are more than {MAX_BYTES:,}"


CHECKS: list[Check] = [
    executed_in_order,
    no_errors,
    no_trace_of_the_machine,
    figures_come_with_facts,
    most_cells_are_prose,
    cells_are_short,
    opens_with_title_and_minutes,
    links_lead_somewhere,
    runs_in_the_course_kernel,
    file_is_small,
]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_keeps_every_rule(path):
    notebook = read(path)
    problems = [f"{c.__name__}: {problem}" for c in CHECKS for problem in c(notebook, path)]
    assert not problems, "\n".join(problems)


def test_the_sequence_has_no_gap():
    numbers = [int(path.name[:2]) for path in NOTEBOOKS]
    assert numbers
    assert numbers == list(range(len(numbers)))


def test_nbval_compares_the_content_of_most_cells_with_output():
    """At least 80 % over all notebooks; the table of a failure shows each."""
    rows = {}
    for path in NOTEBOOKS:
        cells = [cell for cell in code_cells(read(path)) if cell.outputs]
        rows[path.stem] = (sum(map(is_strict, cells)), len(cells))
    strict, total = map(sum, zip(*rows.values(), strict=True))
    assert strict >= STRICT_SHARE * total, "\n".join(
        f"{name}: {part} of {whole}" for name, (part, whole) in rows.items()
    )


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")), ids=lambda path: path.name)
def test_links_of_the_readme_lead_somewhere(path):
    assert not list(broken_links(path.read_text(encoding="utf-8"), ROOT))


# The checks themselves: a good notebook passes all, and each damage is noticed by its own check.


def output_text(text):
    return new_output("stream", name="stdout", text=text)


def output_figure():
    data = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 300x200 with 1 Axes>"}
    return new_output("display_data", data=data)


def good_notebook():
    cells = [
        new_markdown_cell("# A title\n\nIt takes 5 minutes. [Licence](LICENSE)"),
        new_code_cell("print(0.25)", execution_count=1, outputs=[output_text("0.25\n")]),
        new_markdown_cell("**Predict:** is it rising?"),
        new_code_cell("draw()", execution_count=2, outputs=[output_figure()]),
        new_markdown_cell("It is:"),
        new_code_cell("assert rising", execution_count=3),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return new_notebook(cells=cells, metadata=kernel)


def change(place, **attributes):
    def damage(notebook):
        notebook.cells[place].update(attributes)

    return damage


DAMAGES = {
    "not executed": (executed_in_order, change(3, execution_count=None)),
    "executed out of order": (executed_in_order, change(3, execution_count=7)),
    "executed twice": (executed_in_order, change(1, execution_count=2)),
    "error": (
        no_errors,
        change(1, outputs=[new_output("error", ename="E", evalue="", traceback=["Traceback …"])]),
    ),
    "path of the machine": (
        no_trace_of_the_machine,
        change(1, outputs=[output_text("/home/ada/course/lib")]),
    ),
    "address in memory": (
        no_trace_of_the_machine,
        change(1, outputs=[output_text("<object at 0x7f3a>")]),
    ),
    "figure alone": (figures_come_with_facts, change(5, source="rising")),
    "figure at the end": (figures_come_with_facts, lambda notebook: notebook.cells.pop()),
    "little prose": (most_cells_are_prose, lambda notebook: notebook.cells.pop(2)),
    "long cell": (cells_are_short, change(1, source="pass\n" * 31)),
    "no title": (opens_with_title_and_minutes, change(0, source="It takes 5 minutes")),
    "no minutes": (opens_with_title_and_minutes, change(0, source="# A title")),
    "dead link": (links_lead_somewhere, change(0, source="# A title, 5 minutes ![](no.png)")),
    "other kernel": (runs_in_the_course_kernel, lambda notebook: notebook.metadata.clear()),
    "big file": (file_is_small, change(1, outputs=[output_text("0" * MAX_BYTES)])),
}


def test_a_good_notebook_passes():
    assert not [problem for c in CHECKS for problem in c(good_notebook(), ROOT / "x.ipynb")]


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_is_noticed(name):
    check, damage = DAMAGES[name]
    notebook = good_notebook()
    damage(notebook)
    assert list(check(notebook, ROOT / "x.ipynb"))


def test_what_counts_as_strictly_compared():
    _, printed, _, figure, _, silent = good_notebook().cells
    assert is_strict(printed)
    assert not is_strict(figure)
    assert not is_strict(silent)
    ignored = copy.deepcopy(printed)
    ignored.metadata.tags = ["nbval-ignore-output"]
    assert not is_strict(ignored)


def test_executing_again_stores_widgets_under_the_same_names_and_without_their_state():
    def stored(*names):
        views = [{WIDGET_VIEW: {"model_id": name}, "text/plain": "w"} for name in names]
        outputs = [new_output("display_data", data=view) for view in views]
        state = {
            "application/vnd.jupyter.widget-state+json": {"state": {name: {} for name in names}}
        }
        cells = [new_code_cell("w", id="w", outputs=outputs)]
        return without_widget_state(new_notebook(cells=cells, metadata={"widgets": state}))

    assert stored("c0ffee", "abba", "c0ffee") == stored("dead", "beef", "dead")
    assert "widgets" not in stored("dead").metadata
    assert stored("dead").cells[0].outputs[0].data["text/plain"] == "w"


@pytest.mark.slow
def test_one_changed_digit_fails_make_test(tmp_path):
    """What `make test` does with notebooks passes 01, and fails a copy with one digit changed."""
    notebook = read(next(path for path in NOTEBOOKS if path.name.startswith("01")))
    nbformat.write(notebook, tmp_path / "true.ipynb")
    output = next(
        output
        for cell in filter(is_strict, code_cells(notebook))
        for output in cell.outputs
        if output.output_type == "stream" and re.search(r"\d", output.text)
    )
    output.text = re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), output.text, count=1)
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    run = subprocess.run(
        ["make", "--old-file=.venv/installed-test", "notebook-tests", f"NOTEBOOKS={tmp_path}"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0
    assert re.findall(r"^FAILED \S*?(\w+)\.ipynb", run.stdout, flags=re.MULTILINE) == ["changed"]
