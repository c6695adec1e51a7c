"""Assignment 1, Scoring: what each question asks, on which inputs, and the reference's answers."""

from collections.abc import Iterator

import torch
from torch import Tensor

from exercises.checking import Case, Claim, Step
from exercises.drawing import Draw, Question
from lib.attention import (
    AdditiveScore,
    MultiHeadAttention,
    attend,
    mask_from_lengths,
    masked_softmax,
)

REFUSES = (
    "lib",
    "scaled_dot_product_attention",
    "MultiheadAttention",
    "multi_head_attention_forward",
)

# ── the reference: lib's functions, with the arguments that the questions ask for ────────


def _mask(valid_lens: Tensor | None, num_keys: int) -> Tensor | None:
    """(batch, 1 or query, key)"""
    if valid_lens is None:
        return None
    mask = mask_from_lengths(valid_lens, num_keys)
    return mask if mask.dim() == 3 else mask[:, None]


def _masked_softmax(scores, valid_lens=None):
    return masked_softmax(scores, _mask(valid_lens, scores.shape[-1]))


def _attention(query, key, value, valid_lens=None):
    return attend(query, key, value, _mask(valid_lens, key.shape[1]), need_weights=True)


def _split_heads(x, num_heads):
    return MultiHeadAttention(x.shape[-1], num_heads).split(x)


def _join_heads(x):
    return MultiHeadAttention(x.shape[1] * x.shape[-1], x.shape[1]).join(x)


def _multi_head(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    module = MultiHeadAttention(query.shape[-1], num_heads)
    names = ("query_projection", "key_projection", "value_projection", "output_projection")
    weights = zip(names, (w_q, w_k, w_v, w_o), strict=True)
    module.load_state_dict({f"{name}.weight": w for name, w in weights})
    return module(query, key, value, _mask(valid_lens, key.shape[1])).output


REFERENCE = {
    "mask_from_lengths": mask_from_lengths,
    "masked_softmax": _masked_softmax,
    "attention": _attention,
    "AdditiveScore": AdditiveScore,
    "split_heads": _split_heads,
    "join_heads": _join_heads,
    "multi_head": _multi_head,
}

# ── the cases ────────────────────────────────────────────────────────────────────────────


def _one_per_sentence(draw: Draw, batch: int, num_keys: int, *, low: int = 1) -> Tensor:
    """Lengths that differ, one of them the longest possible."""
    lengths = draw.integers(low, num_keys - 1, batch)
    lengths[draw.number(0, batch - 1)] = num_keys
    return lengths


def _mask_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, valid_lens: Tensor, num_keys: int, axes: str) -> Case:
        return Case(
            about,
            {"valid_lens": valid_lens},
            (Step("mask", "mask_from_lengths", ("valid_lens", num_keys)),),
            ("mask",),
            {"valid_lens": axes, "mask": f"{axes} key"},
        )

    batch, queries, keys = sorted(draw.sizes(3, 3, 7))
    yield case("one length per sentence", _one_per_sentence(draw, batch, keys), keys, "batch")
    lengths = draw.integers(1, keys, batch, queries)
    yield case("one length per query", lengths, keys, "batch query")
    if hidden:
        yield case("sentences without a word", torch.tensor([0, keys, 0]), keys, "batch")
        yield case("a single sentence", torch.tensor([[2, 1]]), keys, "batch query")


AXES = {
    "scores": "batch query key",
    "weights": "batch query key",
    "again": "batch query key",
    "zero": "batch query key",
    "some": "batch query",
}


def _promises(result: str) -> tuple[Claim, ...]:
    return (
        Claim(
            "zero", result, "A place beyond the valid length must get exactly zero.", where="zero"
        ),
        Claim("sum", result, "The weights of a row with valid keys must sum to one.", where="some"),
    )


def _with_masks(valid_lens: Tensor, queries: int, keys: int, **given: Tensor) -> dict[str, Tensor]:
    """The tensors given, and what the claims need: where weights are zero, which rows have any."""
    mask = _mask(valid_lens, keys).expand(-1, queries, -1)
    return {**given, "valid_lens": valid_lens, "zero": ~mask, "some": mask.any(dim=-1)}


