"""The Transformer (Vaswani et al. 2017): positions, blocks, encoder, decoder."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, causal_mask
from lib.text import Vocabulary
from lib.translator import Decoded, Memory, Translator, initialize

HeadMasks = dict[str, Bool[Tensor, "layer head"]]  # False removes a head


@dataclass(frozen=True)
class TransformerConfig:
    """Settings of a Transformer.

    Attributes:
        dropout: probability, on embeddings, attention weights, inside the feed-forward
            network and on the output of each sublayer.
        norm_first: normalise before each sublayer (Xiong et al. 2020) rather than after it, as
            the original paper does.
        scoring: "scaled_dot", "dot" or "additive".
    """

    d_model: int = 128
    num_heads: int = 4
    num_encoder_layers: int = 2
    num_decoder_layers: int = 2
    d_ff: int = 256
    dropout: float = 0.1
    norm_first: bool = False
    scoring: str = "scaled_dot"

    def __post_init__(self) -> None:
        for name in ("d_model", "d_ff", "num_encoder_layers", "num_decoder_layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 1")


# ── parts ────────────────────────────────────────────────────────────────────────────────


def sinusoidal_positions(
    length: int, d_model: int, offset: int = 0, device: torch.device | str | None = None
) -> Float[Tensor, "{length} {d_model}"]:
    """Sine and cosine of each position at falling frequencies (Vaswani et al. 2017, §3.5).

    Even columns are sines, odd columns cosines; column 2i and 2i+1 turn by 10000^(-2i/d_model)
    radians a position. The first row is position `offset`.
    """
    position = torch.arange(offset, offset + length, device=device, dtype=torch.float32)
    column = torch.arange(0, d_model, 2, device=device, dtype=torch.float32)
    angle = position[:, None] * torch.exp(column * (-math.log(10_000) / d_model))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)[:, :d_model]


class TokenEmbedding(nn.Module):
    """√d_model times the token's embedding, plus its position (Vaswani et al. 2017, §3.4–3.5)."""

    def __init__(self, vocab_size: int, config: TransformerConfig):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, tokens: Int[Tensor, "batch length"], offset: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """`offset` is the position of the first token: not 0 when a cache holds earlier ones."""
        embedded = self.embedding(tokens)
        length, d_model = embedded.shape[1:]
        positions = sinusoidal_positions(length, d_model, offset, embedded.device)
        return self.dropout(math.sqrt(d_model) * embedded + positions)


class FeedForward(nn.Module):
    """Two layers with a ReLU between them, the same at every position (ibid., eq. 2)."""

    def __init__(self, d_model: int, d_ff: int, dropout: float):
        super().__init__()
        self.hidden = nn.Linear(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_ff, d_model)

    def forward(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        return self.output(self.dropout(torch.relu(self.hidden(x))))


class AddNorm(nn.Module):
    """The residual connection and layer normalisation around a sublayer f.

    After it, LayerNorm(x + f(x)), as in the paper; or before it, x + f(LayerNorm(x)).
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.norm_first = config.norm_first

    def before(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        """What the sublayer gets."""
        return self.norm(x) if self.norm_first else x

    def after(
        self,
        x: Float[Tensor, "batch length d_model"],
        output: Float[Tensor, "batch length d_model"],
    ) -> Float[Tensor, "batch length d_model"]:
        """What goes on, given the sublayer's output."""
        x = x + self.dropout(output)
        return x if self.norm_first else self.norm(x)


def _attention(config: TransformerConfig) -> MultiHeadAttention:
    return MultiHeadAttention(
        config.d_model, config.num_heads, scoring=config.scoring, dropout=config.dropout
    )


def _last_norm(config: TransformerConfig) -> nn.Module:
    """Pre-norm blocks leave their sum unnormalised, so a stack of them ends in one more norm."""
    return nn.LayerNorm(config.d_model) if config.norm_first else nn.Identity()


# ── encoder ──────────────────────────────────────────────────────────────────────────────


class EncoderBlock(nn.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attention = _attention(config)
        self.add_norm1 = AddNorm(config)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout)
        self.add_norm2 = AddNorm(config)

    def forward(
        self,
        x: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "batch source"],
        *,
        need_weights: bool = False,
        head_mask: Bool[Tensor, "head"] | None = None,
    ) -> tuple[
        Float[Tensor, "batch source d_model"], Float[Tensor, "batch head source source"] | None
    ]:
        y = self.add_norm1.before(x)
        output, weights = self.attention(
            y, y, y, mask.unsqueeze(1), need_weights=need_weights, head_mask=head_mask
        )
        x = self.add_norm1.after(x, output)
        x = self.add_norm2.after(x, self.feed_forward(self.add_norm2.before(x)))
        return x, weights


class TransformerEncoder(nn.Module):
    """Embeds a sentence and lets its words look at one another, block by block."""

    def __init__(self, vocab_size: int, config: TransformerConfig):
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, config)
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in range(config.num_encoder_layers))
        self.norm = _last_norm(config)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        *,
        need_weights: bool = False,
        head_mask: Bool[Tensor, "layer head"] | None = None,
    ) -> Memory:
        x = self.embedding(source)
        weights = []
        for layer, block in enumerate(self.blocks):
            heads = None if head_mask is None else head_mask[layer]
            x, w = block(x, mask, need_weights=need_weights, head_mask=heads)
            weights.append(w)
        attention = {"encoder": torch.stack(weights, dim=1)} if need_weights else {}
        return Memory(self.norm(x), mask, attention)


# ── decoder ──────────────────────────────────────────────────────────────────────────────


