"""Assignment 2, Bahdanau: what each question asks, and on which inputs.

The reference is the source notebook's own answers; tests compare them with `lib`.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from exercises.checking import Case, Claim, Step
from exercises.drawing import Draw, Question, model_answers

ALLOWS = ("lib.attention",)
REFUSES = (
    "lib.recurrent",
    "lib.translator",
    "lib.decoding",
    "lib.search",
    "lib.metrics",
    "lib.checkpoints",
    "lib.course",
)
REFERENCE = model_answers("2_bahdanau")

AXES = {
    "word": "batch embedding",
    "state": "batch hidden",
    "states": "batch source states",
    "new": "batch hidden",
    "context": "batch states",
    "weights": "batch source",
    "logits": "batch vocab",
    "tokens": "batch source",
    "valid_lens": "batch",
}
ON_PADDING = Claim("zero", "weights", "A weight on padding must be exactly zero.", where="padding")


def _lengths(draw: Draw, batch: int, source: int, *, full: bool = True) -> Tensor:
    lengths = draw.integers(1, source - 1, batch)
    if full:
        lengths[draw.number(0, batch - 1)] = source
    return lengths


def _padding(lengths: Tensor, source: int) -> Tensor:
    return torch.arange(source) >= lengths[:, None]


def _step_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int) -> Case:
        source, embedding, hidden_size, states = draw.sizes(4, 3, 9)
        sizes = (embedding, hidden_size, states)
        lengths = _lengths(draw, batch, source)
        given = {
            **draw.state(REFERENCE["DecoderStep"](*sizes), "weights_of"),
            "word": draw.normal(batch, embedding),
            "state": draw.normal(batch, hidden_size),
            "states": draw.normal(batch, source, states),
            "valid_lens": lengths,
            "padding": _padding(lengths, source),
        }
        steps = (
            Step("step", "DecoderStep", sizes, load="weights_of"),
            Step("new context weights", "step", ("word", "state", "states", "valid_lens")),
        )
        return Case(about, given, steps, ("weights", "context", "new"), AXES, (ON_PADDING,))

    yield case("a batch of four", 4)
    yield case("a batch of two", 2)
    if hidden:
        yield case("a batch of seven", 7)
        yield case("a single sentence", 1)


def _encoder_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, *, full: bool = True, padding: int = 0) -> Case:
        sizes = (draw.number(11, 15), *draw.sizes(2, 3, 6))
        source = draw.number(5, 8)
        lengths = _lengths(draw, batch, source, full=full)
        tokens = draw.integers(1, sizes[0] - 1, batch, source)
        tokens = tokens.masked_fill(_padding(lengths, source), 0)
        given = {
            **draw.state(REFERENCE["LSTMEncoder"](*sizes), "weights_of"),
            "tokens": torch.cat([tokens, torch.zeros(batch, padding, dtype=tokens.dtype)], dim=1),
            "valid_lens": lengths,
        }
        axes = AXES | dict.fromkeys(("hidden", "cell"), "batch states")
        steps = (
            Step("encoder", "LSTMEncoder", sizes, load="weights_of"),
            Step("states hidden cell", "encoder", ("tokens", "valid_lens")),
        )
        return Case(about, given, steps, ("states", "hidden", "cell"), axes)

    yield case("sentences of different lengths", 4)
    yield case("a single sentence", 1)
    if hidden:
        yield case("no sentence fills the batch", 3, full=False)
        yield case("much padding", 3, padding=4)


def _decoder_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, calls: tuple[tuple[str, str, str], ...]) -> Case:
        """Each call: (name of the result, state before, token)."""
        source, embedding, hidden_size, states = draw.sizes(4, 3, 9)
        vocab = draw.number(11, 15)
        sizes = (vocab, embedding, hidden_size, states)
        lengths = _lengths(draw, batch, source)
        given = {
            **draw.state(REFERENCE["LSTMDecoder"](*sizes), "weights_of"),
            **{f"{end}_{kind}": draw.normal(batch, states) for end in "ab" for kind in "hc"},
            **{token: draw.integers(0, vocab - 1, batch) for _, _, token in calls},
            "states": draw.normal(batch, source, states),
            "valid_lens": lengths,
            "padding": _padding(lengths, source),
        }
        steps = [
            Step("decoder", "LSTMDecoder", sizes, load="weights_of"),
            Step("a", "decoder.start", ("a_h", "a_c")),
            Step("b", "decoder.start", ("b_h", "b_c")),
        ]
        for name, before, token in calls:
            result = f"{name}_logits {name} {name}_weights"
            steps.append(Step(result, "decoder.step", (token, before, "states", "valid_lens")))
        names = [name for name, _, _ in calls]
        axes = AXES | {f"{name}_logits": "batch vocab" for name in names}
        axes |= {f"{name}_weights": "batch source" for name in names}
        returns = [f"{name}_{kind}" for name in names for kind in ("weights", "logits")]
        claims = tuple(
            Claim("zero", f"{n}_weights", ON_PADDING.words, where="padding") for n in names
        )
        return Case(about, given, tuple(steps), (*returns, f"{names[-1]}.1"), axes, claims)

    first = (("first", "a", "t1"),)
    three = (*first, ("second", "first", "t2"), ("third", "second", "t3"))
    yield case("one step", 3, first)
    yield case("three steps, each with the state of the step before", 4, three)
    if hidden:
        both = (*first, ("other", "b", "t2"), ("second", "first", "t3"), ("more", "other", "t4"))
        yield case("two translations, step by step in turn", 3, both)
        yield case("a single sentence", 1, three)


def _dot_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, queries: int) -> Case:
        keys, d_query, d_key = draw.sizes(3, 4, 9)
        return Case(
            about,
            {
                **draw.state(REFERENCE["ScaledDotScore"](d_query, d_key), "weights_of"),
                "query": draw.normal(batch, queries, d_query),
                "key": draw.normal(batch, keys, d_key),
            },
            (
                Step("score", "ScaledDotScore", (d_query, d_key), load="weights_of"),
                Step("scores", "score", ("query", "key")),
            ),
            ("scores",),
            {
                "query": "batch query query_size",
                "key": "batch key key_size",
                "scores": "batch query key",
            },
        )

    yield case("one query, as in a decoder's step", 3, 1)
    yield case("a single sentence", 1, 1)
    if hidden:
        yield case("three queries", 2, 3)
        yield case("as many queries as sentences", 3, 3)


BOS, EOS, LONGEST = 1, 2, 7


def _greedy_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def one(about: str, batch: int) -> Case:
        sizes = (8, *draw.sizes(3, 3, 9))
        source = draw.number(3, 6)
        given = {
            **draw.state(REFERENCE["LSTMDecoder"](*sizes), "weights_of"),
            "hidden": 3 * draw.normal(batch, sizes[-1]),
            "cell": 3 * draw.normal(batch, sizes[-1]),
            "states": 3 * draw.normal(batch, source, sizes[-1]),
            "valid_lens": _lengths(draw, batch, source),
        }
        given["weights_of.output.bias"][EOS] = -1000.0  # does not end
        for name in ("output.weight", "rnn.weight_hh", "rnn.weight_ih", "embedding.weight"):
            given[f"weights_of.{name}"] *= 3  # so that it writes various words
        inputs = ("hidden", "cell", "states", "valid_lens", BOS, EOS, LONGEST)
        steps = (
            Step("decoder", "LSTMDecoder", sizes, load="weights_of"),
            Step("chosen", "greedy", ("decoder", *inputs)),
        )
        return Case(about, given, steps, ("chosen",), AXES | {"chosen": "batch target"})

    def ending(about: str, batch: int, different: int) -> Case:
        """Drawn until the sentences end after at least so many numbers of words, none at once."""
        for _ in range(100):
            case = one(about, batch)
            for bias in torch.linspace(-2, 6, 17):
                case.given["weights_of.output.bias"][EOS] = bias
                free = _decode(case)
                ended = (free == EOS).cumsum(dim=1) > 0
                lengths = (~ended).sum(dim=1)
                goes_on = (free != EOS) & ended  # what an answer without an end would write
                if len(lengths.unique()) >= different and lengths.min() > 1 and goes_on.any():
                    return case
        raise ValueError(f"nothing was drawn for {about!r}")

    yield one("a sentence that does not end", 1)
    yield ending("a sentence that ends", 1, 1)
    if hidden:
        yield ending("sentences that end at different places", 4, 2)


def _decode(case: Case) -> Tensor:
    """What the case's decoder writes if nobody stops it at the end of a sentence."""
    decoder = REFERENCE["LSTMDecoder"](*case.steps[0].args)
    prefix = "weights_of."
    state = {k.removeprefix(prefix): v for k, v in case.given.items() if k.startswith(prefix)}
    decoder.load_state_dict(state)
    states, lengths = case.given["states"], case.given["valid_lens"]
    chosen = [torch.full((len(states),), BOS)]
    with torch.no_grad():
        now = decoder.start(case.given["hidden"], case.given["cell"])
        for _ in range(LONGEST):
            logits, now, _ = decoder.step(chosen[-1], now, states, lengths)
            chosen.append(logits.argmax(dim=-1))
    return torch.stack(chosen[1:], dim=1)


