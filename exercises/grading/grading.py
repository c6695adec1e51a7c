"""Grades one submission: the sandbox runs the student's code, and here its results are compared."""

import builtins
import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from safetensors.torch import save
from torch import Tensor

from exercises import checking
from exercises.checking import Case, Check, Wrong
from exercises.grading.sandbox import START_SECONDS, Died, Process, Sandbox
from exercises.grading.submissions import Answered, Assignment

CELL_SECONDS, CASE_SECONDS, NOTEBOOK_SECONDS = 20.0, 10.0, 150.0
MOST_CALLS, MOST_NUMBERS = 200, 20_000  # of a patient, and in the arguments of a call


@dataclass
class Mark:
    """The points for one question; None if a teacher has yet to read the answer."""

    points: float | None
    of: float
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """One case to be run. Keys are unique; `hidden` says what a student may learn of it."""

    key: str
    question: str
    case: Case
    hidden: bool
    refuses: tuple[str, ...]
    patient: Callable | None = None


def grade(
    answered: Answered, assignment: Assignment, sandbox: Sandbox, only: str | None = None
) -> dict[str, Mark]:
    """Marks for every question, or for the question `only`."""
    questions = [name for name in assignment.points if only in (None, name)]
    marks, tasks = {}, []
    for question in questions:
        check = assignment.visible.get(question)
        if check is None:
            marks[question] = _read_by_a_teacher(answered, assignment, question)
        elif bad := checking.refused(question, answered.code, check.refuses):
            words = f"Your answer uses {bad}, which this question asks you to do without."
            marks[question] = Mark(0.0, assignment.points[question], [words])
        else:
            tasks += _tasks(question, assignment)
    results = _run(answered.code, tasks, sandbox) if tasks else {}
    for question in questions:
        if question not in marks:
            mine = [task for task in tasks if task.question == question]
            marks[question] = _mark(assignment, question, mine, results)
    return {question: marks[question] for question in questions}


def _tasks(question: str, assignment: Assignment) -> list[Task]:
    return [
        Task(
            f"{question}/{kind}/{number}",
            question,
            case,
            kind == "hidden",
            check.refuses,
            assignment.patients.get(case.patient),
        )
        for kind in ("visible", "hidden")
        for check in [getattr(assignment, kind)[question]]
        for number, case in enumerate(check.cases)
    ]


def _read_by_a_teacher(answered: Answered, assignment: Assignment, question: str) -> Mark:
    answer = answered.answers.get(question, "").strip()
    if answer in ("", assignment.stubs[question].strip()):
        return Mark(0.0, assignment.points[question], ["There is no answer."])
    return Mark(None, assignment.points[question], ["Your teacher reads this answer."])


# ── run ──────────────────────────────────────────────────────────────────────────────────

Result = dict[str, Tensor] | Wrong  # what a case gave, or why it gave nothing


class Said(Wrong):
    """What the sandbox says went wrong: text that a student's code may have written."""

    def __init__(self, texts: dict[str, str]):
        super().__init__(texts.get("words", ""), texts.get("detail", ""))
        self.error = texts["error"]


def _run(code: list[str], tasks: list[Task], sandbox: Sandbox) -> dict[str, Result]:
    """The results of all tasks.

    A process sees one patient of each question and no more, so that none can be told by another.
    """
    rounds: dict[int, list[Task]] = {}
    seen: Counter[str] = Counter()
    for task in tasks:
        seen[task.question] += bool(task.case.patient)
        rounds.setdefault(seen[task.question] if task.case.patient else 0, []).append(task)
    deadline = time.monotonic() + NOTEBOOK_SECONDS
    deadly: set[int] = set()
    results: dict[str, Result] = {}
    for together in rounds.values():
        results |= _one_round(code, together, sandbox, deadly, deadline)
    return results


def _one_round(
    code: list[str], tasks: list[Task], sandbox: Sandbox, deadly: set[int], deadline: float
) -> dict[str, Result]:
    """All tasks in one process, which is fast. If that dies, each question gets its own.

    So what kills a process, at once or a little later, costs its question and no other.
    """
    results, reason = _together(code, tasks, sandbox, deadly, deadline)
    if reason is None:
        return results
    results = {}
    for question in dict.fromkeys(task.question for task in tasks):
        mine = [task for task in tasks if task.question == question]
        found, reason = _together(code, mine, sandbox, deadly, deadline)
        missing = Wrong(f"Your answer was stopped: {reason}.")
        results.update({task.key: found.get(task.key, missing) for task in mine})
    return results


def _together(
    code: list[str], tasks: list[Task], sandbox: Sandbox, deadly: set[int], deadline: float
) -> tuple[dict[str, Result], str | None]:
    """Run tasks in one process, without the cells that kill it: results, and why no more."""
    while True:
        if time.monotonic() > deadline:
            return {}, f"the notebook had had its {NOTEBOOK_SECONDS:g} seconds"
        results: dict[str, Result] = {}
        cells = [(number, text) for number, text in enumerate(code) if number not in deadly]
        done, reason = _until_it_dies(sandbox, cells, tasks, results)
        if reason is None or done >= len(cells):
            return results, reason
        deadly.add(cells[done][0])


