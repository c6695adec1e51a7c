"""What every model of the course promises, recurrent or Transformer (see CONTRIBUTING.md)."""

import pytest
import torch
from conftest import CONFIGS, SOURCE_VOCAB, TARGET_VOCAB, build
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lib.text import BOS, EOS, PAD
from lib.training import loss
from lib.translator import initialize

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
ATTENTIVE = [name for name in CONFIGS if not name.startswith("plain")]
source_words = st.lists(st.integers(4, len(SOURCE_VOCAB) - 1), max_size=7)
target_words = st.lists(st.integers(4, len(TARGET_VOCAB) - 1), min_size=1, max_size=7)
names = st.sampled_from(list(CONFIGS))


def rows(sentences, extra=0):
    """Sentences as one padded tensor, with `extra` more columns of padding than needed."""
    width = max(map(len, sentences)) + extra
    return torch.tensor([[*words, *[PAD] * (width - len(words))] for words in sentences])


def sources(sentences, extra=0):
    ids = rows([[*words, EOS] for words in sentences], extra)
    return ids, ids != PAD


def targets(sentences, extra=0):
    return rows([[BOS, *words] for words in sentences], extra)


@settings(max_examples=60)
@given(
    names,
    st.lists(source_words, min_size=3, max_size=3),
    st.lists(target_words, min_size=3, max_size=3),
)
def test_1_step_by_step_gives_the_logits_and_weights_of_teacher_forcing(name, source, target):
    model = build(name)
    target = targets(target)
    with torch.no_grad():
        expected = model(*sources(source), target, need_weights=True)
        memory = model.encode(*sources(source))
        cache = None
        for step in range(target.shape[1]):
            cached = model.decode(target[:, step : step + 1], memory, cache, need_weights=True)
            cache = cached.cache
            again = model.decode(target[:, : step + 1], memory)  # no cache: all from the start
            assert_close(cached.logits[:, 0], expected.logits[:, step], **CLOSE)
            assert_close(again.logits[:, step], expected.logits[:, step], **CLOSE)
            for kind, weights in cached.attention.items():
                row = expected.attention[kind][..., step, : weights.shape[-1]]
                assert_close(weights[..., 0, :], row, **CLOSE)


@settings(max_examples=40)
@given(names, st.integers(1, 5), st.integers(1, 4))
def test_1_a_cache_may_be_fed_several_tokens_at_once(name, first, then):
    model = build(name)
    source = sources([[4, 5, 6], [7]])
    target = torch.arange(first + then).expand(2, -1) + 3
    with torch.no_grad():
        expected = model(*source, target).logits
        memory = model.encode(*source)
        start = model.decode(target[:, :first], memory)
        rest = model.decode(target[:, first:], memory, start.cache)
    assert_close(torch.cat([start.logits, rest.logits], dim=1), expected, **CLOSE)


@pytest.mark.parametrize("training", [False, True])
@settings(max_examples=40)
@given(name=names, words=target_words, place=st.integers(0, 6), word=st.integers(4, 15))
def test_2_a_later_target_token_changes_no_earlier_logit(training, name, words, place, word):
    model = build(name).train(training)
    source = sources([[4, 5, 6, 7]])
    target = targets([words])
    place = 1 + place % len(words)
    changed = target.clone()
    changed[0, place] = word
    logits = []
    for ids in (target, changed):
        torch.manual_seed(1)  # the same dropout
        logits.append(model(*source, ids).logits[:, :place])
    assert_close(*logits, **CLOSE)


@settings(max_examples=60)
@given(names, st.lists(source_words, min_size=2, max_size=3), target_words, st.integers(1, 6))
def test_3_more_padding_changes_nothing(name, source, words, extra):
    model = build(name)
    target = [words[: 1 + i] for i in range(len(source))]
    labels = [[*words, EOS] for words in target]
    results = []
    with torch.no_grad():
        for more in (0, extra):
            ids, mask = sources(source, more)
            memory = model.encode(ids, mask)
            logits = model.decode(targets(target, more), memory).logits
            width = max(map(len, source)) + 1
            kept = memory.states[:, :width] * mask[:, :width, None]
            results.append(
                (logits[:, : len(target[-1]) + 1], loss(logits, rows(labels, more)), kept)
            )
    for plain, padded in zip(*results, strict=True):
        assert_close(plain[:, : padded.shape[1]] if plain.dim() == 3 else plain, padded, **CLOSE)


def test_3_the_company_of_longer_sentences_changes_nothing(model):
    short, long = [4, 5], [6, 7, 8, 9, 10, 11]
    with torch.no_grad():
        alone = model(*sources([short]), targets([[4, 5]])).logits
        together = model(*sources([long, short]), targets([[4, 5, 6, 7, 8], [4, 5]])).logits
    assert_close(together[1:, :3], alone, **CLOSE)


def test_4_asking_for_weights_changes_no_logit(model):
    """Without weights the fused kernel runs, with them the plain softmax."""
    source, target = sources([[4, 5, 6], [7]]), targets([[4, 5, 6], [7, 8]])
    with torch.no_grad():
        plain, fused = model(*source, target, need_weights=True), model(*source, target)
    assert fused.attention == {}
    assert_close(plain.logits, fused.logits, **CLOSE)


