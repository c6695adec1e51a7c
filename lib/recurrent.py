"""Recurrent translators: the plain encoder–decoder, and Bahdanau's with attention.

One encoder serves both. The plain decoder sees the sentence through one fixed vector
(Cho et al. 2014); the attention decoder looks back at every encoder state at each step
(Bahdanau et al. 2015).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lib.attention import AdditiveScore, ProjectedDotScore, attend
from lib.text import Vocabulary
from lib.translator import Decoded, Memory, Translator, initialize

CELLS = {"gru": nn.GRU, "lstm": nn.LSTM}
ATTENTIONS = (None, "additive", "dot", "scaled_dot")
State = tuple[Float[Tensor, "layer batch hidden"], ...]  # (h,) of a GRU, (h, c) of an LSTM


@dataclass(frozen=True)
class RecurrentConfig:
    """Settings of a recurrent translator.

    Attributes:
        cell: "gru" or "lstm", in encoder and decoder alike.
        bidirectional: whether the encoder also reads the sentence from its end.
        attention: "additive", "dot", "scaled_dot", or None for the plain decoder.
        dropout: probability, on embeddings, between layers and before the output layer.
    """

    embedding_size: int = 128
    hidden_size: int = 128
    num_layers: int = 1
    cell: str = "gru"
    bidirectional: bool = True
    attention: str | None = "additive"
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("embedding_size", "hidden_size", "num_layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)} must be at least 1")
        if self.cell not in CELLS:
            raise ValueError(f"cell={self.cell!r} is unknown: choose one of {tuple(CELLS)}")
        if self.attention not in ATTENTIONS:
            raise ValueError(f"attention={self.attention!r} is unknown: choose one of {ATTENTIONS}")

    @property
    def states_size(self) -> int:
        """Width of an encoder state: both directions side by side."""
        return self.hidden_size * (2 if self.bidirectional else 1)


@dataclass
class RecurrentCache:
    """The decoder's hidden state after the tokens read so far, and the projected keys."""

    state: State
    keys: Float[Tensor, "batch source hidden"] | None

    def reorder(self, index: Int[Tensor, "rows"]) -> "RecurrentCache":
        """Keep row `index[i]` as row i, in place; returns itself."""
        self.state = tuple(state[:, index] for state in self.state)
        self.keys = None if self.keys is None else self.keys[index]
        return self


class RecurrentEncoder(nn.Module):
    """Reads a sentence in one or two directions; padding never enters a state."""

    def __init__(self, vocab_size: int, config: RecurrentConfig):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.rnn = CELLS[config.cell](
            config.embedding_size,
            config.hidden_size,
            config.num_layers,
            batch_first=True,
            bidirectional=config.bidirectional,
            dropout=config.dropout if config.num_layers > 1 else 0.0,
        )

    def forward(
        self, source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"]
    ) -> tuple[Float[Tensor, "batch source d_states"], State]:
        """All states of the top layer, and each layer's last state, directions side by side."""
        lengths = _lengths(mask)
        packed = pack_padded_sequence(
            self.dropout(self.embedding(source)), lengths, batch_first=True, enforce_sorted=False
        )
        output, final = self.rnn(packed)
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=source.shape[1])
        final = final if isinstance(final, tuple) else (final,)
        return states, tuple(self._join_directions(state) for state in final)

    def _join_directions(
        self, state: Float[Tensor, "layer_direction batch hidden"]
    ) -> Float[Tensor, "layer batch d_states"]:
        directions = 2 if self.rnn.bidirectional else 1
        return state.unflatten(0, (-1, directions)).transpose(1, 2).flatten(-2)


def _lengths(mask: Bool[Tensor, "batch source"]) -> Int[Tensor, "batch"]:
    """Number of real tokens in each row, on the CPU, where packing wants them."""
    mask = mask.cpu()
    lengths = mask.sum(dim=1)
    if not lengths.all() or (mask[:, 1:] & ~mask[:, :-1]).any():
        raise ValueError(
            "source_mask must be True for the first tokens of each sentence, at least one, and "
            "False for the padding after them; to hide a word, edit memory.mask instead"
        )
    return lengths