def _error_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, target: int, source: int, links: int, agree: float) -> Case:
        weights = (2 * draw.normal(target, source)).softmax(dim=-1)
        best = weights.argmax(dim=-1)
        gold = torch.zeros(target, source, dtype=torch.bool)
        right = draw.normal(target) < agree
        gold[torch.arange(target), torch.where(right, best, (best + 1) % source)] = True
        if links < 0:
            gold[:-links] = False
        for row in range(max(links, 0)):
            gold[row, (best[row] + 2) % source] = True
        axes = dict.fromkeys(("weights", "gold"), "target source")
        return Case(
            about,
            {"weights": weights, "gold": gold},
            (Step("error", "alignment_error", ("weights", "gold")),),
            ("error",),
            axes,
        )

    yield case("one gold link for each word", 5, 7, 0, 0.3)
    yield case("more words than in the source", 8, 4, 0, 0.3)
    if hidden:
        yield case("words with two gold links", 6, 5, 3, 0.5)
        yield case("words without a gold link", 7, 5, -2, 0.5)


QUESTIONS = [
    Question(
        "DecoderStep",
        "The new state, the context and the weights of one step; the query is the state before it.",
        _step_cases,
    ),
    Question(
        "LSTMEncoder",
        "All states, zeros on padding, and the last hidden and cell state of both directions.",
        _encoder_cases,
    ),
    Question(
        "LSTMDecoder",
        "start makes the first pair of states; step returns logits, the next pair, and weights.",
        _decoder_cases,
    ),
    Question(
        "ScaledDotScore",
        "query · (W key) / √query_size for every query with every key of its sentence.",
        _dot_cases,
    ),
    Question(
        "greedy",
        "The most likely token at each step, fed into the next one; after <eos> only <eos>.",
        _greedy_cases,
    ),
    Question(
        "alignment_error",
        "1 - 2 |A ∩ G| / (|A| + |G|), where A links each target word to its largest weight.",
        _error_cases,
    ),
]
