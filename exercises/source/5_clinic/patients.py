"""Healthy and sick pieces that the reader's tests are graded on. Students never get this file.

Each is told apart by what it does, not by its weights: healthy ones differ in weights and in how
they work, sick ones in how they break the same promise.
"""

import functools
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

D, VOCAB = 8, 20
PATIENTS = {}  # "loss/healthy/…" -> function


def patient(name: str, condition: str):
    """Collect a piece under the name of the question and its condition."""

    def collect(function):
        PATIENTS[f"{name}/{condition}/{function.__name__}"] = function
        return function

    return collect


@functools.cache
def weights(seed: int, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator) / math.sqrt(shape[-1])


# ── self_attend ──────────────────────────────────────────────────────────────────────────


def _attend(x: Tensor, allowed: Tensor | None, seed: int, heads: int = 1) -> Tensor:
    query, key, value = (x @ weights(seed + n, D, D) for n in range(3))
    query, key, value = (y.unflatten(-1, (heads, -1)).transpose(1, 2) for y in (query, key, value))
    output = F.scaled_dot_product_attention(query, key, value, allowed)
    return output.transpose(1, 2).flatten(-2)


def _causal(x: Tensor, shift: int = 0) -> Tensor:
    return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril(shift)


@patient("self_attend", "healthy")
def two_heads(x, training):
    return _attend(x, _causal(x), 10, heads=2)


@patient("self_attend", "healthy")
def larger_in_training(x, training):
    return (2.0 if training else 1.0) * _attend(x, _causal(x), 20)


@patient("self_attend", "healthy")
def mean_of_what_was_read(x, training):
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1)[:, None]


@patient("self_attend", "sick")
def sees_all_in_evaluation(x, training):
    return _attend(x, _causal(x) if training else None, 30, heads=4)


@patient("self_attend", "sick")
def sees_all_in_training(x, training):
    return _attend(x, None if training else _causal(x), 40)


@patient("self_attend", "sick")
def sees_one_word_ahead(x, training):
    return _attend(x, _causal(x, 0 if training else 1), 50)


@patient("self_attend", "sick")
def mean_of_everything(x, training):
    return _attend(x, _causal(x), 60) + (0.0 if training else 0.1) * x.mean(dim=1, keepdim=True)


# ── embed ────────────────────────────────────────────────────────────────────────────────


def _sines(places: Tensor) -> Tensor:
    angle = places[:, None] / 10000 ** (torch.arange(4) / 4)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


@patient("embed", "healthy")
def another_table(tokens, offset):
    return weights(70, VOCAB, D)[tokens] + _sines(torch.arange(offset, offset + tokens.shape[1]))


@patient("embed", "healthy")
def learnt_positions(tokens, offset):
    return weights(71, VOCAB, D)[tokens] + weights(72, 40, D)[offset : offset + tokens.shape[1]]


@patient("embed", "healthy")
def counts_from_one(tokens, offset):
    places = torch.arange(offset, offset + tokens.shape[1]) + 1
    return 3 * weights(73, VOCAB, D)[tokens] + _sines(places)


@patient("embed", "sick")
def always_position_zero(tokens, offset):
    return weights(74, VOCAB, D)[tokens] + weights(75, 40, D)[: tokens.shape[1]]


@patient("embed", "sick")
def one_too_far_with_a_cache(tokens, offset):
    places = torch.arange(offset, offset + tokens.shape[1]) + (offset > 0)
    return weights(76, VOCAB, D)[tokens] + _sines(places)


@patient("embed", "sick")
def the_same_position_for_all_new_words(tokens, offset):
    places = torch.arange(tokens.shape[1]) if offset == 0 else torch.full(tokens.shape[1:], offset)
    return weights(77, VOCAB, D)[tokens] + _sines(places)


# ── loss ─────────────────────────────────────────────────────────────────────────────────


@patient("loss", "healthy")
def by_selection(logits, labels):
    return F.cross_entropy(logits[labels != 0], labels[labels != 0])


@patient("loss", "healthy")
def by_weights(logits, labels):
    each = -logits.log_softmax(dim=-1).gather(-1, labels[..., None])[..., 0]
    real = (labels != 0).float()
    return (each * real).sum() / real.sum()


@patient("loss", "healthy")
def smoothed(logits, labels):
    return F.cross_entropy(logits.mT, labels, ignore_index=0, label_smoothing=0.1)


@patient("loss", "sick")
def padding_is_a_word(logits, labels):
    return F.cross_entropy(logits.mT, labels)


@patient("loss", "sick")
def zeros_in_the_mean(logits, labels):
    return F.cross_entropy(logits.mT, labels, ignore_index=0, reduction="none").mean()


@patient("loss", "sick")
def mean_of_means_over_columns(logits, labels):
    each = F.cross_entropy(logits.mT, labels, ignore_index=0, reduction="none")
    return each.mean(dim=1).mean()


@patient("loss", "sick")
def padding_counts_a_little(logits, labels):
    each = F.cross_entropy(logits.mT, labels, reduction="none")
    real = (labels != 0).float()
    return (each * (real + 0.1 * (1 - real))).sum() / real.sum()


