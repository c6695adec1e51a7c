"""Checks an answer of yours and says in words what it found: `check("masked_softmax")`.

This file lies beside each assignment's notebook and needs PyTorch and safetensors, nothing else.
Next to it is checks.safetensors: for each question some inputs, and what a right answer returns for
them. A grader runs the same cases, and more of the same kinds with other inputs.

A check is data. Each of its cases gives tensors, lists the calls to make with them, and names the
results to look at; `Claim`s say which promise a wrong number breaks.
"""

import ast
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

STORE = "checks.safetensors"


class Wrong(Exception):
    """What is wrong with an answer: `words` for everybody, `detail` with the numbers in it."""

    def __init__(self, words: str, detail: str = ""):
        super().__init__(words)
        self.words, self.detail = words, detail


class NotYet(AssertionError):
    """A check that did not pass. In a notebook it is shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


# ── a check, as data ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Step:
    """One call: `result = call(*args)`.

    Attributes:
        result: the name that later steps know the result by; "output weights" names the parts of a
            pair.
        call: a name of the notebook, or an earlier result, or "model.step", a part of one.
        args: a text names a given tensor or an earlier result, "states.0" its first part; what is
            no text stands for itself.
        load: for a module that was just made: the given tensors that become its state_dict are
            those whose names begin with this and a dot.
    """

    result: str
    call: str
    args: tuple = ()
    load: str = ""


@dataclass(frozen=True)
class Claim:
    """A promise about the results, for the sake of the words if it is broken.

    Attributes:
        kind: "zero" (exactly), "sum" (over the last axis: one), or "same" (as `other`).
        where: name of a given boolean tensor, True where the promise holds; "" is everywhere.
    """

    kind: str
    result: str
    words: str
    other: str = ""
    where: str = ""


@dataclass(frozen=True)
class Case:
    """Inputs, what to do with them, and what comes out if the answer is right.

    Attributes:
        axes: the names of the axes of tensors: {"scores": "batch query key"}.
        returns: the results that are compared.
        patient: name of code that only graders have; a call finds it as `patient`.
    """

    about: str
    given: dict[str, Tensor]
    steps: tuple[Step, ...]
    returns: tuple[str, ...]
    axes: dict[str, str] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    expected: dict[str, Tensor] = field(default_factory=dict)
    patient: str = ""


@dataclass(frozen=True)
class Check:
    """A question's cases. `refuses`: names that an answer must not use."""

    name: str
    asked: str
    cases: tuple[Case, ...]
    tolerance: float = 1e-5
    refuses: tuple[str, ...] = ()


def save(path: Path, checks: Iterable[Check], **texts: str) -> None:
    """Write checks, and texts to go with them, into one file that can hold no code."""
    tensors, plain = {}, []
    for check in checks:
        cases = []
        for number, case in enumerate(check.cases):
            for kind in ("given", "expected"):
                for name, tensor in getattr(case, kind).items():
                    tensors[f"{check.name}/{number}/{kind}/{name}"] = tensor.clone()
            cases.append(describe(case))
        plain.append({**_fields(check), "cases": cases})
    save_file(tensors, path, {"checks": json.dumps(plain), **texts})
    path.chmod(0o644)


def describe(case: Case) -> dict[str, Any]:
    """A case without its tensors, as JSON can hold it."""
    return {
        **{k: v for k, v in _fields(case).items() if k not in ("given", "expected")},
        "steps": [asdict(step) for step in case.steps],
        "claims": [asdict(claim) for claim in case.claims],
    }


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def build_case(plain: Mapping, given: dict[str, Tensor], expected: dict[str, Tensor]) -> Case:
    """The case that `describe` described."""
    steps = tuple(Step(**{**step, "args": tuple(step["args"])}) for step in plain["steps"])
    claims = tuple(Claim(**claim) for claim in plain["claims"])
    rest = {"steps": steps, "claims": claims, "returns": tuple(plain["returns"])}
    return Case(**{**plain, **rest, "given": given, "expected": expected})


