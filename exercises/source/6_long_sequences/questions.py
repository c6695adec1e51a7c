"""Assignment 6, Long sequences: what each question asks, and on which inputs.

The reference is the source notebook's own answers; tests compare them with `lib` and by hand.
"""

from collections.abc import Iterator

from torch import Tensor

from exercises.checking import Case, Step
from exercises.drawing import Draw, Question, model_answers

REFUSES = (
    "lib",
    "scaled_dot_product_attention",
    "MultiheadAttention",
    "multi_head_attention_forward",
    "flex_attention",
)
REFERENCE = model_answers("6_long_sequences")

AXES = {
    "query": "batch query d",
    "key": "batch key d",
    "value": "batch key d_value",
    "output": "batch query d_value",
}


def _inputs(draw: Draw, batch: int, queries: int, keys: int) -> dict[str, Tensor]:
    d, d_value = draw.sizes(2, 3, 8)
    return {
        "query": draw.normal(batch, queries, d),
        "key": draw.normal(batch, keys, d),
        "value": draw.normal(batch, keys, d_value),
    }


def _case(about: str, name: str, given: dict[str, Tensor], *more: int) -> Case:
    step = Step("output", name, ("query", "key", "value", *more))
    return Case(about, given, (step,), ("output",), AXES)


def _window_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, length: int, width: int) -> Case:
        return _case(about, "window_attention", _inputs(draw, batch, length, length), width)

    yield case("a width of 1", 2, draw.number(5, 8), 1)
    yield case("a width of 3", 3, draw.number(9, 14), 3)
    if hidden:
        yield case("a width of 0: the values themselves", 2, 5, 0)
        yield case("a window wider than the sentence", 2, 4, 9)
        yield case("a single sentence", 1, draw.number(7, 12), 2)


def _chunk_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, queries: int, keys: int, chunk: int, factor: float = 1.0) -> Case:
        given = _inputs(draw, draw.number(2, 3), queries, keys)
        given["query"] *= factor
        return _case(about, "chunked_attention", given, chunk)

    yield case("twelve keys in chunks of four", 5, 12, 4)
    yield case("one chunk holds all", 3, 6, 10)
    if hidden:
        yield case("the last chunk is shorter", 4, draw.number(3, 5) * 4 + 3, 4)
        yield case("scores so large that exp is infinite", 4, 12, 3, 300.0)
        yield case("scores so low that exp is zero", 4, 12, 3, -300.0)
        yield case("one key at a time", 2, 7, 1)


def _linear_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, queries: int, keys: int) -> Case:
        return _case(about, "linear_attention", _inputs(draw, batch, queries, keys))

    yield case("as many queries as keys", 2, 6, 6)
    yield case("another length", 3, 9, 9)
    if hidden:
        yield case("more keys than queries", 2, *sorted(draw.sizes(2, 4, 9)))
        yield case("a single query", 1, 1, 7)


def _step_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, words: int, *, twice: bool = False) -> Case:
        d, d_value = draw.sizes(2, 3, 8)
        given, steps, state = {}, [], None
        for n in range(words):
            given[f"query{n}"], given[f"key{n}"] = draw.normal(batch, d), draw.normal(batch, d)
            given[f"value{n}"] = draw.normal(batch, d_value)
            args = (state, f"query{n}", f"key{n}", f"value{n}")
            state = f"state{n}"
            steps.append(Step(f"output{n} {state}", "linear_step", args))
        returns = [f"output{n}" for n in range(words)]
        if twice:
            args = ("state0", "query1", "key1", "value1")
            steps.append(Step("again after", "linear_step", args))
            returns.append("again")
        axes = {name: "batch d" for name in given if not name.startswith("value")}
        axes |= dict.fromkeys((*returns, *(n for n in given if n[0] == "v")), "batch d_value")
        return Case(about, given, tuple(steps), tuple(returns), axes)

    yield case("one word", 3, 1)
    yield case("four words", 2, 4)
    if hidden:
        yield case("many words", 2, 12)
        yield case("two ways on from one state", 3, 3, twice=True)
        yield case("a single sentence", 1, 5)


QUESTIONS = [
    Question(
        "window_attention",
        "Softmax attention of each query to the keys at a distance of at most `width`.",
        _window_cases,
    ),
    Question(
        "chunked_attention",
        "Exactly softmax attention, `chunk` keys at a time, however large the scores are.",
        _chunk_cases,
        tolerance=1e-4,
    ),
    Question(
        "linear_attention",
        "Attention with the features elu(x) + 1 in place of the exponential of the dot product.",
        _linear_cases,
    ),
    Question(
        "linear_step",
        "Linear attention of one word to itself and the words before it, from a state that does "
        "not grow.",
        _step_cases,
        tolerance=1e-4,
    ),
]