# ── encode ───────────────────────────────────────────────────────────────────────────────


@functools.cache
def _rnn(kind: type[nn.Module], seed: int) -> nn.Module:
    module = kind(D, D, batch_first=True)
    for number, parameter in enumerate(module.parameters()):
        parameter.data = weights(seed + number, *parameter.shape)
    return module


@patient("encode", "healthy")
def a_gru_packed(tokens, valid_lens):
    packed = nn.utils.rnn.pack_padded_sequence(
        weights(80, VOCAB, D)[tokens], valid_lens, batch_first=True, enforce_sorted=False
    )
    return _rnn(nn.GRU, 81)(packed)[1][0]


@patient("encode", "healthy")
def an_lstm_read_to_the_last_word(tokens, valid_lens):
    states, _ = _rnn(nn.LSTM, 90)(weights(91, VOCAB, D)[tokens])
    return states[torch.arange(len(tokens)), valid_lens - 1]


@patient("encode", "healthy")
def a_mean_of_words(tokens, valid_lens):
    real = (torch.arange(tokens.shape[1]) < valid_lens[:, None])[..., None]
    return (weights(92, VOCAB, D)[tokens] * real).sum(dim=1) / valid_lens[:, None]


@patient("encode", "sick")
def the_last_column(tokens, valid_lens):
    return _rnn(nn.LSTM, 100)(weights(101, VOCAB, D)[tokens])[1][0][0]


@patient("encode", "sick")
def padding_embedded_as_zeros(tokens, valid_lens):
    real = (torch.arange(tokens.shape[1]) < valid_lens[:, None])[..., None]
    return _rnn(nn.GRU, 110)(weights(111, VOCAB, D)[tokens] * real)[1][0]


@patient("encode", "sick")
def as_long_as_the_longest(tokens, valid_lens):
    longest = int(valid_lens.max())
    return _rnn(nn.GRU, 120)(weights(121, VOCAB, D)[tokens[:, :longest]])[1][0]


@patient("encode", "sick")
def a_mean_over_all_columns(tokens, valid_lens):
    real = (torch.arange(tokens.shape[1]) < valid_lens[:, None])[..., None]
    return (weights(122, VOCAB, D)[tokens] * real).mean(dim=1)


# ── masked_softmax ───────────────────────────────────────────────────────────────────────


def _beyond(scores: Tensor, valid_lens: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) >= valid_lens[:, None, None]


@patient("masked_softmax", "healthy")
def a_copy_filled(scores, valid_lens):
    return scores.masked_fill(_beyond(scores, valid_lens), -1e9).softmax(dim=-1)


@patient("masked_softmax", "healthy")
def in_loops(scores, valid_lens):
    found = torch.zeros_like(scores)
    for row, length in enumerate(valid_lens.tolist()):
        found[row, :, :length] = scores[row, :, :length].softmax(dim=-1)
    return found


@patient("masked_softmax", "healthy")
def scaled_afterwards(scores, valid_lens):
    parts = scores.softmax(dim=-1) * ~_beyond(scores, valid_lens)
    return parts / parts.sum(dim=-1, keepdim=True)


@patient("masked_softmax", "sick")
def a_million_in_place(scores, valid_lens):
    scores[_beyond(scores, valid_lens).expand_as(scores)] = -1e6
    return scores.softmax(dim=-1)


@patient("masked_softmax", "sick")
def the_largest_subtracted_in_place(scores, valid_lens):
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.masked_fill(_beyond(scores, valid_lens), -torch.inf).softmax(dim=-1)


@patient("masked_softmax", "sick")
def over_the_queries(scores, valid_lens):
    return scores.masked_fill(_beyond(scores, valid_lens), -1e9).softmax(dim=1)


@patient("masked_softmax", "sick")
def zeros_without_a_sum(scores, valid_lens):
    return scores.softmax(dim=-1) * ~_beyond(scores, valid_lens)


# ── split ────────────────────────────────────────────────────────────────────────────────


@patient("split", "healthy")
def every_third_by_order_of_size(source):
    _, numbers = torch.unique(source, dim=0, return_inverse=True)
    return numbers % 3 != 0


@patient("split", "healthy")
def the_last_tenth_of_the_different_ones(source):
    _, numbers = torch.unique(source, dim=0, return_inverse=True)
    return numbers < 0.9 * (int(numbers.max()) + 1) - 1


@patient("split", "healthy")
def one_sentence_for_validation(source):
    return (source != source[0]).any(dim=1)


@patient("split", "sick")
def by_line(source):
    return torch.arange(len(source)) % 3 != 0


@patient("split", "sick")
def copies_beside_each_other_only(source):
    new = torch.cat([torch.ones(1, dtype=torch.bool), (source[1:] != source[:-1]).any(dim=1)])
    return new.cumsum(dim=0) % 5 != 0


@patient("split", "sick")
def the_first_part(source):
    return torch.arange(len(source)) < 0.8 * len(source)


@patient("split", "sick")
def nothing_is_validated(source):
    return torch.ones(len(source), dtype=torch.bool)