def _softmax_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, scores: Tensor, valid_lens: Tensor) -> Case:
        return Case(
            about,
            _with_masks(valid_lens, *scores.shape[1:], scores=scores),
            (Step("weights", "masked_softmax", ("scores", "valid_lens")),),
            ("weights",),
            AXES | {"valid_lens": "batch query"[: None if valid_lens.dim() == 2 else 5]},
            _promises("weights"),
        )

    batch, queries, keys = sorted(draw.sizes(3, 3, 7))
    scores = draw.normal(batch, queries, keys)
    lengths = _one_per_sentence(draw, batch, keys)
    yield case("one length per sentence", scores, lengths)
    yield case("one length per query", scores, draw.integers(1, keys, batch, queries))
    yield Case(
        "no lengths: every key is valid",
        {"scores": scores},
        (Step("weights", "masked_softmax", ("scores",)),),
        ("weights",),
        AXES,
    )
    yield Case(
        "the same scores used twice, first with lengths, then without",
        {"scores": scores, "valid_lens": lengths},
        (
            Step("weights", "masked_softmax", ("scores", "valid_lens")),
            Step("again", "masked_softmax", ("scores",)),
        ),
        ("weights", "again"),
        AXES | {"valid_lens": "batch"},
    )
    if hidden:
        empty = lengths.clone()
        empty[draw.number(0, batch - 1)] = 0
        yield case("a sentence without a word gets zeros", scores, empty)
        per_query = draw.integers(0, keys, batch, queries)
        per_query[0, 1] = 0
        yield case("a query with nothing to attend to gets zeros", scores, per_query)
        yield case("scores far below zero", 4 * scores - 2_000_000, lengths)
        yield case("one sentence, one query", scores[:1, :1], lengths[:1])


def _attention_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    axes = AXES | {
        "query": "batch query d",
        "key": "batch key d",
        "value": "batch key d_value",
        "output": "batch query d_value",
    }

    def case(about: str, valid_lens: Tensor, axis: str, sizes: list[int]) -> Case:
        batch, queries, keys, d, d_value = sizes
        given = {
            "query": draw.normal(batch, queries, d),
            "key": draw.normal(batch, keys, d),
            "value": draw.normal(batch, keys, d_value),
        }
        return Case(
            about,
            _with_masks(valid_lens, queries, keys, **given),
            (Step("output weights", "attention", ("query", "key", "value", "valid_lens")),),
            ("weights", "output"),
            axes | {"valid_lens": axis},
            _promises("weights"),
        )

    sizes = draw.sizes(5, 2, 9)
    batch, queries, keys = sizes[:3] = sorted(sizes[:3])
    lengths = _one_per_sentence(draw, batch, keys)
    yield case("one length per sentence", lengths, "batch", sizes)
    yield case("one length per query", draw.integers(1, keys, batch, queries), "batch query", sizes)
    if hidden:
        empty = lengths.clone()
        empty[draw.number(0, batch - 1)] = 0
        yield case("a sentence without a word: weights and output are zeros", empty, "batch", sizes)
        single = [1, *sizes[1:]]
        yield case("a single sentence", lengths.max()[None], "batch", single)


def _additive_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, queries: int, keys: int, sizes: list[int]) -> Case:
        d_query, d_key, hidden_size = sizes
        state = draw.state(AdditiveScore(*sizes), "weights")
        return Case(
            about,
            {
                **state,
                "query": 2 * draw.normal(batch, queries, d_query),
                "key": 2 * draw.normal(batch, keys, d_key),
            },
            (
                Step("score", "AdditiveScore", (d_query, d_key, hidden_size), load="weights"),
                Step("scores", "score", ("query", "key")),
            ),
            ("scores",),
            {
                "query": "batch query query_size",
                "key": "batch key key_size",
                "scores": "batch query key",
            },
        )

    yield case("queries and keys of different sizes", *draw.sizes(3), draw.sizes(3))
    yield case("other sizes", *draw.sizes(3), draw.sizes(3, 3, 12))
    if hidden:
        batch, queries, keys = draw.sizes(3)
        yield case("one query, as in a decoder's step", batch, 1, keys, draw.sizes(3))
        yield case("a single sentence", 1, queries, keys, draw.sizes(3))