class Readout(nn.Module):
    """Logits from decoder state, input word and context (Bahdanau et al. 2015, A.2.2).

    The paper's maxout layer is a tanh here.
    """

    def __init__(self, vocab_size: int, context_size: int, config: RecurrentConfig):
        super().__init__()
        inputs = config.hidden_size + config.embedding_size + context_size
        self.hidden = nn.Linear(inputs, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(config.embedding_size, vocab_size)

    def forward(
        self,
        states: Float[Tensor, "batch target hidden"],
        embedded: Float[Tensor, "batch target embedding"],
        contexts: Float[Tensor, "batch target d_context"],
    ) -> Float[Tensor, "batch target vocab"]:
        hidden = torch.tanh(self.hidden(torch.cat([states, embedded, contexts], dim=-1)))
        return self.output(self.dropout(hidden))


def _decoder_rnn(config: RecurrentConfig, context_size: int) -> nn.GRU | nn.LSTM:
    return CELLS[config.cell](
        config.embedding_size + context_size,
        config.hidden_size,
        config.num_layers,
        batch_first=True,
        dropout=config.dropout if config.num_layers > 1 else 0.0,
    )


def _run(rnn: nn.Module, inputs: Tensor, state: State) -> tuple[Tensor, State]:
    """Run a GRU or an LSTM, whose states are a tensor and a pair, with a tuple for both."""
    if isinstance(rnn, nn.LSTM):
        return rnn(inputs, state)
    output, hidden = rnn(inputs, state[0])
    return output, (hidden,)


class RecurrentDecoder(nn.Module):
    """Sees the sentence only through one vector, the same at every step (Cho et al. 2014)."""

    def __init__(self, vocab_size: int, config: RecurrentConfig):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.rnn = _decoder_rnn(config, config.hidden_size)
        self.readout = Readout(vocab_size, config.hidden_size, config)

    def forward(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: RecurrentCache | None,
        need_weights: bool,
    ) -> Decoded:
        state = memory.initial if cache is None else cache.state
        embedded = self.dropout(self.embedding(target))
        summary = memory.initial[0][-1]  # (batch, hidden): all that is known of the source
        contexts = summary.unsqueeze(1).expand(-1, target.shape[1], -1)
        states, state = _run(self.rnn, torch.cat([embedded, contexts], dim=-1), state)
        return Decoded(
            self.readout(states, embedded, contexts), RecurrentCache(state, keys=None), {}
        )


class AttentionDecoder(nn.Module):
    """Looks back at the encoder's states before each step (Bahdanau et al. 2015, §3.1).

    Query: the top layer's state before the step. Keys and values: the encoder's states.
    """

    def __init__(self, vocab_size: int, config: RecurrentConfig):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.rnn = _decoder_rnn(config, config.states_size)
        self.readout = Readout(vocab_size, config.states_size, config)
        hidden, states = config.hidden_size, config.states_size
        if config.attention == "additive":
            self.score = AdditiveScore(hidden, states, hidden)
        else:
            self.score = ProjectedDotScore(hidden, states, scaled=config.attention == "scaled_dot")

    def forward(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: RecurrentCache | None,
        need_weights: bool,
    ) -> Decoded:
        if cache is None:
            cache = RecurrentCache(memory.initial, self.score.project_keys(memory.states))
        embedded = self.dropout(self.embedding(target))
        state, mask = cache.state, memory.mask.unsqueeze(1)
        steps = []
        for word in embedded.split(1, dim=1):  # each step's query needs the step before it
            query = state[0][-1].unsqueeze(1)  # (batch, 1, hidden)
            context, weights = attend(
                query,
                cache.keys,
                memory.states,
                mask,
                score=self.score.compare,
                need_weights=need_weights,
            )
            output, state = _run(self.rnn, torch.cat([word, context], dim=-1), state)
            steps.append((output, context, weights))
        outputs, contexts, weights = zip(*steps, strict=True)
        logits = self.readout(torch.cat(outputs, dim=1), embedded, torch.cat(contexts, dim=1))
        attention = {}
        if need_weights:
            attention["cross"] = torch.cat(weights, dim=1)[:, None, None]  # one layer, one head
        return Decoded(logits, RecurrentCache(state, cache.keys), attention)


class RecurrentTranslator(Translator):
    """Encoder, bridge and decoder; `config.attention` says which decoder."""

    def __init__(
        self,
        source_vocab: Vocabulary,
        target_vocab: Vocabulary,
        config: RecurrentConfig | None = None,
    ):
        super().__init__()
        self.source_vocab, self.target_vocab = source_vocab, target_vocab
        self.config = config = config or RecurrentConfig()
        self.encoder = RecurrentEncoder(len(source_vocab), config)
        parts = 2 if config.cell == "lstm" else 1  # h, and an LSTM's c
        self.bridge = nn.ModuleList(
            nn.Linear(config.states_size, config.hidden_size) for _ in range(parts)
        )
        decoder = RecurrentDecoder if config.attention is None else AttentionDecoder
        self.decoder = decoder(len(target_vocab), config)
        initialize(self)

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        *,
        need_weights: bool = False,
    ) -> Memory:
        """Read the sentences; the bridge turns the last states into the decoder's first."""
        states, final = self.encoder(source, source_mask)
        initial = tuple(
            torch.tanh(bridge(state)) for bridge, state in zip(self.bridge, final, strict=True)
        )
        return Memory(states, source_mask, {}, initial)

    def decode(
        self,
        target: Int[Tensor, "batch target"],
        memory: Memory,
        cache: RecurrentCache | None = None,
        *,
        need_weights: bool = False,
    ) -> Decoded:
        """See `Translator.decode`."""
        return self.decoder(target, memory, cache, need_weights)
