"""Attention: masks, scoring functions, one head, many heads.

A mask is boolean and True means "may attend", as in `F.scaled_dot_product_attention`.
(`nn.MultiheadAttention` has it the other way round: there True means "may not".)
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Attended(NamedTuple):
    """What attention read, and where it looked.

    Attributes:
        output: for each query the weighted average of the values.
        weights: before dropout, so that every row sums to one; None if not asked for.
    """

    output: Float[Tensor, "*batch query d_value"]
    weights: Float[Tensor, "*batch query key"] | None


# ── masks ────────────────────────────────────────────────────────────────────────────────


def mask_from_lengths(
    valid_lens: Int[Tensor, "*batch"], num_keys: int
) -> Bool[Tensor, "*batch {num_keys}"]:
    """True for the first `valid_lens` of `num_keys` places: how textbooks state their masks.

    One length a sentence gives (batch, key); insert the query axis with `[:, None]`.
    One length a query gives (batch, query, key).
    """
    return torch.arange(num_keys, device=valid_lens.device) < valid_lens.unsqueeze(-1)


def causal_mask(
    num_queries: int, offset: int = 0, device: torch.device | str | None = None
) -> Bool[Tensor, "{num_queries} {num_queries}+{offset}"]:
    """True where the key is no later than the query (Vaswani et al. 2017, §3.2.3).

    `offset` keys stand before the first query: those that a decoder has in its cache.
    """
    keys = torch.arange(offset + num_queries, device=device)
    return keys <= keys[offset:, None]


def masked_softmax(
    scores: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query key"] | None = None,
) -> Float[Tensor, "*batch query key"]:
    """Softmax over the keys that may be attended to; the others get exactly zero.

    A row with no such key is all zeros, never NaN. The caller's scores stay as they were.
    """
    if mask is None:
        return scores.softmax(dim=-1)
    _refuse_non_boolean(mask)
    lowest = torch.finfo(scores.dtype).min  # not -inf: a row of -inf would give NaN
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)


def _refuse_non_boolean(mask: Tensor) -> None:
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask has dtype {mask.dtype}, but a mask is boolean (True = may attend): "
            "make one with mask_from_lengths, causal_mask or mask.bool()"
        )


# ── scoring functions ────────────────────────────────────────────────────────────────────


def dot_scores(
    query: Float[Tensor, "*batch query d_head"], key: Float[Tensor, "*#batch key d_head"]
) -> Float[Tensor, "*batch query key"]:
    """query · key (Luong et al. 2015, eq. 8, "dot")."""
    return query @ key.mT


def scaled_dot_scores(
    query: Float[Tensor, "*batch query d_head"], key: Float[Tensor, "*#batch key d_head"]
) -> Float[Tensor, "*batch query key"]:
    """query · key / √d_head (Vaswani et al. 2017, eq. 1)."""
    return dot_scores(query, key) / math.sqrt(query.shape[-1])


class AdditiveScore(nn.Module):
    """vᵀ tanh(W_q query + W_k key): Bahdanau et al. 2015, appendix A.1.2.

    Queries and keys may differ in size.
    """

    def __init__(self, query_size: int, key_size: int, hidden_size: int):
        super().__init__()
        self.query_projection = nn.Linear(query_size, hidden_size, bias=False)
        self.key_projection = nn.Linear(key_size, hidden_size, bias=False)
        self.v = nn.Linear(hidden_size, 1, bias=False)

    def project_keys(
        self, key: Float[Tensor, "*batch key d_key"]
    ) -> Float[Tensor, "*batch key hidden"]:
        """W_k key: the same for every query, so a decoder computes it once per sentence."""
        return self.key_projection(key)

    def compare(
        self,
        query: Float[Tensor, "*batch query d_query"],
        projected_key: Float[Tensor, "*#batch key hidden"],
    ) -> Float[Tensor, "*batch query key"]:
        """The score, given keys that `project_keys` has already been over."""
        query = self.query_projection(query)
        features = torch.tanh(query.unsqueeze(-2) + projected_key.unsqueeze(-3))
        return self.v(features).squeeze(-1)  # features: (*batch, query, key, hidden)

    def forward(
        self, query: Float[Tensor, "*batch query d_query"], key: Float[Tensor, "*#batch key d_key"]
    ) -> Float[Tensor, "*batch query key"]:
        return self.compare(query, self.project_keys(key))


class ProjectedDotScore(nn.Module):
    """query · W key, scaled or not (Luong et al. 2015, eq. 8, "general").

    The projection lets queries and keys differ in size.
    """

    def __init__(self, query_size: int, key_size: int, *, scaled: bool = True):
        super().__init__()
        self.key_projection = nn.Linear(key_size, query_size, bias=False)
        self.compare = scaled_dot_scores if scaled else dot_scores

    def project_keys(
        self, key: Float[Tensor, "*batch key d_key"]
    ) -> Float[Tensor, "*batch key d_query"]:
        """W key: the same for every query, so a decoder computes it once per sentence."""
        return self.key_projection(key)

    def forward(
        self, query: Float[Tensor, "*batch query d_query"], key: Float[Tensor, "*#batch key d_key"]
    ) -> Float[Tensor, "*batch query key"]:
        return self.compare(query, self.project_keys(key))


# ── attention ────────────────────────────────────────────────────────────────────────────

Score = Callable[[Tensor, Tensor], Tensor]


def attend(
    query: Float[Tensor, "*batch query d_query"],
    key: Float[Tensor, "*batch key d_key"],
    value: Float[Tensor, "*batch key d_value"],
    mask: Bool[Tensor, "*#batch #query key"] | None = None,
    *,
    score: Score = scaled_dot_scores,
    dropout: float = 0.0,
    need_weights: bool = False,
) -> Attended:
    """Average `value` with weights softmax(score(query, key)) (Vaswani et al. 2017, eq. 1).

    `dropout` is the probability with which a weight is dropped: pass 0 in evaluation.
    The weights are written out only if they are asked for, or if `score` has no fused kernel.
    """
    if score in (scaled_dot_scores, dot_scores) and not need_weights:
        scale = 1.0 if score is dot_scores else None  # None: 1/√d
        return Attended(_fused(query, key, value, mask, dropout, scale), None)
    weights = masked_softmax(score(query, key), mask)
    output = F.dropout(weights, dropout, training=dropout > 0) @ value
    return Attended(output, weights if need_weights else None)


def _fused(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout: float,
    scale: float | None,
) -> Tensor:
    """The same average in one kernel, which never writes out the (query, key) matrix."""
    if mask is None:
        return F.scaled_dot_product_attention(query, key, value, dropout_p=dropout, scale=scale)
    _refuse_non_boolean(mask)
    somewhere = mask.any(dim=-1, keepdim=True)  # kernels disagree on rows with nothing to see
    output = F.scaled_dot_product_attention(
        query, key, value, mask | ~somewhere, dropout_p=dropout, scale=scale
    )
    return output.masked_fill(~somewhere, 0.0)


SCORINGS = ("scaled_dot", "dot", "additive")


class MultiHeadAttention(nn.Module):
    """Attention in `num_heads` subspaces at once (Vaswani et al. 2017, §3.2.2).

    The projections are matrices without bias, as in the paper.

    Raises:
        ValueError: `d_model` cannot be shared out among the heads, or `scoring` is unknown.
    """

    def __init__(
        self, d_model: int, num_heads: int, *, scoring: str = "scaled_dot", dropout: float = 0.0
    ):
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not a multiple of num_heads={num_heads}")
        if scoring not in SCORINGS:
            raise ValueError(f"scoring={scoring!r} is unknown: choose one of {SCORINGS}")
        self.num_heads = num_heads
        self.dropout = dropout
        self.query_projection = nn.Linear(d_model, d_model, bias=False)
        self.key_projection = nn.Linear(d_model, d_model, bias=False)
        self.value_projection = nn.Linear(d_model, d_model, bias=False)
        self.output_projection = nn.Linear(d_model, d_model, bias=False)
        d_head = d_model // num_heads
        if scoring == "additive":  # one scorer serves all heads: each has its own projections
            self.score = AdditiveScore(d_head, d_head, d_head)
        else:
            self.score = scaled_dot_scores if scoring == "scaled_dot" else dot_scores

    def split(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch heads length d_head"]:
        """Cut each vector into one piece per head."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def join(
        self, x: Float[Tensor, "batch heads length d_head"]
    ) -> Float[Tensor, "batch length d_model"]:
        """Put the heads' pieces back side by side."""
        return x.transpose(1, 2).flatten(-2)

    def project_keys_values(
        self,
        key: Float[Tensor, "batch key d_model"],
        value: Float[Tensor, "batch key d_model"],
    ) -> tuple[Float[Tensor, "batch heads key d_head"], Float[Tensor, "batch heads key d_head"]]:
        """Keys and values, head by head: what a decoder keeps in its cache."""
        return self.split(self.key_projection(key)), self.split(self.value_projection(value))

    def attend_projected(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch heads key d_head"],
        value: Float[Tensor, "batch heads key d_head"],
        mask: Bool[Tensor, "#batch #query key"] | None = None,
        *,
        need_weights: bool = False,
        head_mask: Bool[Tensor, "heads"] | None = None,
    ) -> Attended:
        """As `forward`, with keys and values that `project_keys_values` has been over."""
        attended = attend(
            self.split(self.query_projection(query)),
            key,
            value,
            None if mask is None else mask.unsqueeze(1),  # the same for every head
            score=self.score,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        heads = attended.output  # (batch, heads, query, d_head)
        if head_mask is not None:
            heads = heads * head_mask[:, None, None]
        return Attended(self.output_projection(self.join(heads)), attended.weights)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch key d_model"],
        value: Float[Tensor, "batch key d_model"],
        mask: Bool[Tensor, "#batch #query key"] | None = None,
        *,
        need_weights: bool = False,
        head_mask: Bool[Tensor, "heads"] | None = None,
    ) -> Attended:
        """Attend with every head; `head_mask` is False for the heads to be left out."""
        key, value = self.project_keys_values(key, value)
        return self.attend_projected(
            query, key, value, mask, need_weights=need_weights, head_mask=head_mask
        )
