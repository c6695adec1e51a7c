"""lib.attention: masks, scores, and one answer however it is computed."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from lib.attention import (
    SCORINGS,
    AdditiveScore,
    MultiHeadAttention,
    ProjectedDotScore,
    attend,
    causal_mask,
    dot_scores,
    mask_from_lengths,
    masked_softmax,
    scaled_dot_scores,
)

sizes = st.integers(1, 6)
seeds = st.integers(0, 1000)
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def tensors(seed, *shapes):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def random_mask(seed, *shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 0.6


# ── masks ────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.integers(0, 7), min_size=1, max_size=5))
def test_a_length_becomes_that_many_trues_and_they_come_first(lengths):
    mask = mask_from_lengths(torch.tensor(lengths), 7)
    assert mask.tolist() == [[True] * n + [False] * (7 - n) for n in lengths]


def test_two_dimensional_lengths_give_each_query_its_own_keys():
    mask = mask_from_lengths(torch.tensor([[1, 3], [2, 0]]), 3)
    assert mask.int().tolist() == [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]


@given(sizes, st.integers(0, 5))
def test_a_query_sees_itself_and_what_came_before(num_queries, offset):
    mask = causal_mask(num_queries, offset)
    assert mask.shape == (num_queries, offset + num_queries)
    for query in range(num_queries):
        seen = offset + query + 1
        assert mask[query].tolist() == [True] * seen + [False] * (num_queries + offset - seen)


# ── masked softmax ───────────────────────────────────────────────────────────────────────


@given(seeds, sizes, sizes, sizes)
def test_rows_sum_to_one_or_are_all_zero_and_hidden_keys_get_exactly_zero(seed, b, q, k):
    (scores,) = tensors(seed, (b, q, k))
    mask = random_mask(seed, b, q, k)
    weights = masked_softmax(scores, mask)
    assert not weights[~mask].any()
    assert_close(weights.sum(-1), mask.any(-1).float(), **CLOSE)


@given(seeds, st.floats(-1e4, 1e4))
def test_hidden_scores_do_not_matter_however_large(seed, value):
    (scores,) = tensors(seed, (2, 3, 4))
    mask = random_mask(seed, 2, 3, 4)
    expected = masked_softmax(scores, mask)
    assert torch.equal(masked_softmax(scores.masked_fill(~mask, value), mask), expected)


def test_the_callers_scores_stay_as_they_were():
    (scores,) = tensors(0, (2, 3, 4))
    before = scores.clone()
    masked_softmax(scores, torch.zeros(2, 3, 4, dtype=torch.bool))
    assert torch.equal(scores, before)


def test_a_row_with_nothing_to_see_has_zero_gradient_not_nan():
    (scores,) = tensors(0, (1, 2, 3))
    scores.requires_grad_()
    mask = torch.tensor([[[False] * 3, [True, False, True]]])
    (masked_softmax(scores, mask) * torch.randn(1, 2, 3)).sum().backward()
    assert not scores.grad[0, 0].any()
    assert scores.grad[0, 1, 0] != 0


def test_a_mask_of_numbers_is_refused_with_its_dtype():
    scores = torch.zeros(1, 2, 2)
    mask = torch.ones(1, 2, 2)
    masked = getattr(masked_softmax, "__wrapped__", masked_softmax)  # without the type checker
    with pytest.raises(ValueError, match=r"float32.*boolean"):
        masked(scores, mask)


# ── scoring ──────────────────────────────────────────────────────────────────────────────


@given(seeds, sizes, sizes, sizes, sizes)
def test_dot_scores_are_dot_products(seed, b, q, k, d):
    query, key = tensors(seed, (b, q, d), (b, k, d))
    expected = torch.stack(
        [torch.stack([(query[i, j] * key[i]).sum(-1) for j in range(q)]) for i in range(b)]
    )
    assert_close(dot_scores(query, key), expected, **CLOSE)
    assert_close(scaled_dot_scores(query, key), expected / math.sqrt(d), **CLOSE)


@given(seeds, sizes, sizes, sizes, sizes, sizes)
def test_additive_scores_are_bahdanaus_formula(seed, q, k, d_query, d_key, hidden):
    torch.manual_seed(seed)
    score = AdditiveScore(d_query, d_key, hidden)
    query, key = tensors(seed, (1, q, d_query), (1, k, d_key))
    wq, wk, v = score.query_projection.weight, score.key_projection.weight, score.v.weight[0]
    with torch.no_grad():
        for i in range(q):
            for j in range(k):
                expected = v @ torch.tanh(wq @ query[0, i] + wk @ key[0, j])
                assert_close(score(query, key)[0, i, j], expected, **CLOSE)


@pytest.mark.parametrize("scaled", [True, False])
def test_projected_keys_may_be_kept(scaled):
    torch.manual_seed(0)
    query, key = tensors(0, (2, 3, 4), (2, 5, 6))
    for score in (ProjectedDotScore(4, 6, scaled=scaled), AdditiveScore(4, 6, 7)):
        assert torch.equal(score(query, key), score.compare(query, score.project_keys(key)))
    projected = ProjectedDotScore(4, 6, scaled=scaled)
    by_hand = query @ (key @ projected.key_projection.weight.T).mT
    assert_close(projected(query, key), by_hand / (2 if scaled else 1), **CLOSE)


# ── one head ─────────────────────────────────────────────────────────────────────────────


@given(seeds, sizes, sizes, sizes, sizes, sizes, st.booleans(), st.booleans())
def test_plain_fused_and_torch_agree(seed, b, q, k, d, d_value, masked, scaled):
    """Rows with nothing to attend to aside: ours are zero there."""
    query, key, value = tensors(seed, (b, q, d), (b, k, d), (b, k, d_value))
    mask = random_mask(seed, b, q, k) if masked else None
    score = scaled_dot_scores if scaled else dot_scores
    plain = attend(query, key, value, mask, score=score, need_weights=True)
    fused = attend(query, key, value, mask, score=score)
    assert fused.weights is None
    assert_close(plain.output, fused.output, **CLOSE)
    scale = None if scaled else 1.0
    expected = F.scaled_dot_product_attention(query, key, value, mask, scale=scale)
    if masked:
        nothing = ~mask.any(-1)
        assert not plain.output[nothing].any()
        assert not fused.output[nothing].any()
        assert_close(fused.output[~nothing], expected[~nothing], **CLOSE)
    else:
        assert_close(fused.output, expected, **CLOSE)


@given(seeds, st.permutations(range(5)))
def test_attention_does_not_care_about_the_order_of_the_keys(seed, order):
    query, key, value = tensors(seed, (1, 3, 4), (1, 5, 4), (1, 5, 2))
    shuffled = attend(query, key[:, order], value[:, order])
    assert_close(shuffled.output, attend(query, key, value).output, **CLOSE)


def test_dropped_weights_are_scaled_up_and_the_returned_ones_are_not_dropped():
    torch.manual_seed(0)
    query, key, value = tensors(0, (1, 4, 8), (1, 50, 8), (1, 50, 1))
    attended = attend(query, key, torch.ones_like(value), dropout=0.5, need_weights=True)
    assert_close(attended.weights.sum(-1), torch.ones(1, 4), **CLOSE)
    assert not torch.allclose(attended.output, torch.ones(1, 4, 1), atol=1e-3)
    outputs = torch.stack(
        [attend(query, key, torch.ones_like(value), dropout=0.5).output for _ in range(400)]
    )
    assert_close(outputs.mean(0), torch.ones(1, 4, 1), rtol=0.05, atol=0.05)


# ── many heads ───────────────────────────────────────────────────────────────────────────


@settings(max_examples=30)
@given(seeds, sizes, sizes, sizes, st.sampled_from([1, 2, 4]), st.booleans())
def test_many_heads_agree_with_torchs_own(seed, b, q, k, num_heads, masked):
    torch.manual_seed(seed)
    ours = MultiHeadAttention(8, num_heads)
    theirs = nn.MultiheadAttention(8, num_heads, bias=False, batch_first=True)
    projections = (ours.query_projection, ours.key_projection, ours.value_projection)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
        theirs.out_proj.weight.copy_(ours.output_projection.weight)
    query, key, value = tensors(seed, (b, q, 8), (b, k, 8), (b, k, 8))
    mask = None
    if masked:
        mask = random_mask(seed, b, 1, k)
        mask[..., 0] = True
    expected, weights = theirs(
        query,
        key,
        value,
        key_padding_mask=None if mask is None else ~mask[:, 0],  # torch's masks say "may not"
        average_attn_weights=False,
    )
    plain = ours(query, key, value, mask, need_weights=True)
    assert_close(plain.output, expected, **CLOSE)
    assert_close(plain.weights, weights, **CLOSE)
    assert_close(ours(query, key, value, mask).output, expected, **CLOSE)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_heads_are_a_loop_over_slices(scoring):
    """The idea in its plainest form: each head attends in its own slice of the projections."""
    torch.manual_seed(0)
    ours = MultiHeadAttention(12, 3, scoring=scoring).eval()
    query, key = tensors(0, (2, 4, 12), (2, 5, 12))
    q, k, v = ours.query_projection(query), ours.key_projection(key), ours.value_projection(key)
    heads = []
    for head in range(3):
        part = slice(4 * head, 4 * head + 4)
        weights = ours.score(q[..., part], k[..., part]).softmax(-1)
        heads.append(weights @ v[..., part])
    expected = ours.output_projection(torch.cat(heads, dim=-1))
    assert_close(ours(query, key, key).output, expected, **CLOSE)
    assert_close(ours(query, key, key, need_weights=True).output, expected, **CLOSE)


@given(sizes, sizes, st.sampled_from([1, 2, 3, 6]))
def test_joining_undoes_splitting(batch, length, num_heads):
    heads = MultiHeadAttention(6, num_heads)
    (x,) = tensors(0, (batch, length, 6))
    assert heads.split(x).shape == (batch, num_heads, length, 6 // num_heads)
    assert torch.equal(heads.join(heads.split(x)), x)


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_removed_head_adds_nothing(need_weights):
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2)
    (x,) = tensors(0, (1, 3, 8))
    outputs = [
        ours(x, x, x, need_weights=need_weights, head_mask=torch.tensor(mask)).output
        for mask in ([True, True], [True, False], [False, True], [False, False])
    ]
    assert torch.equal(outputs[0], ours(x, x, x, need_weights=need_weights).output)
    assert_close(outputs[1] + outputs[2], outputs[0], **CLOSE)
    assert not outputs[3].any()


@pytest.mark.parametrize("num_heads", [0, 4])
def test_a_width_that_the_heads_cannot_share_is_refused(num_heads):
    with pytest.raises(ValueError, match=f"d_model=10 is not a multiple of num_heads={num_heads}"):
        MultiHeadAttention(10, num_heads)


def test_an_unknown_scoring_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"scoring='cosine' is unknown: .*additive"):
        MultiHeadAttention(8, 2, scoring="cosine")
