"""The one interface of every model in the course, recurrent or Transformer.

Training, decoding, pictures and experiments use only what stands here, so each is written once.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lib.text import Vocabulary


@runtime_checkable
class Cache(Protocol):
    """What a decoder remembers of the tokens it has read, so that it reads each token once."""

    def reorder(self, index: Int[Tensor, "rows"]) -> "Cache":
        """Keep row `index[i]` as row i (beam search), in place; returns the cache itself."""
        ...


class Memory(NamedTuple):
    """A source sentence as the decoder sees it.

    Attributes:
        states: the encoder's output, one vector per source token.
        mask: True where the decoder may attend. Hide a word by setting its place to False.
        attention: {"encoder": weights} if they were asked for, else {}.
        initial: the decoder's first hidden state, layer by layer (recurrent models only).
    """

    states: Float[Tensor, "batch source d_states"]
    mask: Bool[Tensor, "batch source"]
    attention: dict[str, Float[Tensor, "batch layer head source source"]]
    initial: tuple[Float[Tensor, "layer batch hidden"], ...] = ()

    def reorder(self, index: Int[Tensor, "rows"]) -> "Memory":
        """Sentence `index[i]` as row i; an index may occur several times (one row per beam)."""
        return Memory(
            self.states[index],
            self.mask[index],
            {kind: weights[index] for kind, weights in self.attention.items()},
            tuple(state[:, index] for state in self.initial),
        )


class Decoded(NamedTuple):
    """What a decoder says about each target position.

    Attributes:
        logits: unnormalised log-probabilities of the token that follows each position.
        cache: give it back to `decode` together with the next tokens only.
        attention: {"decoder": …, "cross": …} if asked for, else {}; a recurrent model has
            "cross" alone, and without attention nothing at all.
    """

    logits: Float[Tensor, "batch target vocab"]
    cache: Cache
    attention: dict[str, Float[Tensor, "batch layer head target key"]]


class Translator(nn.Module):
    """A model that reads a source sentence and predicts its translation token by token."""

    source_vocab: Vocabulary
    target_vocab: Vocabulary

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        *,
        need_weights: bool = False,
    ) -> Memory:
        """Read the source sentences, once each."""
        raise NotImplementedError

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: Cache | None = None,
        *,
        need_weights: bool = False,
    ) -> Decoded:
        """Predict what follows each target token.

        Without a cache, `target` begins with <bos>. With the cache of an earlier call,
        `target` holds only the tokens that have come since.
        """
        raise NotImplementedError

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target: Int[Tensor, "batch target"],
        *,
        need_weights: bool = False,
    ) -> Decoded:
        """Teacher forcing: encode, then decode the whole target at once."""
        memory = self.encode(source, source_mask, need_weights=need_weights)
        decoded = self.decode(target, memory, need_weights=need_weights)
        return decoded._replace(attention=memory.attention | decoded.attention)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation mode and no gradients inside; afterwards each part is in the mode it was in."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():  # inference_mode's tensors could not enter a later gradient
            yield
    finally:
        for module, mode in modes:
            module.training = mode


@torch.no_grad()
def initialize(model: nn.Module) -> None:
    """Draw every weight of the model afresh, gate by gate, layer by layer.

    Matrices: Xavier uniform (Glorot & Bengio 2010), each gate of a recurrent layer on its own,
    since the gates are stacked into one matrix only for speed. Embeddings: normal with standard
    deviation 1/√d, so that √d times an embedding has unit variance. Biases: zero.
    Normalisation layers start as the identity.
    """
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=1 / math.sqrt(module.embedding_dim))
        elif not isinstance(module, nn.LayerNorm):
            gates = {nn.GRU: 3, nn.LSTM: 4}.get(type(module), 1)
            for parameter in module.parameters(recurse=False):
                if parameter.dim() == 1:
                    nn.init.zeros_(parameter)
                else:
                    for gate in parameter.chunk(gates):
                        nn.init.xavier_uniform_(gate)
