"""The teacher's side of a check: inputs drawn from a seed, and the reference's answers to them.

Each assignment's questions.py states its questions; `draw` makes the checks. Students have neither.
"""

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import torch
from torch import Tensor, nn

from exercises.checking import Case, Check, run

SOURCE = Path(__file__).parent / "source"
PUBLIC_SEED = "visible"  # of the cases that every student has


class Draw:
    """Random inputs. The same seed gives the same inputs on every machine."""

    def __init__(self, *seed: str):
        number = int.from_bytes(hashlib.sha256("\0".join(seed).encode()).digest()[:8]) >> 1
        self.generator = torch.Generator().manual_seed(number)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self.generator)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Numbers from `low` to `high`, both included."""
        return torch.randint(low, high + 1, shape, generator=self.generator)

    def number(self, low: int, high: int) -> int:
        return int(self.integers(low, high))

    def sizes(self, count: int, low: int = 2, high: int = 7) -> list[int]:
        """Sizes that all differ, so that no axis can be taken for another."""
        order = torch.randperm(high - low + 1, generator=self.generator)[:count]
        return (order + low).tolist()

    def state(self, module: nn.Module, prefix: str) -> dict[str, Tensor]:
        """Weights for a module, by the names that a `Step` loads."""
        return {
            f"{prefix}.{name}": self.normal(*tensor.shape) / max(tensor.shape[-1], 1) ** 0.5
            for name, tensor in module.state_dict().items()
        }


@dataclass(frozen=True)
class Question:
    """One question of an assignment.

    Attributes:
        name: of the function or class that is asked for.
        asked: what it must do, in a sentence or two.
        cases: (draw, hidden) -> cases; those that depend on `hidden` only graders run.
    """

    name: str
    asked: str
    cases: Callable[[Draw, bool], Iterable[Case]]
    tolerance: float = 1e-5


def assignments() -> list[str]:
    """The names of all assignments, in order."""
    return sorted(path.parent.name for path in SOURCE.glob("*/questions.py"))


def source_of(assignment: str) -> Path:
    """The assignment's one notebook."""
    (path,) = (SOURCE / assignment).glob("*.ipynb")
    return path


def model_answers(assignment: str) -> dict[str, Any]:
    """The answers of the source notebook, executed: name -> function or class.

    They are the reference where `lib` has nothing of the kind that a question asks for.
    """
    namespace: dict[str, Any] = {"__name__": assignment}
    for cell in nbformat.read(source_of(assignment), as_version=4).cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and about and not about["grade"]:
            exec(cell.source.replace("from checking import check\n", ""), namespace)
    return namespace


def questions_of(assignment: str) -> ModuleType:
    """The assignment's questions.py.

    Raises:
        ValueError: there is no such assignment.
    """
    path = SOURCE / assignment / "questions.py"
    if not path.exists():
        raise ValueError(f"no assignment {assignment!r}; there are {', '.join(assignments())}")
    spec = importlib.util.spec_from_file_location(f"questions_{assignment}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def patients_of(assignment: str) -> dict[str, Callable]:
    """Code that answers may call in hidden cases and must not see, by name."""
    return getattr(questions_of(assignment), "PATIENTS", {})


def draw(assignment: str, seed: str, *, hidden: bool) -> Iterator[Check]:
    """The assignment's checks, with inputs from `seed` and what the reference makes of them."""
    module = questions_of(assignment)
    patients = patients_of(assignment)
    for question in module.QUESTIONS:
        answered = []
        for case in question.cases(Draw(seed, assignment, question.name), hidden):
            names = {**module.REFERENCE, "patient": patients.get(case.patient)}
            with torch.no_grad():
                answered.append(replace(case, expected=run(case, names)))
        cases = tuple(answered)
        yield Check(question.name, question.asked, cases, question.tolerance, module.REFUSES)