def _split_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, length: int, heads: int, d_head: int) -> Case:
        return Case(
            about,
            {"x": draw.normal(batch, length, heads * d_head)},
            (Step("heads", "split_heads", ("x", heads)),),
            ("heads",),
            {"x": "batch length d_model", "heads": "batch heads length d_head"},
        )

    batch, length = draw.sizes(2, 5, 7)
    yield case("two heads", batch, length, 2, 4)
    yield case("three heads", batch, length, 3, 4)
    if hidden:
        yield case("vectors of another size", batch, length, 4, draw.number(5, 7))
        yield case("a single sentence", 1, length, 2, 3)
        yield case("a single head", batch, length, 1, 4)


def _join_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    def case(about: str, batch: int, heads: int, length: int, d_head: int) -> Case:
        return Case(
            about,
            {"x": draw.normal(batch, heads, length, d_head)},
            (Step("joined", "join_heads", ("x",)),),
            ("joined",),
            {"x": "batch heads length d_head", "joined": "batch length d_model"},
        )

    batch, length = draw.sizes(2, 5, 7)
    yield case("two heads", batch, 2, length, 4)
    yield case("three heads", batch, 3, length, 4)
    yield Case(
        "split, then join: as before",
        {"x": draw.normal(batch, length, 12)},
        (Step("heads", "split_heads", ("x", 3)), Step("joined", "join_heads", ("heads",))),
        ("joined",),
        {"x": "batch length d_model", "joined": "batch length d_model"},
    )
    if hidden:
        yield case("vectors of another size", batch, 4, length, draw.number(5, 7))
        yield case("a single sentence", 1, 2, length, 3)
        yield case("a single head", batch, 1, length, 4)


def _multi_head_cases(draw: Draw, hidden: bool) -> Iterator[Case]:
    axes = {
        "query": "batch query d_model",
        "key": "batch key d_model",
        "value": "batch key d_model",
        "output": "batch query d_model",
        **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), "d_model d_model"),
    }

    def case(about: str, heads: int, d_model: int, lengths: str) -> Case:
        batch, queries, keys = sorted(draw.sizes(3, 3, 7))
        given = {
            "query": draw.normal(batch, queries, d_model),
            "key": draw.normal(batch, keys, d_model),
            "value": draw.normal(batch, keys, d_model),
        }
        for name in ("w_q", "w_k", "w_v", "w_o"):
            given[name] = draw.normal(d_model, d_model) / d_model**0.5
        if lengths == "batch":
            given["valid_lens"] = _one_per_sentence(draw, batch, keys)
        elif lengths:
            given["valid_lens"] = draw.integers(1, keys, batch, queries)
        args = (*("query", "key", "value", "w_q", "w_k", "w_v", "w_o"), heads)
        return Case(
            about,
            given,
            (Step("output", "multi_head", (*args, *(["valid_lens"] if lengths else []))),),
            ("output",),
            axes | {"valid_lens": lengths},
        )

    yield case("no lengths", 2, 8, "")
    yield case("one length per sentence", 3, 12, "batch")
    if hidden:
        yield case("one length per query", 2, 8, "batch query")
        yield case("a single head", 1, 6, "batch")
        yield case("one number to a head", 4, 4, "batch")


QUESTIONS = [
    Question(
        "mask_from_lengths",
        "A boolean mask, True for the first valid_lens of num_keys places; lengths may be (batch,) "
        "or (batch, query).",
        _mask_cases,
    ),
    Question(
        "masked_softmax",
        "Softmax over the valid keys, exactly zero elsewhere, zeros where there is no valid key; "
        "the scores stay as they were.",
        _softmax_cases,
    ),
    Question(
        "attention",
        "The pair (output, weights) of scaled dot-product attention over the valid keys.",
        _attention_cases,
    ),
    Question(
        "AdditiveScore",
        "v · tanh(W_q query + W_k key) for every query with every key of its sentence.",
        _additive_cases,
    ),
    Question(
        "split_heads",
        "The first d_head numbers of each vector go to the first head, the next to the second.",
        _split_cases,
    ),
    Question(
        "join_heads",
        "The heads' vectors side by side again: what split_heads took apart.",
        _join_cases,
    ),
    Question(
        "multi_head",
        "Project, split into heads, attend in each, join, project.",
        _multi_head_cases,
        tolerance=1e-4,
    ),
]