class BlockCache(NamedTuple):
    """Projected keys and values of one decoder block."""

    key: Float[Tensor, "batch head target d_head"]
    value: Float[Tensor, "batch head target d_head"]
    cross_key: Float[Tensor, "batch head source d_head"]
    cross_value: Float[Tensor, "batch head source d_head"]


@dataclass
class TransformerCache:
    """What the decoder keeps of the tokens it has read: keys and values, not the tokens.

    The keys and values of the source, which never change, are computed once and kept too.
    """

    blocks: list[BlockCache]

    @property
    def length(self) -> int:
        """Number of target tokens read so far."""
        return self.blocks[0].key.shape[2]

    def reorder(self, index: Int[Tensor, "rows"]) -> "TransformerCache":
        """Keep row `index[i]` as row i, in place; returns itself."""
        self.blocks = [BlockCache(*(part[index] for part in block)) for block in self.blocks]
        return self


class DecoderBlock(nn.Module):
    """Causal self-attention, attention over the source, then the feed-forward network."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = _attention(config)
        self.add_norm1 = AddNorm(config)
        self.cross_attention = _attention(config)
        self.add_norm2 = AddNorm(config)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout)
        self.add_norm3 = AddNorm(config)

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        causal: Bool[Tensor, "target keys"],
        memory: Memory,
        cache: BlockCache | None = None,
        *,
        need_weights: bool = False,
        self_head_mask: Bool[Tensor, "head"] | None = None,
        cross_head_mask: Bool[Tensor, "head"] | None = None,
    ) -> tuple[
        Float[Tensor, "batch target d_model"],
        BlockCache,
        Float[Tensor, "batch head target keys"] | None,
        Float[Tensor, "batch head target source"] | None,
    ]:
        """`x` holds the new tokens alone; the earlier ones are in the cache."""
        y = self.add_norm1.before(x)
        key, value = self.self_attention.project_keys_values(y, y)
        if cache is None:
            source = memory.states
            cross = self.cross_attention.project_keys_values(source, source)
        else:
            key = torch.cat([cache.key, key], dim=2)
            value = torch.cat([cache.value, value], dim=2)
            cross = cache.cross_key, cache.cross_value
        output, self_weights = self.self_attention.attend_projected(
            y, key, value, causal[None], need_weights=need_weights, head_mask=self_head_mask
        )
        x = self.add_norm1.after(x, output)

        output, cross_weights = self.cross_attention.attend_projected(
            self.add_norm2.before(x),
            *cross,
            memory.mask.unsqueeze(1),
            need_weights=need_weights,
            head_mask=cross_head_mask,
        )
        x = self.add_norm2.after(x, output)
        x = self.add_norm3.after(x, self.feed_forward(self.add_norm3.before(x)))
        return x, BlockCache(key, value, *cross), self_weights, cross_weights


class TransformerDecoder(nn.Module):
    """Predicts each next word from the words before it and from the source."""

    def __init__(self, vocab_size: int, config: TransformerConfig):
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, config)
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.num_decoder_layers))
        self.norm = _last_norm(config)
        self.output = nn.Linear(config.d_model, vocab_size)

    def forward(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: TransformerCache | None = None,
        *,
        need_weights: bool = False,
        head_masks: HeadMasks | None = None,
    ) -> Decoded:
        read = 0 if cache is None else cache.length
        x = self.embedding(target, offset=read)
        causal = causal_mask(target.shape[1], offset=read, device=target.device)
        head_masks = head_masks or {}
        blocks, weights = [], {"decoder": [], "cross": []}
        for layer, block in enumerate(self.blocks):
            self_heads, cross_heads = (
                head_masks[kind][layer] if kind in head_masks else None
                for kind in ("decoder", "cross")
            )
            x, kept, self_weights, cross_weights = block(
                x,
                causal,
                memory,
                None if cache is None else cache.blocks[layer],
                need_weights=need_weights,
                self_head_mask=self_heads,
                cross_head_mask=cross_heads,
            )
            blocks.append(kept)
            weights["decoder"].append(self_weights)
            weights["cross"].append(cross_weights)
        attention = {}
        if need_weights:
            attention = {kind: torch.stack(layers, dim=1) for kind, layers in weights.items()}
        return Decoded(self.output(self.norm(x)), TransformerCache(blocks), attention)


class Transformer(Translator):
    """Encoder and decoder, each as deep as its setting says.

    Attributes:
        head_masks: heads to leave out, e.g. {"encoder": mask, "cross": mask} with one boolean
            per layer and head; {} (all heads at work) unless you set it.
    """

    def __init__(
        self,
        source_vocab: Vocabulary,
        target_vocab: Vocabulary,
        config: TransformerConfig | None = None,
    ):
        super().__init__()
        self.source_vocab, self.target_vocab = source_vocab, target_vocab
        self.config = config = config or TransformerConfig()
        self.encoder = TransformerEncoder(len(source_vocab), config)
        self.decoder = TransformerDecoder(len(target_vocab), config)
        self.head_masks: HeadMasks = {}
        initialize(self)

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        *,
        need_weights: bool = False,
    ) -> Memory:
        """See `Translator.encode`."""
        return self.encoder(
            source,
            source_mask,
            need_weights=need_weights,
            head_mask=self.head_masks.get("encoder"),
        )

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: TransformerCache | None = None,
        *,
        need_weights: bool = False,
    ) -> Decoded:
        """See `Translator.decode`."""
        return self.decoder(
            target, memory, cache, need_weights=need_weights, head_masks=self.head_masks
        )
