"""Finds what was handed in, and reads from it what is graded. No student's code runs here."""

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from exercises.build import student_version
from exercises.checking import Check
from exercises.drawing import PUBLIC_SEED, assignments, draw, patients_of, questions_of, source_of

MAX_BYTES = 20 << 20


class Broken(ValueError):
    """A submission that cannot be graded, and why."""


@dataclass(frozen=True)
class Assignment:
    """What grading needs to know of an assignment, all of it from its source.

    Attributes:
        points: per question, in the notebook's order, those read by a teacher included.
        answer_of: per question the grade_id of the cell that its answer is written in.
        given: code of the locked cells, by grade_id.
        tests: grade_ids of the cells that check.
        stubs: what the answers' cells hold before anybody has answered.
        rubrics: per question that a teacher reads, the model answer and the rubric.
        allows: modules of the course that answers may import.
        patients: code that answers may call and not see, by name.
    """

    name: str
    notebook: str
    points: dict[str, float]
    answer_of: dict[str, str]
    given: dict[str, str]
    tests: frozenset[str]
    stubs: dict[str, str]
    rubrics: dict[str, str]
    allows: tuple[str, ...]
    patients: dict[str, Callable] = field(repr=False)
    visible: dict[str, Check] = field(repr=False)
    hidden: dict[str, Check] = field(repr=False)

    @property
    def ids(self) -> set[str]:
        return {*self.given, *self.tests, *self.stubs}


def read_assignment(name: str, seed: str) -> Assignment:
    """The assignment, with visible cases and with hidden ones drawn from `seed`."""
    path = source_of(name)
    source = nbformat.read(path, as_version=4)
    points, answer_of, given, tests, stubs, rubrics = {}, {}, {}, set(), {}, {}
    for cell, student in zip(source.cells, student_version(source).cells, strict=True):
        about = cell.metadata.get("nbgrader")
        if not about:
            continue
        grade_id = about["grade_id"]
        if about["solution"]:
            stubs[grade_id] = student.source
            if about["grade"]:
                points[grade_id], answer_of[grade_id] = about["points"], grade_id
                rubrics[grade_id] = re.sub(r"^### .*$", "", cell.source, flags=re.M).strip()
        elif about["grade"]:
            tests.add(grade_id)
            question = re.search(r'check\("(\w+)"\)', cell.source)[1]
            points[question], answer_of[question] = about["points"], question
        else:
            given[grade_id] = cell.source
    checks = [
        {check.name: check for check in draw(name, *kind[:1], hidden=kind[1])}
        for kind in ((PUBLIC_SEED, False), (seed, True))
    ]
    allows, patients = getattr(questions_of(name), "ALLOWS", ()), patients_of(name)
    cells = (points, answer_of, given, frozenset(tests), stubs, rubrics)
    return Assignment(name, path.name, *cells, allows, patients, *checks)


# ── who handed in what ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Submission:
    """One student's file."""

    student: str
    path: Path

    def digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest() if self.path.is_file() else ""


def find(folder: Path, assignment: str | None) -> tuple[str, list[Submission]]:
    """The assignment, and one submission per student, sorted by id.

    The folder is nbgrader's (STUDENT/ASSIGNMENT/NOTEBOOK.ipynb), or holds one notebook per student
    (STUDENT.ipynb). If `assignment` is None it is the one that most of the notebooks are of.

    Raises:
        ValueError: there is no folder, no notebook, or no such assignment.
    """
    if not folder.is_dir():
        raise ValueError(f"SUBMISSIONS={folder} is no folder")
    if assignment is not None and assignment not in assignments():
        raise ValueError(
            f"ASSIGNMENT={assignment} is not one of {', '.join(assignments())}; leave it out to "
            "grade what most of the submissions are"
        )
    flat = [Submission(path.stem, path) for path in folder.glob("*.ipynb")]
    deep: dict[str, list[Path]] = {}
    for path in folder.glob("*/*/*.ipynb"):
        deep.setdefault(path.parent.name, []).append(path)
    if not flat and not deep:
        raise ValueError(
            f"SUBMISSIONS={folder} holds no STUDENT.ipynb, and no STUDENT/ASSIGNMENT/NOTEBOOK.ipynb"
        )
    if assignment is None:
        assignment = _most_common(flat, deep)
    found = {submission.student: submission for submission in flat}
    expected = source_of(assignment).name
    for student in {path.parent.parent for path in deep.get(assignment, [])}:
        inside = student / assignment
        path = inside / expected
        if not path.exists():  # renamed, perhaps: the only one that is there will do
            path = min(inside.glob("*.ipynb"))
        found[student.name] = Submission(student.name, path)
    return assignment, sorted(found.values(), key=lambda submission: submission.student)


