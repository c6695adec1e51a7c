"""Notebooks as students hand them in: the student version with some answers written into it."""

import copy
import json
from pathlib import Path

import nbformat

from exercises.build import student_version
from exercises.drawing import source_of


def source(assignment: str):
    return nbformat.read(source_of(assignment), as_version=4)


def right_answers(assignment: str) -> dict[str, str]:
    """The model answers, by the grade_id of their cells."""
    cells = [cell for cell in source(assignment).cells if "nbgrader" in cell.metadata]
    return {c.metadata.nbgrader.grade_id: c.source for c in cells if c.metadata.nbgrader.solution}


def notebook(assignment: str, answers: dict[str, str], *, extra: tuple[str, ...] = ()):
    """The student version with these answers, by grade_id, and cells of one's own in front."""
    made = copy.deepcopy(student_version(source(assignment)))
    for cell in made.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    made.cells[1:1] = [nbformat.v4.new_code_cell(code) for code in extra]
    return made


def hand_in(folder: Path, student: str, assignment: str, content) -> Path:
    """Write a notebook, or any text in its place, where nbgrader would collect it."""
    path = folder / student / assignment / source_of(assignment).name
    path.parent.mkdir(parents=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path
