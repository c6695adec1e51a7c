"""Make what readers get from each assignment's source: `python -m exercises.build [assignment …]`.

    release/ASSIGNMENT     the student version: the notebook without answers, and its checks
    solutions/ASSIGNMENT   the notebook with answers, executed

`python -m exercises.build --zip` packs the student versions into learning-to-align-exercises.zip.
"""

import shutil
import sys
import zipfile
from pathlib import Path

import nbformat
import torch
from nbformat import NotebookNode
from nbgrader import preprocessors as nbgrader

from exercises import checking
from exercises.drawing import PUBLIC_SEED, SOURCE, assignments, draw, source_of

HERE = Path(__file__).parent
RELEASE, SOLUTIONS = HERE / "release", HERE / "solutions"
ZIP = HERE / "learning-to-align-exercises.zip"
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")

# What nbgrader's generate_assignment does, without its data base.
STUDENT = (
    nbgrader.LockCells,
    nbgrader.ClearSolutions,
    nbgrader.ClearOutput,
    nbgrader.CheckCellMetadata,
    nbgrader.ClearHiddenTests,
    nbgrader.ClearMarkScheme,
    nbgrader.ComputeChecksums,
    nbgrader.CheckCellMetadata,
)


def student_version(source: NotebookNode) -> NotebookNode:
    """The notebook without answers, hidden tests and outputs."""
    notebook = nbformat.from_dict(source)
    for preprocessor in STUDENT:
        notebook, _ = preprocessor().preprocess(notebook, {})
    return notebook


def solution_version(source: NotebookNode, assignment: str) -> NotebookNode:
    """The notebook with answers, to be executed in its folder."""
    notebook, _ = nbgrader.ClearHiddenTests().preprocess(nbformat.from_dict(source), {})
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
        lines = cell.source.split("\n")
        cell.source = "\n".join(line for line in lines if line.strip() not in MARKS)
    path = nbformat.v4.new_code_cell(
        "import sys\n\n"
        f'sys.path.insert(0, "../../release/{assignment}")  # the checks of the student version',
        id="path",
    )
    first = next(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells.insert(first, path)
    return notebook


def build(assignment: str, release: Path = RELEASE, source: Path = SOURCE) -> None:
    """Write the assignment's checks, and its student version, if they differ from what is there."""
    path = source_of(assignment)
    text = nbformat.writes(student_version(nbformat.read(path, as_version=4))) + "\n"
    folder = release / assignment
    folder.mkdir(parents=True, exist_ok=True)
    store = source / assignment / checking.STORE
    checks = list(draw(assignment, PUBLIC_SEED, hidden=False))
    texts = {"name": path.name, "notebook": text}
    if not same_store(store, checks, texts):
        checking.save(store, checks, **texts)
    shutil.copyfile(store, folder / checking.STORE)
    shutil.copyfile(checking.__file__, folder / "checking.py")
    (folder / path.name).write_text(text, encoding="utf-8")


def same_store(path: Path, checks: list[checking.Check], texts: dict[str, str]) -> bool:
    """Whether the file holds these checks, up to the rounding of another machine."""
    if not path.exists():
        return False
    stored, stored_texts = checking.load(path)
    return (
        stored_texts == texts
        and [*stored] == [check.name for check in checks]
        and all(same_check(stored[check.name], check) for check in checks)
    )


def same_check(one: checking.Check, other: checking.Check) -> bool:
    return (one.asked, one.tolerance, one.refuses, len(one.cases)) == (
        other.asked,
        other.tolerance,
        other.refuses,
        len(other.cases),
    ) and all(
        checking.describe(a) == checking.describe(b)
        and same_tensors(a.given, b.given)
        and same_tensors(a.expected, b.expected)
        for a, b in zip(one.cases, other.cases, strict=True)
    )


def same_tensors(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].shape == other[name].shape
        and torch.allclose(one[name].double(), other[name].double(), atol=1e-5, equal_nan=True)
        for name in one
    )


def solve(assignment: str) -> float:
    """Write and execute the solution version; returns the seconds it took."""
    from tests.execute import execute  # here, since grading needs only what stands above

    path = SOLUTIONS / assignment / source_of(assignment).name
    path.parent.mkdir(parents=True, exist_ok=True)
    source = nbformat.read(source_of(assignment), as_version=4)
    path.write_text(nbformat.writes(solution_version(source, assignment)), encoding="utf-8")
    return execute(path)


def pack(path: Path = ZIP) -> list[str]:
    """Zip the student versions, and nothing else; returns the names in it."""
    files = [file for a in assignments() for file in sorted((RELEASE / a).iterdir())]
    files = [file for file in files if file.is_file()]
    names = [f"exercises/{file.relative_to(RELEASE).as_posix()}" for file in files]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in zip(files, names, strict=True):
            entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return names


if __name__ == "__main__":
    if sys.argv[1:] == ["--zip"]:
        print(*pack(), sep="\n")
    else:
        for name in sys.argv[1:] or assignments():
            build(name)
            print(f"{name}: student version written, solutions executed in {solve(name):.0f} s")
