"""Grading a class: who gets which points, what is reported, and what a second run does.

That students' code is fenced in stands in test_exercises_sandbox.py.
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exercises.build import RELEASE
from exercises.drawing import assignments, source_of
from exercises.grading.__main__ import main
from exercises.grading.submissions import Broken, find, read, read_assignment, read_roster
from tests.handed_in import hand_in, notebook, right_answers
from tests.test_exercises_answers import ANSWERS

ROOT = Path(__file__).parent.parent
ASSIGNMENT = "1_scoring"
FENCED = shutil.which("bwrap") or os.environ.get("CI")
TRUST = [] if FENCED else ["--trust"]


def with_answers(*names: str):
    """A notebook of assignment 1 in which all is right but for these answers of tests.answers."""
    found = {answer.answer.__name__: answer for answer in ANSWERS}
    answers = {found[name].question: found[name].source() for name in names}
    return notebook(ASSIGNMENT, right_answers(ASSIGNMENT) | answers)


@pytest.fixture
def grade(tmp_path, monkeypatch):
    """Run the command on tmp_path/in; returns the lines of grades.csv by id."""
    monkeypatch.setenv("SEED", "a secret")

    def run(*options: str) -> dict[str, dict[str, str]]:
        arguments = [str(tmp_path / "in"), "--out", str(tmp_path / "out"), *TRUST, *options]
        assert main(arguments) == 0
        (path,) = (tmp_path / "out").glob("*/grades.csv")
        with path.open(newline="", encoding="utf-8") as file:
            return {row["id"]: row for row in csv.DictReader(file)}

    return run


def points(row: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in row.items() if k not in ("id", "name", "total", "remark")}


@pytest.mark.slow
@pytest.mark.parametrize("assignment", assignments())
def test_solutions_get_full_marks_and_the_untouched_notebook_none(assignment, grade, tmp_path):
    hand_in(tmp_path / "in", "ada", assignment, notebook(assignment, right_answers(assignment)))
    untouched = (RELEASE / assignment / source_of(assignment).name).read_text(encoding="utf-8")
    hand_in(tmp_path / "in", "ben", assignment, untouched)
    rows = grade()
    known = read_assignment(assignment, "a secret")
    assert points(rows["ada"]) == {
        question: "" if question in known.rubrics else f"{of:g}"
        for question, of in known.points.items()
    }
    assert set(points(rows["ben"]).values()) == {"0"}
    page = (tmp_path / "out" / assignment / "feedback" / "ben.html").read_text(encoding="utf-8")
    assert "There is no answer yet." in page
    assert "Traceback" not in page


OTHERWISE_RIGHT = (
    "mask_by_counting",
    "infinity_mended",
    "attention_by_einsum",
    "OneQueryAtATime",
    "by_chunks",
    "heads_concatenated",
    "folded_into_the_batch",
)
ROSTER = "id,name\nada,Ada Lovelace\nbob,Bob Moog\nmax,Max Planck\n"
BROKEN = {
    "not-json": ("{", "cannot be read as JSON"),
    "empty": ("", "the file is empty"),
    "a-list": ("[1, 2]", "it has no list of cells"),
    "too-deep": ("[" * 100_000, "cannot be read as JSON"),
    "another-kernel": (
        {"cells": [], "metadata": {"kernelspec": {"language": "R"}}},
        "its kernel runs R, not Python",
    ),
    "another-course": (
        {"cells": [{"cell_type": "code", "source": "1", "metadata": {}}], "metadata": {}},
        "none of its cells is there",
    ),
}


@pytest.mark.slow
def test_a_class_is_graded_reported_and_graded_on(grade, tmp_path, capsys, monkeypatch):
    folder, out = tmp_path / "in", tmp_path / "out" / ASSIGNMENT
    hand_in(folder, "ada", ASSIGNMENT, with_answers(*OTHERWISE_RIGHT))
    wrong = with_answers("four_numbers_to_a_head", "drops_single_axes", "folded_into_the_batch")
    hand_in(folder, "bob", ASSIGNMENT, wrong)
    for student, (content, _) in BROKEN.items():
        hand_in(folder, student, ASSIGNMENT, content)
    roster = tmp_path / "roster.csv"
    roster.write_text(ROSTER, encoding="utf-8")

    rows = grade("--roster", str(roster))
    assert [*rows] == sorted(["ada", "bob", "max", *BROKEN])
    assert points(rows["ada"]) | {"too_late": "?"} == {
        **{"mask_from_lengths": "2", "masked_softmax": "4", "too_late": "?", "attention": "3"},
        **{"AdditiveScore": "4", "split_heads": "2", "join_heads": "2", "multi_head": "4"},
    }
    assert (rows["ada"]["name"], rows["ada"]["total"]) == ("Ada Lovelace", "21")
    assert rows["ada"]["remark"] == "to be read: too_late"
    lost = {q for q, got in points(rows["bob"]).items() if got == "0"}
    assert lost == {"split_heads", "join_heads"}
    assert rows["max"]["remark"] == "nothing was handed in"
    said = capsys.readouterr().out
    for student, (_, reason) in BROKEN.items():
        assert reason in rows[student]["remark"]
        assert f"{student}: {rows[student]['remark']}" in said

    page = (out / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert "A hidden case fails (vectors of another size)." in page
    assert "2 of 2 visible and" in page
    assert "x[..., 4 * h : 4 * h + 4]" in page  # the student's own answer
    assert (
        "d_model // num_heads).transpose(1, 2)" not in page
    )  # the model answer to what was answered wrongly
    summary = (out / "summary.html").read_text(encoding="utf-8")
    assert "data:image/png;base64," in summary
    assert "nothing was handed in" in summary

    # A teacher reads an answer. A second run puts the points in, and grades nothing again.
    manual = out / "manual.csv"
    lines = manual.read_text(encoding="utf-8").splitlines()
    assert lines[1] == "ada,too_late,,3,"
    lines[1] = "ada,too_late,2.5,3,A sentence without padding?"
    manual.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr("exercises.grading.__main__.Sandbox", None)
    again = grade("--roster", str(roster))
    assert (again["ada"]["total"], again["ada"]["remark"]) == ("23.5", "")
    assert again["bob"] == rows["bob"]
    assert "A sentence without padding?" in (out / "feedback" / "ada.html").read_text("utf-8")
    monkeypatch.undo()
    monkeypatch.setenv("SEED", "a secret")

    # One question is graded again: only that one changes, even if records say otherwise.
    record = out / "records" / "bob.json"
    changed = json.loads(record.read_text(encoding="utf-8"))
    for question in ("join_heads", "attention"):
        changed["marks"][question]["points"] = 0.25
    record.write_text(json.dumps(changed), encoding="utf-8")
    final = grade("--roster", str(roster), "--regrade", "join_heads")
    assert (final["bob"]["join_heads"], final["bob"]["attention"]) == ("0", "0.25")
    assert final["ada"] == again["ada"]

    # Handed in anew, graded anew.
    shutil.rmtree(folder / "bob")
    hand_in(folder, "bob", ASSIGNMENT, with_answers(*OTHERWISE_RIGHT))
    assert grade("--roster", str(roster))["bob"]["total"] == "21"


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_order_does_not_matter(grade, tmp_path):
    for number in range(4):
        hand_in(tmp_path / "in", f"s{number}", ASSIGNMENT, with_answers(*OTHERWISE_RIGHT[number:]))
    command = [sys.executable, "-m", "exercises.grading", str(tmp_path / "in"), *TRUST]
    environment = {**os.environ, "SEED": "a secret", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "out"), "--jobs", "1"],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    records = tmp_path / "out" / ASSIGNMENT / "records"
    deadline = time.monotonic() + 120
    while not list(records.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = {path: path.stat().st_mtime_ns for path in records.glob("*.json")}
    assert 1 <= len(done) < 4
    rows = grade()
    assert all(path.stat().st_mtime_ns == time_ for path, time_ in done.items())
    assert {row["total"] for row in rows.values()} == {"21"}

    first = {path.name: path.read_bytes() for path in records.iterdir()}
    shutil.rmtree(tmp_path / "out")
    assert grade("--jobs", "3") == rows
    assert {path.name: path.read_bytes() for path in records.iterdir()} == first


# ── what is found and read ───────────────────────────────────────────────────────────────


def test_a_flat_folder_and_nbgraders_are_both_understood(tmp_path):
    text = json.dumps(notebook(ASSIGNMENT, {}))
    for student in ("bob", "ada"):
        (tmp_path / f"{student}.ipynb").write_text(text, encoding="utf-8")
    assignment, found = find(tmp_path, None)
    assert (assignment, [s.student for s in found]) == (ASSIGNMENT, ["ada", "bob"])
    hand_in(tmp_path, "cyd", ASSIGNMENT, text)
    hand_in(tmp_path, "dan", ASSIGNMENT, text).rename(tmp_path / "dan" / ASSIGNMENT / "mine.ipynb")
    _, found = find(tmp_path, ASSIGNMENT)
    assert [s.student for s in found] == ["ada", "bob", "cyd", "dan"]


@pytest.mark.parametrize(
    ("make", "assignment", "words"),
    [
        (lambda folder: folder / "nowhere", None, "is no folder"),
        (lambda folder: folder, None, "holds no STUDENT.ipynb"),
        (lambda folder: folder, "9_none", "ASSIGNMENT=9_none is not one of 1_scoring"),
    ],
)
def test_a_folder_without_submissions_is_refused(make, assignment, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        find(make(tmp_path), assignment)


def test_no_seed_no_grades(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SEED", "")
    assert main([str(tmp_path)]) == 1
    assert "SEED is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [("number,name\n1,a\n", "not id and name"), ("id,name\n1,a\n1,b\n", "has the id 1 twice")],
)
def test_a_roster_that_cannot_be_used_is_refused(text, words, tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_roster(path)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "x.ipynb").symlink_to("/etc/passwd")
    with pytest.raises(Broken, match="it is no file"):
        read(tmp_path / "x.ipynb", read_assignment(ASSIGNMENT, "x"))


def test_locked_cells_are_replaced_and_magic_is_left_out(tmp_path):
    """What the student made of a locked cell does not count; %timeit would be no Python."""
    made = notebook(ASSIGNMENT, {"setup": "import malice"}, extra=("%timeit x\n!ls\ny = 1",))
    answered = read(hand_in(tmp_path, "x", ASSIGNMENT, made), read_assignment(ASSIGNMENT, "x"))
    assert answered.code[0] == "pass\npass\ny = 1"
    assert "import torch" in answered.code[1]
    assert not any("malice" in code or "check(" in code for code in answered.code)


def test_points_out_of_range_are_refused_and_nothing_is_lost(tmp_path):
    from exercises.grading.report import Mark, Record, merge_manual

    path = tmp_path / "manual.csv"
    text = "id,question,points,of,comment\nada,too_late,30,3,\n"
    path.write_text(text, encoding="utf-8")
    record = Record("ada", marks={"too_late": Mark(None, 3)})
    with pytest.raises(ValueError, match="ada has '30' points for too_late, which has 0 to 3"):
        merge_manual(path, [record], read_assignment(ASSIGNMENT, "x"))
    assert path.read_text(encoding="utf-8") == text


# ── nbgrader ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_nbgrader_makes_the_same_student_version_and_grades_it(tmp_path, monkeypatch):
    """generate_assignment → autograde → generate_feedback, with nbgrader's own commands."""
    course = tmp_path / "exercises"
    ignore = shutil.ignore_patterns("__pycache__", "release", "solutions")
    shutil.copytree(ROOT / "exercises", course, ignore=ignore)
    (tmp_path / "lib").symlink_to(ROOT / "lib")
    monkeypatch.setenv("SEED", "a secret")
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))

    def nbgrader(*command: str) -> None:
        run = subprocess.run(
            [sys.executable, "-m", "nbgrader", *command],
            cwd=course,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr[-3000:]

    nbgrader("generate_assignment", ASSIGNMENT)
    made = {p.name: p.read_bytes() for p in (course / "release" / ASSIGNMENT).iterdir()}
    committed = (p for p in (RELEASE / ASSIGNMENT).iterdir() if p.is_file())
    assert made == {p.name: p.read_bytes() for p in committed}

    submitted = course / "submitted"
    hand_in(
        submitted, "ada", ASSIGNMENT, with_answers("minus_infinity", "infinite_scores_of_its_own")
    )
    hand_in(submitted, "ben", ASSIGNMENT, notebook(ASSIGNMENT, {}))
    nbgrader("autograde", ASSIGNMENT)
    nbgrader("generate_feedback", ASSIGNMENT)
    nbgrader("export", "--to", "grades.csv")
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"ada": 21 - 4 - 3, "ben": 0}
    for student in scores:
        assert (course / "feedback" / student / ASSIGNMENT / "scoring.html").stat().st_size > 1000