def _until_it_dies(
    sandbox: Sandbox, cells: list, tasks: list[Task], results: dict
) -> tuple[int, str | None]:
    """Run cells and tasks in one process: how many came to their end, and why no more did."""
    done = 0
    with sandbox.start(_job(cells, tasks)) as process:
        try:
            process.frame("start", START_SECONDS)
        except Died as error:
            raise RuntimeError(f"a sandbox could not be started: {error}") from None
        try:
            for number, _ in cells:
                process.frame(str(number), CELL_SECONDS)
                done += 1
            for task in tasks:
                tensors, texts = _answer_to(task, process)
                results[task.key] = Said(texts) if "error" in texts else tensors
                done += 1
        except Died as error:
            return done, str(error)
    return done, None


def _answer_to(task: Task, process: Process) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The frame that ends the task, after all calls of its patient."""
    deadline = time.monotonic() + CASE_SECONDS
    for _ in range(MOST_CALLS):
        tensors, texts = process.frame(task.key, max(deadline - time.monotonic(), 0.0))
        if "call" not in texts or not task.case.patient:
            return tensors, texts
        with contextlib.suppress(OSError):  # it has ended, and the next frame will say so
            process.send(save(_treat(task.patient, tensors)), CASE_SECONDS)
    raise Died(f"it called the patient more than {MOST_CALLS} times")


def _treat(patient: Callable, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """What a patient returns, and its arguments as it left them; no result if it fails."""
    sizes = sum(tensor.numel() for tensor in tensors.values())
    args = [tensors.get(str(number)) for number in range(len(tensors))]
    kept = {"0": torch.zeros(1)}
    if sizes > MOST_NUMBERS or any(arg is None or arg.dim() > 4 for arg in args):
        return kept
    try:
        with torch.no_grad():
            result = patient(*(arg.item() if arg.dim() == 0 else arg for arg in args))
        kept = {str(number): arg.contiguous() for number, arg in enumerate(args)}
        return {**kept, "result": torch.as_tensor(result).clone().contiguous()}
    except Exception:  # whatever it was called with, the fault is the caller's
        return kept


def _job(cells: list, tasks: list[Task]) -> bytes:
    tensors = {f"{t.key}/{name}": given for t in tasks for name, given in t.case.given.items()}
    hide = {"about": "", "claims": []}  # neither what is promised, nor which patient it is
    cases = [
        (t.key, {**checking.describe(t.case), **hide, "patient": "?" if t.case.patient else ""})
        for t in tasks
    ]
    order = {"cells": cells, "cases": cases, "refuses": tasks[0].refuses}
    return save({k: v.clone() for k, v in tensors.items()}, {"order": json.dumps(order)})


# ── compare ──────────────────────────────────────────────────────────────────────────────


def _mark(
    assignment: Assignment, question: str, tasks: list[Task], results: dict[str, Result]
) -> Mark:
    check = assignment.visible[question]
    words: dict[bool, list[str]] = {True: [], False: []}
    passed = {True: 0, False: 0}
    for task in tasks:
        try:
            _compare(task, results[task.key], check.tolerance)
            passed[task.hidden] += 1
        except Wrong as error:
            words[task.hidden].append(_in_words(check, task, error))
    of = assignment.points[question]
    total = {kind: sum(task.hidden == kind for task in tasks) for kind in (True, False)}
    counts = (
        f"{passed[False]} of {total[False]} visible and {passed[True]} of {total[True]} hidden "
        "cases pass."
    )
    failures = [*words[False][:1], *words[True][:3]]
    return Mark(0.0 if failures else of, of, [counts, *failures])


def _compare(task: Task, result: Result, tolerance: float) -> None:
    if isinstance(result, Wrong):
        raise result
    if set(result) != set(task.case.returns):
        raise Wrong("Your answer was stopped: what it sent was no answer.")
    try:
        checking.compare(task.case, result, tolerance)
    except Wrong:
        raise
    except Exception:  # a type of number, say, that cannot be compared
        raise Wrong("What your answer returned cannot be compared.") from None


_ERRORS = {name for name, value in vars(builtins).items() if isinstance(value, type)}


def _in_words(check: Check, task: Task, error: Wrong) -> str:
    """Why a case fails. Of a hidden one no number, and no text that a student's code wrote."""
    if not task.hidden:
        return checking.explain(check, task.case, error)
    words = error.words
    if isinstance(error, Said):
        name = error.error if error.error in _ERRORS else "an error"
        words = f"Your code stopped with {name}."
    return f"A hidden case fails ({task.case.about}). {words}"
