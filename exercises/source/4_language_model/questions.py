"""Assignment 4, Language model: what each question asks, and on which inputs.

The reference is the source notebook's own answers; tests hold them to what they promise.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from exercises.checking import Case, Claim, Step
from exercises.drawing import Draw, Question, model_answers

REFUSES = ("lib",)
REFERENCE = model_answers("4_language_model")
BOS, EOS, MASK = 1, 2, 3
AXES = dict.fromkeys(("tokens", "inputs", "labels", "draws", "written"), "batch length")
AXES |= {"logits": "batch length vocab", "other": "batch length vocab"}
LATER = "A later word changed the logits of an earlier place: the causal mask is missing."


def _tokens(draw: Draw, lengths: list[int], width: int, vocab: int = 12) -> Tensor:
    tokens = draw.integers(4, vocab - 1, len(lengths), width)
    return tokens.masked_fill(torch.arange(width) >= torch.tensor(lengths)[:, None], 0)


def _next_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, lengths: list[int], width: int) -> Case:
        step = Step("inputs labels", "next_words", ("tokens", BOS, EOS))
        given = {"tokens": _tokens(draw, lengths, width)}
        return Case(about, given, (step,), ("inputs", "labels"), AXES)

    yield case("one place of padding each", [5, 5, 5], 6)
    yield case("two sentences of one length", [3, 3], 4)
    if hidden:
        yield case("sentences of different lengths", [2, draw.number(4, 6), 1], 8)
        yield case("much padding", [draw.number(1, 3)], 7)


def _model_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, lengths: list[int], width: int, *, causal: bool) -> Case:
        sizes = (12, 8, draw.number(1, 2) * 2, draw.number(9, 15), 2)
        given = {
            **draw.state(REFERENCE["LanguageModel"](*sizes), "weights_of"),
            "tokens": _tokens(draw, lengths, width),
        }
        given["changed"] = given["tokens"].clone()
        given["changed"][:, 1] = 4 + (given["tokens"][:, 1] - 3) % 8
        earlier = torch.zeros(len(lengths), width, 12, dtype=torch.bool)
        earlier[:, 0] = True
        steps = (
            Step("model", "LanguageModel", sizes, load="weights_of"),
            Step("logits", "model", ("tokens", causal)),
            Step("other", "model", ("changed", causal)),
        )
        claims = ()
        if causal:
            given["earlier"] = earlier
            claims = (Claim("same", "logits", LATER, other="other", where="earlier"),)
        axes = AXES | {"changed": "batch length"}
        return Case(about, given, steps, ("logits", "other"), axes, claims)

    yield case("causal, a later word changed", [4, 4, 4], 4, causal=True)
    yield case("not causal, full sentences", [5, 5], 5, causal=False)
    if hidden:
        yield case("causal, with padding", [6, 3, 2], 6, causal=True)
        yield case("not causal, with padding", [6, 3, 2], 6, causal=False)
        yield case("a single sentence", [5], 5, causal=False)


def _corrupt_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, lengths: list[int], width: int, *, low: bool = False) -> Case:
        draws = torch.rand(len(lengths), width, generator=draw.generator)
        given = {"tokens": _tokens(draw, lengths, width), "draws": draws * 0.3 if low else draws}
        step = Step("inputs labels", "corrupt", ("tokens", "draws", MASK))
        return Case(about, given, (step,), ("inputs", "labels"), AXES)

    yield case("full sentences", [12, 12, 12], 12)
    yield case("full sentences with many gaps", [8, 8], 8, low=True)
    if hidden:
        yield case("with padding, many gaps", [7, 2, 4], 9, low=True)
        yield case("with padding", [12, 5, 3, 9], 14)
        given = {"tokens": _tokens(draw, [6], 6), "draws": torch.ones(1, 6) - 0.5}
        given["few"] = given["draws"].clone()
        given["few"][0, 2] = 0.1
        steps = (
            Step("inputs labels", "corrupt", ("tokens", "few", MASK)),
            Step("again none", "corrupt", ("tokens", "draws", MASK)),
        )
        yield Case("the same tokens twice", given, steps, ("inputs", "labels", "again", "none"), {})


def _perplexity_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, lengths: list[int], width: int) -> Case:
        labels = _tokens(draw, lengths, width)
        given = {"logits": draw.normal(len(lengths), width, 12), "labels": labels}
        step = Step("perplexity", "perplexity", ("logits", "labels"))
        return Case(about, given, (step,), ("perplexity",), AXES)

    yield case("no padding", [4, 4, 4], 4)
    yield case("no padding, longer", [7, 7], 7)
    if hidden:
        yield case("with padding", [5, 2, 1], 6)
        yield case("a single sentence with padding", [3], 8)


def _writing_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, length: int, count: int) -> Case:
        sizes = (12, 8, 2, 12, 1)
        state = draw.state(REFERENCE["LanguageModel"](*sizes), "weights_of")
        state["weights_of.output.bias"][0] = -100.0  # it never writes padding
        for name in ("embedding.weight", "position.weight", "output.weight"):
            state[f"weights_of.{name}"] *= 3
        given = {**state, "tokens": _tokens(draw, [length] * batch, length)}
        steps = (
            Step("model", "LanguageModel", sizes, load="weights_of"),
            Step("written", "go_on", ("model", "tokens", count)),
        )
        return Case(about, given, steps, ("written",), AXES)

    yield case("six words more", 1, 3, 6)
    yield case("five words more", 1, 2, 5)
    if hidden:
        yield case("three beginnings at once", 3, 4, 6)
        yield case("no word more", 2, 4, 0)


QUESTIONS = [
    Question(
        "next_words",
        "The pair (inputs, labels) for predicting each next word, the end of the sentence too.",
        _next_cases,
    ),
    Question(
        "LanguageModel",
        "Logits for each place; causal or not; padding is never read, and its logits are zeros.",
        _model_cases,
        tolerance=1e-4,
    ),
    Question(
        "corrupt",
        "The pair (inputs, labels): words whose draw is below 0.15 are masked, and are the labels.",
        _corrupt_cases,
    ),
    Question(
        "perplexity",
        "exp of the mean cross-entropy over the labels that are not 0.",
        _perplexity_cases,
        tolerance=1e-4,
    ),
    Question(
        "go_on", "The beginning, and `count` times the most likely next word.", _writing_cases
    ),
]