def load(path: Path) -> tuple[dict[str, Check], dict[str, str]]:
    """The checks of a file by name, and its texts."""
    checks = {}
    with safe_open(path, framework="pt") as store:
        texts = store.metadata()
        for plain in json.loads(texts.pop("checks")):
            cases = []
            for number, case in enumerate(plain["cases"]):
                parts: dict[str, dict[str, Tensor]] = {"given": {}, "expected": {}}
                for kind, tensors in parts.items():
                    prefix = f"{plain['name']}/{number}/{kind}/"
                    for key in store.keys():  # noqa: SIM118, for safe_open is no mapping
                        if key.startswith(prefix):
                            tensors[key.removeprefix(prefix)] = store.get_tensor(key)
                cases.append(build_case(case, **parts))
            rest = {"cases": tuple(cases), "refuses": tuple(plain["refuses"])}
            checks[plain["name"]] = Check(**{**plain, **rest})
    return checks, texts


# ── run an answer ────────────────────────────────────────────────────────────────────────


def run(case: Case, namespace: Mapping[str, Any]) -> dict[str, Tensor]:
    """Make the case's calls with the answers of `namespace`, and return the results asked for.

    Raises:
        Wrong: a name is missing, a state_dict differs, or a result is no tensor.
        Exception: whatever the answer itself raises.
    """
    known: dict[str, Any] = {name: tensor.clone() for name, tensor in case.given.items()}
    for step in case.steps:
        names = {"verdict": verdict, **namespace, **known}
        args = [_find(arg, names) if isinstance(arg, str) else arg for arg in step.args]
        made = _find(step.call, names)(*args)
        if step.load:
            _load_state(made, step.call, step.load, known)
        known.update(_named(step, made))
    return {name: _plain(name, _find(name, known)) for name in case.returns}


def _find(path: str, known: Mapping[str, Any]) -> Any:
    name, *parts = path.split(".")
    if name not in known:
        raise Wrong(f"There is no {name} yet: run the cell with your answer first.")
    found = known[name]
    for part in parts:
        try:
            found = found[int(part)] if part.isdigit() else getattr(found, part)
        except (TypeError, IndexError, KeyError, AttributeError):
            what = f"no part number {int(part) + 1}" if part.isdigit() else f"no {part}"
            raise Wrong(f"{name} is a {type(found).__name__} and has {what}.") from None
    return found


def verdict(test: Callable, patient: Callable) -> bool:
    """Whether a test passes. Errors other than a failed assertion are the test's own."""
    try:
        test(patient)
    except AssertionError:
        return False
    return True


def _named(step: Step, made: Any) -> dict[str, Any]:
    """What a step made, by name."""
    names = step.result.split()
    if len(names) == 1:
        return {step.result: made}
    if not isinstance(made, tuple | list) or len(made) != len(names):
        what = f"{len(made)} things" if isinstance(made, tuple | list) else type(made).__name__
        raise Wrong(f"{step.call} returned {what}, but ({', '.join(names)}) was asked for.")
    return dict(zip(names, made, strict=True))


def _load_state(made: Any, name: str, prefix: str, known: Mapping[str, Any]) -> None:
    if not isinstance(made, nn.Module):
        raise Wrong(f"{name} makes a {type(made).__name__}, but an nn.Module was asked for.")
    state = {
        k.removeprefix(prefix + "."): v for k, v in known.items() if k.startswith(prefix + ".")
    }
    mine = {key: tuple(tensor.shape) for key, tensor in made.state_dict().items()}
    asked = {key: tuple(tensor.shape) for key, tensor in state.items()}
    if mine != asked:
        differ = sorted(mine.items() ^ asked.items())
        key = differ[0][0]
        words = {True: "has shape {}", False: "is not there"}
        raise Wrong(
            f"The parameters of {name} are not those that the question names: {key} "
            f"{words[key in mine].format(mine.get(key))} in yours and "
            f"{words[key in asked].format(asked.get(key))} in the question."
        )
    made.load_state_dict(state)
    made.eval()


def _plain(name: str, result: Any) -> Tensor:
    """The result as a plain tensor of its own, whatever it says of itself."""
    if isinstance(result, bool | int | float):
        result = torch.tensor(result)
    if not isinstance(result, Tensor):
        raise Wrong(f"{name} is a {type(result).__name__}, but a tensor was asked for.")
    return result.detach().as_subclass(Tensor).clone().contiguous()


# ── compare ──────────────────────────────────────────────────────────────────────────────


def compare(case: Case, results: Mapping[str, Tensor], tolerance: float) -> None:
    """Compare the results of an answer with the expected ones.

    Raises:
        Wrong: for the first difference found.
    """
    for name in case.returns:
        _compare_shape(case, name, results[name])
    for claim in case.claims:
        _compare_claim(case, claim, results, tolerance)
    for name in case.returns:
        _compare_numbers(case, name, results[name], case.expected[name], tolerance, "")


