"""Assignment 5, Clinic: each patient is mended, then the reader's test of it is tried on others."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import torch

from exercises.checking import Case, Step
from exercises.drawing import Draw, Question, model_answers

_spec = importlib.util.spec_from_file_location("patients", Path(__file__).with_name("patients.py"))
_patients = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_patients)

PATIENTS = _patients.PATIENTS
REFUSES = ("lib",)
REFERENCE = model_answers("5_clinic")
D, VOCAB = 8, 20


# ── the mended pieces ────────────────────────────────────────────────────────────────────


def _call(about: str, name: str, given: dict, axes: str, *more) -> Case:
    step = Step("result", name, (*given, *more))
    return Case(about, given, (step,), ("result",), {"result": axes})


def _self_attend_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    for training, mode in ((True, "training"), (False, "evaluation")):
        x = draw.normal(draw.number(2, 4), draw.number(4, 7), D)
        yield _call(f"in {mode}", "self_attend", {"x": x}, "batch length d_model", training)
    if hidden:
        x = draw.normal(1, 9, D)
        yield _call("one long sentence", "self_attend", {"x": x}, "batch length d_model", False)


def _embed_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    tokens = draw.integers(0, VOCAB - 1, 2, 5)
    yield _call("from the beginning", "embed", {"tokens": tokens}, "batch length d_model", 0)
    yield _call("three words stand before", "embed", {"tokens": tokens}, "batch length d_model", 3)
    if hidden:
        one, offset = tokens[:, :1].clone(), draw.number(6, 20)
        yield _call("one word, far on", "embed", {"tokens": one}, "batch length d_model", offset)


def _loss_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, length: int, padding: int) -> Case:
        labels = draw.integers(1, VOCAB - 1, batch, length)
        if padding:
            labels[-1, -padding:] = 0
        return _call(
            about, "loss", {"logits": draw.normal(batch, length, VOCAB), "labels": labels}, ""
        )

    yield case("no padding", 2, 5, 0)
    yield case("a sentence with padding", 3, 6, 4)
    if hidden:
        yield case("hardly a word in it", 2, 9, 8)
        yield case("a single sentence", 1, 7, 3)


def _encode_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, lengths: list[int], width: int, fill: int) -> Case:
        valid_lens = torch.tensor(lengths)
        tokens = draw.integers(1, VOCAB - 1, len(lengths), width)
        tokens = tokens.masked_fill(torch.arange(width) >= valid_lens[:, None], fill)
        return _call(about, "encode", {"tokens": tokens, "valid_lens": valid_lens}, "batch hidden")

    yield case("one sentence fills the batch", [draw.number(1, 5), 6, 3], 6, 0)
    yield case("no sentence fills it", [2, draw.number(3, 4)], 7, 0)
    if hidden:
        yield case("padding that is not zero", [2, draw.number(3, 4), 1], 6, draw.number(1, 9))
        yield case("a single sentence", [draw.number(1, 3)], 5, 0)


def _softmax_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, queries: int, keys: int) -> Case:
        given = {"scores": draw.normal(batch, queries, keys)}
        given["valid_lens"] = draw.integers(1, keys, batch)
        given["all"] = torch.full((batch,), keys)
        return Case(
            about,
            given,
            (
                Step("weights", "masked_softmax", ("scores", "valid_lens")),
                Step("again", "masked_softmax", ("scores", "all")),
            ),
            ("weights", "again"),
            dict.fromkeys(("scores", "weights", "again"), "batch query key"),
        )

    yield case("the same scores twice, with other lengths", *draw.sizes(3, 3, 7))
    yield case("the same again, other sizes", *draw.sizes(3, 3, 7))
    if hidden:
        yield case("a single query", 3, 1, 6)


def _split_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, different: int, count: int) -> Case:
        sentences = draw.integers(0, VOCAB - 1, different, 4)
        source = sentences[draw.integers(0, different - 1, count)]
        return _call(about, "split", {"source": source}, "sentences")

    yield case("thirty lines, ten different sentences", 10, 30)
    yield case("hardly any copies", 200, 40)
    if hidden:
        yield case("many copies", 12, 90)
        yield case("a larger corpus", 40, 120)


# ── the tests ────────────────────────────────────────────────────────────────────────────


def _test_cases(name: str):
    """The reader's test of `name`: on the patient and the mended piece, then on hidden ones."""

    def on(piece: str, about: str, patient: str = "") -> Case:
        step = Step("passes", "verdict", (f"test_{name}", piece))
        return Case(about, {}, (step,), ("passes",), patient=patient)

    def cases(draw: Draw, hidden: bool) -> Iterator[Case]:
        yield on(f"sick_{name}", "the patient: your test must fail")
        yield on(name, "your mended piece: your test must pass")
        if hidden:
            mine = sorted(key for key in PATIENTS if key.startswith(f"{name}/"))
            for number in torch.randperm(len(mine), generator=draw.generator).tolist():
                condition = mine[number].split("/")[1]
                must = "pass" if condition == "healthy" else "fail"
                about = f"a {condition} piece that you have not seen: your test must {must}"
                yield on("patient", about, mine[number])

    return cases


ASKED = {
    "self_attend": (
        "No output depends on a later word, in training and in evaluation.",
        _self_attend_cases,
    ),
    "embed": ("Words embedded in parts are as if embedded at once.", _embed_cases),
    "loss": ("The mean cross-entropy of the words; padding counts for nothing.", _loss_cases),
    "encode": ("The state after the last valid word; padding never enters it.", _encode_cases),
    "masked_softmax": (
        "Softmax over the valid scores, zero elsewhere; the caller's scores stay as they were.",
        _softmax_cases,
    ),
    "split": (
        "No source sentence in both parts; every fifth different one is for validation.",
        _split_cases,
    ),
}
QUESTIONS = [
    question
    for name, (asked, cases) in ASKED.items()
    for question in (
        Question(name, asked, cases),
        Question(
            f"test_{name}",
            f"A test that passes every healthy {name} and fails every sick one.",
            _test_cases(name),
        ),
    )
]
