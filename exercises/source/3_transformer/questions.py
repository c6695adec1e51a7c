"""Assignment 3, Transformer: what each question asks, and on which inputs.

The reference is the source notebook's own answers; tests compare them with `lib`.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from exercises.checking import Case, Claim, Step
from exercises.drawing import Draw, Question, model_answers

ALLOWS = ("lib.attention",)
REFUSES = (
    "lib.transformer",
    "lib.translator",
    "lib.decoding",
    "lib.search",
    "lib.checkpoints",
    "lib.course",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerDecoder",
)
REFERENCE = model_answers("3_transformer")

AXES = {
    "x": "batch length d_model",
    "y": "batch length d_model",
    "states": "batch source d_model",
    "valid_lens": "batch",
    "logits": "batch target vocab",
    "source": "batch source",
    "target": "batch target",
    "positions": "length d_model",
}
LATER = "A later word changed what comes out for an earlier one: the causal mask is missing."


def _weights(draw: Draw, name: str, *args: int) -> dict[str, Tensor]:
    return draw.state(REFERENCE[name](*args), "weights_of")


def _lengths(draw: Draw, batch: int, source: int) -> Tensor:
    lengths = draw.integers(1, source - 1, batch)
    lengths[draw.number(0, batch - 1)] = source
    return lengths


def _block_sizes(draw: Draw) -> tuple[int, int, int]:
    """(d_model, num_heads, d_ff)"""
    heads = draw.number(2, 3)
    return 4 * heads, heads, draw.number(9, 15)


def _position_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, *args: int) -> Case:
        step = Step("positions", "positions", args)
        return Case(about, {}, (step,), ("positions",), AXES)

    yield case("eight positions of size 6", 8, 6)
    yield case("many positions", draw.number(30, 60), 2 * draw.number(4, 9))
    if hidden:
        yield case("not from the first position", 4, 8, draw.number(3, 20))
        yield case("one position, as in a decoder's step", 1, 6, draw.number(3, 20))


def _feed_forward_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, *shape: int) -> Case:
        sizes = draw.sizes(2, 4, 9)
        return Case(
            about,
            {**_weights(draw, "FeedForward", *sizes), "x": 2 * draw.normal(*shape, sizes[0])},
            (
                Step("network", "FeedForward", tuple(sizes), load="weights_of"),
                Step("y", "network", ("x",)),
            ),
            ("y",),
            AXES if len(shape) == 2 else {},
        )

    yield case("a batch of sentences", 2, 3)
    yield case("a single word", 1, 1)
    if hidden:
        yield case("words without a batch axis", 5)
        yield case("one axis more", 2, 3, 2)


def _add_norm_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, *, drawn: bool) -> Case:
        size = draw.number(4, 9)
        weights = {"weights_of.norm.weight": torch.ones(size)}
        weights["weights_of.norm.bias"] = torch.zeros(size)
        if drawn:
            weights = {name: draw.normal(size) for name in weights}
        return Case(
            about,
            {**weights, "x": 3 * draw.normal(2, 3, size), "output": draw.normal(2, 3, size) + 1},
            (
                Step("layer", "AddNorm", (size,), load="weights_of"),
                Step("y", "layer", ("x", "output")),
            ),
            ("y",),
            AXES | {"output": "batch length d_model"},
        )

    yield case("a layer that is new", drawn=False)
    yield case("another size", drawn=False)
    if hidden:
        yield case("a layer that has been trained", drawn=True)


def _encoder_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, *, lengths: bool = True) -> Case:
        sizes, source = _block_sizes(draw), draw.number(4, 7)
        given = {**_weights(draw, "EncoderBlock", *sizes)}
        given["x"] = draw.normal(batch, source, sizes[0])
        if lengths:
            given["valid_lens"] = _lengths(draw, batch, source)
        steps = (
            Step("block", "EncoderBlock", sizes, load="weights_of"),
            Step("y", "block", ("x", "valid_lens") if lengths else ("x", None)),
        )
        return Case(about, given, steps, ("y",), AXES)

    yield case("sentences of different lengths", 4)
    yield case("two sentences", 2)
    if hidden:
        yield case("no lengths: every word is valid", 3, lengths=False)
        yield case("a single sentence", 1)


def _decoder_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, *, training: bool) -> Case:
        sizes, (source, target) = _block_sizes(draw), draw.sizes(2, 4, 7)
        x = draw.normal(batch, target, sizes[0])
        changed = x.clone()
        changed[:, 2:] = draw.normal(batch, target - 2, sizes[0])
        earlier = (torch.arange(target) < 2)[:, None].expand(target, sizes[0])
        given = {
            **_weights(draw, "DecoderBlock", *sizes),
            "x": x,
            "changed": changed,
            "earlier": earlier.contiguous(),
            "states": draw.normal(batch, source, sizes[0]),
            "valid_lens": _lengths(draw, batch, source),
        }
        steps = (
            Step("block", "DecoderBlock", sizes, load="weights_of"),
            Step("mode", "block.train", (training,)),
            Step("y", "block", ("x", "states", "valid_lens")),
            Step("other", "block", ("changed", "states", "valid_lens")),
        )
        axes = AXES | dict.fromkeys(("changed", "other"), AXES["x"])
        claim = Claim("same", "y", LATER, other="other", where="earlier")
        return Case(about, given, steps, ("y", "other"), axes, (claim,))

    yield case("in training, a later word changed", 3, training=True)
    yield case("in training, two sentences", 2, training=True)
    if hidden:
        yield case("in evaluation, a later word changed", 3, training=False)
        yield case("in evaluation, a single sentence", 1, training=False)


def _cache_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, parts: tuple[int, ...], *, twice: bool = False) -> Case:
        """The words come in parts of so many; `twice`: the second part comes twice."""
        sizes, source = _block_sizes(draw), draw.number(4, 7)
        given = {
            **_weights(draw, "CachedDecoderBlock", *sizes),
            "states": draw.normal(batch, source, sizes[0]),
            "valid_lens": _lengths(draw, batch, source),
        }
        steps = [Step("block", "CachedDecoderBlock", sizes, load="weights_of")]
        before, returns = None, []
        for number, count in enumerate(parts):
            given[f"x{number}"] = draw.normal(batch, count, sizes[0])
            args = (f"x{number}", before, "states", "valid_lens")
            before = f"cache{number}"
            steps.append(Step(f"y{number} {before}", "block.step", args))
            returns.append(f"y{number}")
        if twice:
            args = ("x1", "cache0", "states", "valid_lens")
            steps.append(Step("again cache", "block.step", args))
            returns.append("again")
        axes = AXES | {name: AXES["x"] for name in (*given, *returns) if name[0] in "xya"}
        return Case(about, given, tuple(steps), tuple(returns), axes)

    yield case("four words, one by one", 3, (1, 1, 1, 1))
    yield case("two words, then one by one", 2, (2, 1, 1))
    if hidden:
        yield case("several new words at once", 2, (2, 3, 2))
        yield case("two ways on from one cache", 2, (2, 1, 1), twice=True)
        yield case("a single sentence", 1, (1, 1, 1))


def _transformer_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, encoder: int, decoder: int) -> Case:
        vocab, (batch, source, target) = draw.number(11, 15), draw.sizes(3, 3, 7)
        sizes = (vocab, *_block_sizes(draw), encoder, decoder)
        given = {
            **_weights(draw, "Transformer", *sizes),
            "source": draw.integers(0, vocab - 1, batch, source),
            "valid_lens": _lengths(draw, batch, source),
            "target": draw.integers(0, vocab - 1, batch, target),
        }
        steps = (
            Step("model", "Transformer", sizes, load="weights_of"),
            Step("logits", "model", ("source", "valid_lens", "target")),
        )
        return Case(about, given, steps, ("logits",), AXES)

    yield case("one block each", 1, 1)
    yield case("one block each, other sizes", 1, 1)
    if hidden:
        yield case("a deep encoder, a shallow decoder", 3, 1)
        yield case("a shallow encoder, a deep decoder", 1, 3)
        yield case("two blocks each", 2, 2)


QUESTIONS = [
    Question(
        "positions",
        "Sine and cosine of each position from `offset` on, in alternating columns.",
        _position_cases,
        tolerance=1e-4,
    ),
    Question("FeedForward", "output(ReLU(hidden(x))), on the last axis.", _feed_forward_cases),
    Question(
        "AddNorm", "LayerNorm(x + output), with the layer's own gain and bias.", _add_norm_cases
    ),
    Question(
        "EncoderBlock",
        "Self-attention over the valid words, then feed-forward, each added and normalised.",
        _encoder_cases,
        tolerance=1e-4,
    ),
    Question(
        "DecoderBlock",
        "Causal self-attention, attention over the valid states, feed-forward, in every mode.",
        _decoder_cases,
        tolerance=1e-4,
    ),
    Question(
        "CachedDecoderBlock",
        "step gives for the new words what forward gives for them among all words.",
        _cache_cases,
        tolerance=1e-4,
    ),
    Question(
        "Transformer",
        "Logits for each target place; every decoder block reads the last encoder block.",
        _transformer_cases,
        tolerance=1e-4,
    ),
]
