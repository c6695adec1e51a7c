"""Answers to the exercises, wrong and right, that the checks are held to.

A wrong answer has the right shape and a plausible cause. One that is wrong only where the visible
cases do not look says so: `@wrong("masked_softmax", hidden=True)`. A right one does it another way
than `lib`.
"""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One answer to the question `question`: a function or a class, and whether it is right."""

    assignment: str
    question: str
    answer: Any
    right: bool
    hidden: bool = False  # wrong in hidden cases alone

    def __str__(self) -> str:
        return f"{self.question}-{self.answer.__name__}"

    def source(self) -> str:
        """The answer as a cell that a student might have written."""
        code = _code(self.answer)
        module = inspect.getmodule(self.answer)
        helpers = [
            _code(helper)
            for name, helper in vars(module).items()
            if name.startswith("_") and callable(helper) and name in code
        ]
        return "\n\n\n".join([*helpers, code, f"{self.question} = {self.answer.__name__}\n"])


def _code(thing: Any) -> str:
    lines = textwrap.dedent(inspect.getsource(thing)).splitlines()
    return "\n".join(line for line in lines if not line.startswith("@"))


class Answers:
    """The answers to one assignment, collected by its two decorators."""

    def __init__(self, assignment: str):
        self.assignment = assignment
        self.all: list[Answer] = []

    def wrong(self, question: str, *, hidden: bool = False) -> Callable:
        return self._collect(question, right=False, hidden=hidden)

    def right(self, question: str) -> Callable:
        return self._collect(question, right=True)

    def _collect(self, question: str, **kind: bool) -> Callable:
        def collect(answer: Any) -> Any:
            self.all.append(Answer(self.assignment, question, answer, **kind))
            return answer

        return collect
