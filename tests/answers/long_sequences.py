"""Answers to assignment 6."""

import math

import torch
import torch.nn.functional as F

from tests.answers import Answers

answers = Answers("6_long_sequences")
wrong, right = answers.wrong, answers.right


def _masked(query, key, value, far):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.masked_fill(far, -torch.inf).softmax(dim=-1) @ value


def _distance(length):
    places = torch.arange(length)
    return places[:, None] - places


@wrong("window_attention")
def looks_back_only(query, key, value, width):
    distance = _distance(query.shape[1])
    return _masked(query, key, value, (distance < 0) | (distance > width))


@wrong("window_attention")
def one_place_less(query, key, value, width):
    return _masked(query, key, value, _distance(query.shape[1]).abs() > max(width - 1, 0))


@wrong("window_attention")
def blocks_beside_each_other(query, key, value, width):
    block = torch.arange(query.shape[1]) // (2 * width + 1)
    return _masked(query, key, value, block[:, None] != block)


@wrong("window_attention")
def window_without_scale(query, key, value, width):
    return _masked(
        query * math.sqrt(query.shape[-1]), key, value, _distance(query.shape[1]).abs() > width
    )


@wrong("window_attention", hidden=True)
def by_rolling(query, key, value, width):
    """Wraps around when the window is wider than the sentence."""
    length = query.shape[1]
    parts = []
    for shift in range(-width, width + 1):
        scores = (query * key.roll(shift, dims=1)).sum(dim=-1) / math.sqrt(query.shape[-1])
        places = torch.arange(length) - shift
        inside = (places >= 0) & (places < length) if abs(shift) < length else places >= -length
        parts.append(scores.masked_fill(~inside, -torch.inf))
    weights = torch.stack(parts, dim=-1).softmax(dim=-1)
    rolled = [value.roll(shift, dims=1) for shift in range(-width, width + 1)]
    return sum(weights[..., i, None] * v for i, v in enumerate(rolled))


@right("window_attention")
def query_by_query(query, key, value, width):
    rows = []
    for place in range(query.shape[1]):
        near = slice(max(place - width, 0), place + width + 1)
        scores = query[:, place, None] @ key[:, near].mT / math.sqrt(query.shape[-1])
        rows.append((scores.softmax(dim=-1) @ value[:, near])[:, 0])
    return torch.stack(rows, dim=1)


@wrong("chunked_attention")
def mean_of_chunks(query, key, value, chunk):
    pairs = zip(key.split(chunk, dim=1), value.split(chunk, dim=1), strict=True)
    none = torch.zeros(1, dtype=torch.bool)
    found = [_masked(query, k, v, none) for k, v in pairs]
    return sum(found) / len(found)


@wrong("chunked_attention")
def sums_not_scaled_down(query, key, value, chunk):
    total = output = 0
    for k, v in zip(key.split(chunk, dim=1), value.split(chunk, dim=1), strict=True):
        scores = query @ k.mT / math.sqrt(query.shape[-1])
        parts = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        total, output = total + parts.sum(dim=-1, keepdim=True), output + parts @ v
    return output / total


@wrong("chunked_attention")
def last_chunk_alone(query, key, value, chunk):
    return _masked(query, key[:, -chunk:], value[:, -chunk:], torch.zeros(1, dtype=torch.bool))


@wrong("chunked_attention", hidden=True)
def exponentials_as_they_are(query, key, value, chunk):
    total = output = 0
    for k, v in zip(key.split(chunk, dim=1), value.split(chunk, dim=1), strict=True):
        parts = (query @ k.mT / math.sqrt(query.shape[-1])).exp()
        total, output = total + parts.sum(dim=-1, keepdim=True), output + parts @ v
    return output / total


@wrong("chunked_attention", hidden=True)
def drops_the_rest(query, key, value, chunk):
    whole = max(key.shape[1] // chunk * chunk, min(chunk, key.shape[1]))
    return _masked(query, key[:, :whole], value[:, :whole], torch.zeros(1, dtype=torch.bool))


@right("chunked_attention")
def by_log_sums(query, key, value, chunk):
    logs, outputs = [], []
    for start in range(0, key.shape[1], chunk):
        scores = query @ key[:, start : start + chunk].mT / query.shape[-1] ** 0.5
        logs.append(scores.logsumexp(dim=-1))
        outputs.append(scores.softmax(dim=-1) @ value[:, start : start + chunk])
    weights = torch.stack(logs, dim=-1).softmax(dim=-1)  # (batch, query, chunks)
    return torch.einsum("bqc,cbqv->bqv", weights, torch.stack(outputs))


@wrong("linear_attention")
def not_divided(query, key, value):
    return (F.elu(query) + 1) @ ((F.elu(key) + 1).mT @ value)


@wrong("linear_attention")
def other_features(query, key, value):
    query, key = F.relu(query) + 0.01, F.relu(key) + 0.01
    return query @ (key.mT @ value) / (query @ key.sum(dim=1)[:, :, None])


@wrong("linear_attention")
def features_of_the_keys_alone(query, key, value):
    key = F.elu(key) + 1
    return query @ (key.mT @ value) / (query @ key.sum(dim=1)[:, :, None])


@wrong("linear_attention", hidden=True)
def divided_row_by_row(query, key, value):
    """Takes each query's own key for the sum over keys: right in shape if there are as many."""
    features, keys = F.elu(query) + 1, F.elu(key) + 1
    norm = torch.einsum("bqd,bqkd->bq", features, keys[:, None].expand(-1, keys.shape[1], -1, -1))
    return features @ (keys.mT @ value) / norm[..., None]


@right("linear_attention")
def with_all_weights(query, key, value):
    weights = (F.elu(query) + 1) @ (F.elu(key) + 1).mT
    return weights / weights.sum(dim=-1, keepdim=True) @ value


def _features(x):
    return F.elu(x) + 1


@wrong("linear_step")
def this_word_alone(state, query, key, value):
    return value, state


@wrong("linear_step")
def sees_earlier_words_only(state, query, key, value):
    query, key = _features(query), _features(key)
    outer = key[:, :, None] * value[:, None]
    if state is None:
        return value, (outer, key)
    output = (query[:, None] @ state[0])[:, 0] / (query * state[1]).sum(dim=-1, keepdim=True)
    return output, (state[0] + outer, state[1] + key)


@wrong("linear_step")
def sum_of_the_last_only(state, query, key, value):
    query, key = _features(query), _features(key)
    outer = key[:, :, None] * value[:, None]
    summed = outer if state is None else state[0] + outer
    return (query[:, None] @ summed)[:, 0] / (query * key).sum(dim=-1, keepdim=True), (summed,)


@wrong("linear_step", hidden=True)
def adds_in_place(state, query, key, value):
    query, key = _features(query), _features(key)
    outer = key[:, :, None] * value[:, None]
    if state is None:
        state = [torch.zeros_like(outer), torch.zeros_like(key)]
    state[0] += outer
    state[1] += key
    output = (query[:, None] @ state[0])[:, 0] / (query * state[1]).sum(dim=-1, keepdim=True)
    return output, state


@right("linear_step")
def one_matrix(state, query, key, value):
    """The norm is one more column of the values."""
    query, key = _features(query), _features(key)
    value = torch.cat([value, torch.ones(len(value), 1)], dim=-1)
    state = torch.einsum("bd,bv->bdv", key, value) + (0 if state is None else state)
    found = torch.einsum("bd,bdv->bv", query, state)
    return found[:, :-1] / found[:, -1:], state
