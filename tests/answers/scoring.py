"""Answers to assignment 1."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.answers import Answers

answers = Answers("1_scoring")
wrong, right = answers.wrong, answers.right

# ── mask_from_lengths ────────────────────────────────────────────────────────────────────


@wrong("mask_from_lengths")
def one_place_too_long(valid_lens, num_keys):
    return torch.arange(num_keys) <= valid_lens[..., None]


@wrong("mask_from_lengths")
def true_means_padding(valid_lens, num_keys):
    return torch.arange(num_keys) >= valid_lens[..., None]


@wrong("mask_from_lengths")
def first_query_for_all(valid_lens, num_keys):
    first = valid_lens if valid_lens.dim() == 1 else valid_lens[:, :1].expand_as(valid_lens)
    return torch.arange(num_keys) < first[..., None]


@wrong("mask_from_lengths", hidden=True)
def at_least_one_word(valid_lens, num_keys):
    return torch.arange(num_keys) < valid_lens.clamp(min=1)[..., None]


@right("mask_from_lengths")
def mask_in_loops(valid_lens, num_keys):
    flat = [[place < length for place in range(num_keys)] for length in valid_lens.flatten()]
    return torch.tensor(flat).reshape(*valid_lens.shape, num_keys)


@right("mask_from_lengths")
def mask_by_counting(lengths, n):
    return torch.ones(*lengths.shape, n).cumsum(dim=-1) <= lengths.unsqueeze(-1)


# ── masked_softmax ───────────────────────────────────────────────────────────────────────


@wrong("masked_softmax")
def scores_set_to_zero(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    return scores.masked_fill(~mask, 0.0).softmax(dim=-1)


@wrong("masked_softmax")
def weights_set_to_zero_alone(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    return scores.softmax(dim=-1) * mask


@wrong("masked_softmax")
def over_the_queries(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    return scores.masked_fill(~mask, -1e9).softmax(dim=1) * mask


@wrong("masked_softmax")
def writes_into_the_scores(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) * mask


@wrong("masked_softmax", hidden=True)
def minus_a_million(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    return scores.masked_fill(~mask, -1e6).softmax(dim=-1)


@wrong("masked_softmax", hidden=True)
def minus_infinity(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


@wrong("masked_softmax", hidden=True)
def exponentials_by_hand(scores, valid_lens=None):
    if valid_lens is None:
        return scores.softmax(dim=-1)
    lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
    mask = torch.arange(scores.shape[-1]) < lengths[..., None]
    parts = scores.exp() * mask
    return parts / parts.sum(dim=-1, keepdim=True).clamp(min=1e-9)


@right("masked_softmax")
def softmax_in_loops(scores, valid_lens=None):
    batch, queries, keys = scores.shape
    weights = torch.zeros(batch, queries, keys)
    for b in range(batch):
        for q in range(queries):
            n = (
                keys
                if valid_lens is None
                else int(valid_lens[b] if valid_lens.dim() == 1 else valid_lens[b, q])
            )
            weights[b, q, :n] = scores[b, q, :n].softmax(dim=-1)
    return weights


@right("masked_softmax")
def infinity_mended(s, lens=None):
    if lens is None:
        return F.softmax(s, -1)
    lens = lens.reshape(len(s), -1, 1)
    bad = torch.arange(s.size(2)).ge(lens)
    return F.softmax(s.masked_fill(bad, -math.inf), -1).nan_to_num(0.0)


# ── attention ────────────────────────────────────────────────────────────────────────────


@wrong("attention")
def not_scaled(query, key, value, valid_lens=None):
    weights = masked_softmax(query @ key.mT, valid_lens)
    return weights @ value, weights


@wrong("attention")
def divided_by_d(query, key, value, valid_lens=None):
    weights = masked_softmax(query @ key.mT / query.shape[-1], valid_lens)
    return weights @ value, weights


@wrong("attention")
def scaled_by_the_number_of_keys(query, key, value, valid_lens=None):
    weights = masked_softmax(query @ key.mT / math.sqrt(key.shape[1]), valid_lens)
    return weights @ value, weights


@wrong("attention")
def output_without_the_mask(query, key, value, valid_lens=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.softmax(dim=-1) @ value, masked_softmax(scores, valid_lens)


@wrong("attention", hidden=True)
def infinite_scores_of_its_own(query, key, value, valid_lens=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if valid_lens is not None:
        lengths = valid_lens if valid_lens.dim() == 2 else valid_lens[:, None]
        places = torch.arange(scores.shape[-1])
        scores = scores.masked_fill(places >= lengths[..., None], -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@right("attention")
def attention_by_einsum(q, k, v, valid_lens=None):
    scores = torch.einsum("bqd,bkd->bqk", q, k) * q.size(-1) ** -0.5
    weights = masked_softmax(scores, valid_lens)
    return torch.einsum("bqk,bkv->bqv", weights, v), weights


# ── AdditiveScore ────────────────────────────────────────────────────────────────────────


class _Layers(nn.Module):
    def __init__(self, query_size, key_size, hidden_size):
        super().__init__()
        self.query_projection = nn.Linear(query_size, hidden_size, bias=False)
        self.key_projection = nn.Linear(key_size, hidden_size, bias=False)
        self.v = nn.Linear(hidden_size, 1, bias=False)


@wrong("AdditiveScore")
class NoTanh(_Layers):
    def forward(self, query, key):
        query, key = self.query_projection(query)[:, :, None], self.key_projection(key)[:, None]
        return self.v(query + key).squeeze(-1)


@wrong("AdditiveScore")
class TanhBeforeTheSum(_Layers):
    def forward(self, query, key):
        query, key = self.query_projection(query)[:, :, None], self.key_projection(key)[:, None]
        return self.v(query.tanh() + key.tanh()).squeeze(-1)


@wrong("AdditiveScore")
class TanhAfterV(_Layers):
    def forward(self, query, key):
        query, key = self.query_projection(query)[:, :, None], self.key_projection(key)[:, None]
        return self.v(query + key).squeeze(-1).tanh()


@wrong("AdditiveScore", hidden=True)
class SqueezesEverything(_Layers):
    def forward(self, query, key):
        query, key = self.query_projection(query)[:, :, None], self.key_projection(key)[:, None]
        return self.v(torch.tanh(query + key)).squeeze()


@right("AdditiveScore")
class OneQueryAtATime(_Layers):
    def forward(self, query, key):
        keys = self.key_projection(key)
        rows = [
            self.v(torch.tanh(self.query_projection(q)[:, None] + keys)) for q in query.unbind(1)
        ]
        return torch.cat(rows, dim=-1).transpose(1, 2)


# ── split_heads, join_heads ──────────────────────────────────────────────────────────────


@wrong("split_heads")
def reshaped_at_once(x, num_heads):
    batch, length, d_model = x.shape
    return x.reshape(batch, num_heads, length, d_model // num_heads)


@wrong("split_heads")
def every_other_number(x, num_heads):
    batch, length, d_model = x.shape
    return x.reshape(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong("split_heads")
def heads_in_reverse(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1)[::-1], dim=1)


@wrong("split_heads", hidden=True)
def four_numbers_to_a_head(x, num_heads):
    return torch.stack([x[..., 4 * h : 4 * h + 4] for h in range(num_heads)], dim=1)


@wrong("split_heads", hidden=True)
def squeezes_the_batch(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1).squeeze()


@right("split_heads")
def by_chunks(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@wrong("join_heads")
def joined_without_moving(x):
    batch, heads, length, d_head = x.shape
    return x.reshape(batch, length, heads * d_head)


@wrong("join_heads")
def numbers_alternate(x):
    batch, heads, length, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(batch, length, heads * d_head)


@wrong("join_heads")
def last_head_first(x):
    return torch.cat(x.flip(1).unbind(1), dim=-1)


@wrong("join_heads", hidden=True)
def drops_single_axes(x):
    return torch.cat([head.squeeze() for head in x.unbind(1)], dim=-1)


@right("join_heads")
def heads_concatenated(x):
    return torch.cat(x.unbind(1), dim=-1)


# ── multi_head ───────────────────────────────────────────────────────────────────────────


@wrong("multi_head")
def scaled_by_d_model(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    q, k, v = query @ w_q.T, key @ w_k.T, value @ w_v.T
    heads = []
    for a, b, c in zip(*(x.chunk(num_heads, -1) for x in (q, k, v)), strict=True):
        scores = a @ b.mT / math.sqrt(query.shape[-1])
        heads.append(masked_softmax(scores, valid_lens) @ c)
    return torch.cat(heads, dim=-1) @ w_o.T


@wrong("multi_head")
def matrices_transposed(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    q, k, v = query @ w_q, key @ w_k, value @ w_v
    heads = []
    for a, b, c in zip(*(x.chunk(num_heads, -1) for x in (q, k, v)), strict=True):
        heads.append(attention(a, b, c, valid_lens)[0])
    return torch.cat(heads, dim=-1) @ w_o


@wrong("multi_head")
def no_last_projection(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    q, k, v = query @ w_q.T, key @ w_k.T, value @ w_v.T
    heads = []
    for a, b, c in zip(*(x.chunk(num_heads, -1) for x in (q, k, v)), strict=True):
        heads.append(attention(a, b, c, valid_lens)[0])
    return torch.cat(heads, dim=-1)


@wrong("multi_head")
def lengths_repeated_in_the_wrong_order(
    query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None
):
    parts = [
        split_heads(x, num_heads).flatten(0, 1) for x in (query @ w_q.T, key @ w_k.T, value @ w_v.T)
    ]
    if valid_lens is not None:
        valid_lens = valid_lens.repeat(num_heads)
    heads = attention(*parts, valid_lens)[0]
    return join_heads(heads.unflatten(0, (-1, num_heads))) @ w_o.T


@wrong("multi_head", hidden=True)
def one_length_for_all_queries(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    if valid_lens is not None and valid_lens.dim() == 2:
        valid_lens = valid_lens[:, 0]
    q, k, v = query @ w_q.T, key @ w_k.T, value @ w_v.T
    heads = []
    for a, b, c in zip(*(x.chunk(num_heads, -1) for x in (q, k, v)), strict=True):
        heads.append(attention(a, b, c, valid_lens)[0])
    return torch.cat(heads, dim=-1) @ w_o.T


@right("multi_head")
def folded_into_the_batch(query, key, value, w_q, w_k, w_v, w_o, num_heads, valid_lens=None):
    q, k, v = (F.linear(x, w) for x, w in ((query, w_q), (key, w_k), (value, w_v)))
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flatten(0, 1) for x in (q, k, v))
    if valid_lens is not None:
        valid_lens = valid_lens.repeat_interleave(num_heads, dim=0)
    weights = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, valid_lens)
    heads = (weights @ v).unflatten(0, (-1, num_heads))
    return F.linear(heads.transpose(1, 2).flatten(-2), w_o)
