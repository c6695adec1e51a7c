"""The checks of the exercises find what is wrong, and let pass whatever is right."""

import functools
import importlib
import pkgutil

import pytest
import torch

import tests.answers
from exercises.checking import Check, Wrong, compare, examine, run, verdict
from exercises.drawing import PUBLIC_SEED, assignments, draw, patients_of, questions_of
from tests.answers import Answer

MODULES = [
    importlib.import_module(f"tests.answers.{m.name}")
    for m in pkgutil.iter_modules(tests.answers.__path__)
]
ANSWERS = [answer for module in MODULES for answer in module.answers.all]
SECRETS = ("a seed that no file holds", "another", "a third")
QUESTIONS = [(a, q.name) for a in assignments() for q in questions_of(a).QUESTIONS]


@functools.cache
def drawn(assignment: str, seed: str, hidden: bool) -> dict[str, Check]:
    return {check.name: check for check in draw(assignment, seed, hidden=hidden)}


def checks(assignment: str, question: str) -> list[Check]:
    """The question's check with visible cases, then those with hidden cases from several seeds."""
    seeds = [(PUBLIC_SEED, False), *((seed, True) for seed in SECRETS)]
    return [drawn(assignment, *seed)[question] for seed in seeds]


def namespace(answer: Answer) -> dict:
    """A notebook in which all answers are the reference's, but this one."""
    reference = questions_of(answer.assignment).REFERENCE
    module = next(m for m in MODULES if m.answers.assignment == answer.assignment)
    found = {**vars(module), **reference}
    if hasattr(answer.answer, "__globals__"):
        answer.answer.__globals__.update(reference)
    return {**found, answer.question: answer.answer}


@pytest.mark.parametrize(("assignment", "question"), QUESTIONS)
def test_every_question_has_enough_answers_to_be_held_to(assignment, question):
    found = [a for a in ANSWERS if (a.assignment, a.question) == (assignment, question)]
    wrong = [answer for answer in found if not answer.right]
    assert len(wrong) >= 3
    assert any(answer.hidden for answer in wrong)
    assert any(answer.right for answer in found)


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_wrong_answers_fail_and_right_ones_pass(answer):
    visible, *secret = checks(answer.assignment, answer.question)
    passed, failure = examine(visible, namespace(answer), [])
    assert (failure == "") == (answer.right or answer.hidden), failure
    assert (passed == len(visible.cases)) == (failure == "")
    for hidden in secret:
        _, failure = examine(hidden, namespace(answer), [], patients_of(answer.assignment))
        assert (failure == "") == answer.right, failure


@pytest.mark.parametrize("answer", [a for a in ANSWERS if not a.right], ids=str)
def test_wrong_answers_have_the_right_shape(answer):
    visible, *_ = checks(answer.assignment, answer.question)
    for case in visible.cases:
        results = run(case, namespace(answer))
        assert {name: r.shape for name, r in results.items()} == {
            name: e.shape for name, e in case.expected.items()
        }


@pytest.mark.parametrize(("assignment", "question"), QUESTIONS)
def test_the_reference_passes_and_zeros_fail(assignment, question):
    reference = questions_of(assignment).REFERENCE
    for check in checks(assignment, question):
        patients = patients_of(assignment)
        assert examine(check, reference, [], patients) == (len(check.cases), "")
        for case in check.cases:
            if not any(expected.any() for expected in case.expected.values()):
                continue  # a test that must fail
            results = {name: torch.zeros_like(e) for name, e in case.expected.items()}
            with pytest.raises(Wrong):
                compare(case, results, check.tolerance)


@pytest.mark.parametrize("name", sorted(patients_of("5_clinic")))
def test_every_patient_is_what_its_name_says(name):
    """Healthy ones keep the promise that the model answer tests for, sick ones break it."""
    piece, condition, _ = name.split("/")
    test = questions_of("5_clinic").REFERENCE[f"test_{piece}"]
    assert verdict(test, patients_of("5_clinic")[name]) == (condition == "healthy")