def _compare_shape(case: Case, name: str, result: Tensor) -> None:
    expected = case.expected[name]
    axes = case.axes.get(name, "")
    if result.shape != expected.shape:
        asked = f"({', '.join(axes.split())}) = {tuple(expected.shape)}"
        raise Wrong(
            f"{name} has the wrong shape.",
            f"Yours is {tuple(result.shape)}, and {asked if axes else tuple(expected.shape)} "
            "was asked for.",
        )
    if (result.dtype == torch.bool) != (expected.dtype == torch.bool) or result.is_complex():
        raise Wrong(
            f"{name} has the wrong type.", f"Yours is {result.dtype}, asked was {expected.dtype}."
        )
    if result.dtype.is_floating_point and (bad := ~result.isfinite() & expected.isfinite()).any():
        place = _place(bad, axes)
        raise Wrong(f"{name} has a number that is NaN or infinite.", f"It is at {place}.")


def _compare_claim(
    case: Case, claim: Claim, results: Mapping[str, Tensor], tolerance: float
) -> None:
    result = results[claim.result]
    if claim.kind == "zero":
        other = torch.zeros_like(result)
        tolerance = 0.0
    elif claim.kind == "sum":
        result = result.sum(dim=-1)
        other = torch.ones_like(result)
    else:
        other = results[claim.other]
    if claim.where:
        where = case.given[claim.where].expand_as(result)
        other = torch.where(where, other, result)
    if claim.kind == "sum":
        case = Case(**{**_fields(case), "axes": {}})
    _compare_numbers(case, claim.result, result, other, tolerance, claim.words)


def _compare_numbers(
    case: Case, name: str, result: Tensor, expected: Tensor, tolerance: float, words: str
) -> None:
    mine, right = result.double(), expected.double()
    difference = (mine - right).abs().nan_to_num(nan=0.0)
    far = difference > tolerance * (1 + right.abs().nan_to_num(posinf=0, neginf=0))
    if not far.any():
        return
    shown = "True/False" if result.dtype == torch.bool else "numbers"
    place, index = _place(far, case.axes.get(name, "")), tuple(far.nonzero()[0].tolist())
    yours, wanted = (_number(tensor[index]) for tensor in (result, expected))
    count = f"{int(far.sum())} of {far.numel()} {shown} differ"
    detail = f"At {place} yours is {yours}, expected {wanted}; {count}"
    if result.dtype != torch.bool:
        detail += f", at most by {difference.max():.2g}"
    raise Wrong(words or f"{name} differs from a right answer's.", detail + ".")


def _number(value: Tensor) -> str:
    if value.dtype == torch.bool or not value.dtype.is_floating_point:
        return str(value.item())
    return f"{value.item():.5g}"


def _place(found: Tensor, axes: str) -> str:
    """The first True, with the axes' names: "batch 0, query 2"."""
    index = found.nonzero()[0].tolist()
    names = axes.split()
    if len(names) != len(index):
        return str(index)
    return ", ".join(f"{name} {i}" for name, i in zip(names, index, strict=True)) or "[]"


def inputs_in_words(case: Case) -> str:
    """The case's inputs: shapes by name, and the numbers of the short ones."""
    lines, used = [], {arg for step in case.steps for arg in step.args}
    for name, tensor in case.given.items():
        if name not in used:
            continue
        axes = case.axes.get(name, "").split() or ["" for _ in tensor.shape]
        sizes = zip(axes, tensor.shape, strict=True)
        text = f"{name} (" + ", ".join(f"{a}={n}" if a else str(n) for a, n in sizes) + ")"
        if tensor.numel() <= 12 and not tensor.dtype.is_floating_point:
            text += f" = {tensor.tolist()}"
        lines.append(text)
    return "; ".join(lines)


# ── what an answer uses ──────────────────────────────────────────────────────────────────


def refused(answer: str, sources: Iterable[str], refuses: Iterable[str]) -> str | None:
    """The first refused name that `answer` uses, itself or through helpers, in these cells."""
    uses: dict[str, set[str]] = {}
    for source in sources:
        uses.update(_definitions(source))
    todo, seen = [answer], set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for bad in refuses:
            if name == bad or name.startswith(bad + "."):
                return bad
        todo += uses.get(name, ())
    return None