@pytest.mark.parametrize("name", ATTENTIVE)
def test_5_rows_sum_to_one_and_padding_gets_exactly_zero(name):
    model = build(name)
    ids, mask = sources([[4, 5, 6], [7]])
    target = targets([[4, 5, 6], [7, 8]])
    attention = model(ids, mask, target, need_weights=True).attention
    recurrent = not name.startswith("Transformer")
    assert set(attention) == ({"cross"} if recurrent else {"encoder", "decoder", "cross"})
    for kind, weights in attention.items():
        batch, layers, heads, queries, keys = weights.shape
        assert (batch, queries) == (2, ids.shape[1] if kind == "encoder" else target.shape[1])
        assert keys == (target if kind == "decoder" else ids).shape[1]
        assert layers >= 1
        assert heads == (1 if recurrent else 4)
        assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)), **CLOSE)
        if kind == "decoder":
            assert not weights.triu(1).any(), "a query attends to a later position"
        else:
            assert not weights[1, ..., 2:].any(), "a query attends to padding"


@pytest.mark.parametrize("name", ATTENTIVE)
def test_5_nothing_to_attend_to_gives_zeros_and_finite_gradients(name):
    model = build(name)
    memory = model.encode(*sources([[4, 5], [6, 7]]))
    hidden = memory._replace(mask=torch.tensor([[False] * 3, [True] * 3]))
    for need_weights in (True, False):
        decoded = model.decode(targets([[4], [5]]), hidden, need_weights=need_weights)
        assert decoded.logits.isfinite().all()
        if need_weights:
            assert not decoded.attention["cross"][0].any()
            assert decoded.attention["cross"][1].any()
        model.zero_grad()
        decoded.logits.sum().backward(retain_graph=True)
        assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("name", ATTENTIVE)
def test_5_a_hidden_word_gets_no_weight_and_changes_the_answer(name):
    model = build(name)
    memory = model.encode(*sources([[4, 5, 6, 7]]))
    mask = memory.mask.clone()
    mask[0, 1] = False
    target = targets([[4, 5]])
    before = model.decode(target, memory, need_weights=True)
    after = model.decode(target, memory._replace(mask=mask), need_weights=True)
    assert not after.attention["cross"][..., 1].any()
    assert before.attention["cross"][..., 1].all()
    assert not torch.allclose(before.logits, after.logits)


def test_6_the_loss_ignores_padding(model):
    """What the logits are at padding changes neither the loss nor the gradient."""
    logits = model(*sources([[4], [5]]), targets([[4, 5], [6]])).logits.detach()
    labels = rows([[4, 5, EOS], [6, EOS]])
    logits.requires_grad_()
    loss(logits, labels).backward()
    assert not logits.grad[1, 2].any()
    picked = logits.detach().log_softmax(-1)
    by_hand = -sum(picked[i, j, labels[i, j]] for i, j in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)])
    assert_close(loss(logits, labels), by_hand / 5, **CLOSE)


def test_reordering_the_cache_reorders_the_beams(model):
    """Rows may be dropped, swapped and repeated; what follows is as if they had always stood so."""
    target = targets([[4, 5, 6], [7, 8, 9], [10, 11, 12]])
    index = torch.tensor([2, 0, 0, 1])
    with torch.no_grad():
        memory = model.encode(*sources([[4, 5], [6], [7, 8, 9]]))
        expected = model.decode(target[index], memory.reorder(index)).logits[:, 3:]
        cache = model.decode(target[:, :3], memory).cache
        assert cache.reorder(index) is cache
        after = model.decode(target[index, 3:], memory.reorder(index), cache).logits
    assert_close(after, expected, **CLOSE)


def test_decoding_leaves_the_cache_it_was_given_as_it_was(model):
    """Two continuations of one cache do not disturb each other."""
    with torch.no_grad():
        memory = model.encode(*sources([[4, 5]]))
        cache = model.decode(targets([[4]]), memory).cache
        first = model.decode(torch.tensor([[5]]), memory, cache).logits
        model.decode(torch.tensor([[6]]), memory, cache)
        again = model.decode(torch.tensor([[5]]), memory, cache).logits
    assert torch.equal(first, again)


def test_every_part_of_the_model_learns(model):
    """No parameter is left without a gradient, none is used twice over by mistake."""
    loss(
        model(*sources([[4, 5, 6], [7, 8]]), targets([[4, 5], [6]])).logits,
        rows([[4, 5, EOS], [6, EOS]]),
    ).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name


def test_initialisation_reaches_every_weight(model):
    """Xavier's bound holds for each matrix, gate by gate; nothing keeps PyTorch's default."""
    for parameter in model.parameters():
        torch.nn.init.constant_(parameter, 7.0)
    torch.manual_seed(0)
    initialize(model)
    for name, parameter in model.named_parameters():
        if ".norm" in name:
            continue  # the identity, as PyTorch makes it
        if parameter.dim() == 1:
            assert not parameter.any(), name
        elif "embedding" in name:
            assert 0.5 < parameter.std() * parameter.shape[1] ** 0.5 < 1.5, name
        else:
            gates = {"gru": 3, "lstm": 4}[model.config.cell] if ".rnn." in name else 1
            fan_out, fan_in = parameter.shape[0] // gates, parameter.shape[1]
            bound = (6 / (fan_in + fan_out)) ** 0.5
            assert 0 < parameter.abs().max() <= bound, name