def _most_common(flat: list[Submission], deep: dict[str, list[Path]]) -> str:
    votes = Counter({name: len(deep.get(name, ())) for name in assignments()})
    ids = {name: _source_ids(name) for name in assignments()}
    for submission in flat:
        try:
            mine = {grade_id for grade_id, _, _ in cells_of(submission.path)}
        except Broken:
            continue
        best = max(ids, key=lambda name: len(ids[name] & mine))
        votes[best] += bool(ids[best] & mine)
    (name, count), *_ = votes.most_common(1)
    if not count:
        raise ValueError("none of the submissions is of an assignment of this course")
    return name


def _source_ids(name: str) -> set[str]:
    cells = nbformat.read(source_of(name), as_version=4).cells
    return {cell.metadata.nbgrader.grade_id for cell in cells if "nbgrader" in cell.metadata}


def read_roster(path: Path) -> dict[str, str]:
    """Names by id, from a CSV file with the columns id and name.

    Raises:
        ValueError: a column is missing, or an id stands there twice.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        if not {"id", "name"} <= set(reader.fieldnames or ()):
            raise ValueError(f"ROSTER={path} has the columns {reader.fieldnames}, not id and name")
        rows = [(row["id"].strip(), row["name"].strip()) for row in reader]
    twice = [student for student, count in Counter(s for s, _ in rows).items() if count > 1]
    if twice:
        raise ValueError(f"ROSTER={path} has the id {twice[0]} twice")
    return dict(rows)


# ── what stands in a notebook ────────────────────────────────────────────────────────────

Cell = tuple[str, str, str]  # grade_id or "", type, text


def cells_of(path: Path) -> list[Cell]:
    """The cells of a notebook that somebody else wrote.

    Raises:
        Broken: it is none.
    """
    if path.is_symlink() or not path.is_file():
        raise Broken("it is no file")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise Broken(f"it has {size >> 20} MB, more than {MAX_BYTES >> 20}")
    if not size:
        raise Broken("the file is empty")
    try:
        notebook = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise Broken("it is no notebook: the file cannot be read as JSON") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Broken("it is no notebook: it has no list of cells")
    metadata = notebook.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    if language != "python":
        raise Broken(f"its kernel runs {str(language)[:30]}, not Python")
    return [_cell(cell) for cell in notebook["cells"] if isinstance(cell, dict)]


def _cell(cell: dict) -> Cell:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = cell.get("metadata")
    about = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = about.get("grade_id") if isinstance(about, dict) else None
    texts = (grade_id, cell.get("cell_type"), source)
    return tuple(text if isinstance(text, str) else "" for text in texts)


@dataclass(frozen=True)
class Answered:
    """What is graded in one notebook: code to run, and the answers as they were written."""

    code: list[str]
    answers: dict[str, str]


def read(path: Path, assignment: Assignment) -> Answered:
    """The student's own code, with the locked cells as they were handed out.

    Raises:
        Broken: it is no notebook, or one of another assignment.
    """
    cells = cells_of(path)
    ids = {grade_id for grade_id, _, _ in cells if grade_id}
    if not ids & assignment.ids:
        raise Broken(f"it is no notebook of {assignment.name}: none of its cells is there")
    others = {name: _source_ids(name) for name in assignments() if name != assignment.name}
    for name, theirs in others.items():
        if len(theirs & ids) > len(assignment.ids & ids):
            raise Broken(f"it is a notebook of {name}, not of {assignment.name}")
    code = [text for grade_id, text in assignment.given.items() if grade_id not in ids]
    for grade_id, kind, text in cells:
        if kind == "code" and grade_id not in assignment.tests:
            code.append(assignment.given.get(grade_id, _plain_python(text)))
    answers = {grade_id: text for grade_id, _, text in cells if grade_id in assignment.stubs}
    return Answered(code, answers)


def _plain_python(code: str) -> str:
    """Without the lines that only a notebook understands (%timeit, !ls)."""
    return re.sub(r"^(\s*)[%!].*$", r"\1pass", code, flags=re.M)