def _definitions(source: str) -> dict[str, set[str]]:
    """What a cell defines, and the names that each definition uses."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return {}
    found: dict[str, set[str]] = {}
    for node in tree.body:
        used = _names(compile(ast.Module([node], []), "<cell>", "exec"))
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined = [node.name]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            defined = [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        else:
            targets = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            defined = [n.id for n in targets if isinstance(n.ctx, ast.Store)]
        for name in defined:
            found.setdefault(name, set()).update(used - {name})
    return found


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))


# ── in a notebook ────────────────────────────────────────────────────────────────────────


def check(name: str, *, hidden: bool = False) -> None:
    """Check your answer to a question, and say what was found.

    `hidden` is the teacher's: it needs the whole course, and the secret seed.

    Raises:
        NotYet: with the reason, if it is not right yet.
    """
    notebook = vars(sys.modules["__main__"])
    patients: Mapping[str, Callable] = {}
    if hidden:
        checks, patients = _hidden_checks()
    else:
        checks, _ = load(Path(__file__).with_name(STORE))
    if name not in checks:
        raise NotYet(f"There is no check {name!r}. The checks here: {', '.join(checks)}.")
    passed, failure = examine(checks[name], notebook, notebook.get("In", ()), patients)
    kind, of = "hidden" if hidden else "visible", len(checks[name].cases)
    if failure:
        raise NotYet(f"{name}: not yet ({passed} of {of} {kind} cases)\n{failure}")
    print(f"{name}: right ({passed} of {of} {kind} cases)")


def examine(
    check: Check,
    namespace: Mapping[str, Any],
    sources: Iterable[str],
    patients: Mapping[str, Callable] | None = None,
) -> tuple[int, str]:
    """Run every case here and now: how many pass, and what the first failure is, in words."""
    if bad := refused(check.name, sources, check.refuses):
        return 0, f"Your answer uses {bad}, which this question asks you to do without."
    passed, failure = 0, ""
    for case in check.cases:
        names = {**namespace, "patient": (patients or {}).get(case.patient)}
        try:
            compare(case, run(case, names), check.tolerance)
            passed += 1
        except Exception as error:
            failure = failure or explain(check, case, error)
    return passed, failure


def explain(check: Check, case: Case, error: Exception) -> str:
    """What was asked, on which input the answer differs, and how."""
    lines = [f"Asked:  {check.asked}", f"Case:   {case.about}"]
    if given := inputs_in_words(case):
        lines.append(f"Given:  {given}")
    words, detail = error_in_words(error)
    return "\n".join([*lines, f"Found:  {words}", *([f"        {detail}"] if detail else [])])


def error_in_words(error: Exception) -> tuple[str, str]:
    """A sentence on what went wrong, and its detail."""
    if isinstance(error, Wrong):
        return error.words, error.detail
    if isinstance(error, NotImplementedError) and not error.args:
        return "There is no answer yet.", ""
    trace, line = error.__traceback__, 0
    while trace:
        if "site-packages" not in (name := trace.tb_frame.f_code.co_filename) and name != __file__:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f" in line {line} of a cell of yours" if line else ""
    return f"Your code stopped with {type(error).__name__}{where}.", str(error)


def _hidden_checks() -> tuple[dict[str, Check], Mapping[str, Callable]]:
    if not os.environ.get("SEED"):
        raise NotYet("Hidden cases are drawn from a secret seed: set the variable SEED to yours.")
    # The teacher's side, which students do not have.
    from exercises.drawing import draw, patients_of

    assignment = Path(__file__).parent.name
    checks = draw(assignment, os.environ["SEED"], hidden=True)
    return {check.name: check for check in checks}, patients_of(assignment)


def reset() -> None:
    """Begin again: the notebook becomes what it was when it was handed out.

    Yours is kept beside it, under a name with the time in it.
    """
    here = Path(__file__).parent
    _, texts = load(here / STORE)
    notebook = here / texts["name"]
    if notebook.exists():
        stem = f"{notebook.stem} {time.strftime('%Y-%m-%d %H.%M.%S')}"
        number = 1
        while (kept := notebook.with_stem(stem)).exists():
            number += 1
            stem = f"{stem.split(' (')[0]} ({number})"
        notebook.rename(kept)
        print(f"Your notebook is kept as {kept.name!r}.")
    notebook.write_text(texts["notebook"], encoding="utf-8")
    print(f"{notebook.name} is as it was at the beginning. In JupyterLab, choose")
    print("File → Reload Notebook from Disk, then Kernel → Restart Kernel.")
