"""Answers to assignment 2."""

import math

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lib.attention import AdditiveScore, attend, mask_from_lengths, masked_softmax
from tests.answers import Answers

answers = Answers("2_bahdanau")
wrong, right = answers.wrong, answers.right

# ── DecoderStep ──────────────────────────────────────────────────────────────────────────


class _StepLayers(nn.Module):
    def __init__(self, embedding_size, hidden_size, states_size):
        super().__init__()
        self.score = AdditiveScore(hidden_size, states_size, hidden_size)
        self.rnn = nn.GRUCell(embedding_size + states_size, hidden_size)

    def look(self, state, states, valid_lens):
        mask = mask_from_lengths(valid_lens, states.shape[1])[:, None]
        weights = masked_softmax(self.score(state[:, None], states), mask)
        return (weights @ states)[:, 0], weights[:, 0]


@wrong("DecoderStep")
class LooksAtPadding(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        weights = self.score(state[:, None], states).softmax(dim=-1)
        context = (weights @ states)[:, 0]
        return self.rnn(torch.cat([word, context], dim=-1), state), context, weights[:, 0]


@wrong("DecoderStep")
class ContextBeforeWord(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        context, weights = self.look(state, states, valid_lens)
        return self.rnn(torch.cat([context, word], dim=-1), state), context, weights


@wrong("DecoderStep")
class AsksWithTheNewState(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        context, _ = self.look(state, states, valid_lens)
        state = self.rnn(torch.cat([word, context], dim=-1), state)
        context, weights = self.look(state, states, valid_lens)
        return state, context, weights


@wrong("DecoderStep")
class ForgetsTheState(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        context, weights = self.look(state, states, valid_lens)
        return self.rnn(torch.cat([word, context], dim=-1)), context, weights


@wrong("DecoderStep", hidden=True)
class SqueezesTheBatch(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        mask = mask_from_lengths(valid_lens, states.shape[1])[:, None]
        weights = masked_softmax(self.score(state[:, None], states), mask).squeeze()
        context = torch.einsum("bs,bsd->bd", weights, states)
        return self.rnn(torch.cat([word, context], dim=-1), state), context, weights


@right("DecoderStep")
class OneSentenceAtATime(_StepLayers):
    def forward(self, word, state, states, valid_lens):
        contexts, weights = [], torch.zeros(states.shape[:2])
        for i, length in enumerate(valid_lens.tolist()):
            scores = self.score(state[i][None], states[i, :length])[0]
            weights[i, :length] = scores.softmax(dim=-1)
            contexts.append(weights[i] @ states[i])
        context = torch.stack(contexts)
        return self.rnn(torch.cat([word, context], dim=-1), state), context, weights


# ── LSTMEncoder ──────────────────────────────────────────────────────────────────────────


class _EncoderLayers(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size)
        self.rnn = nn.LSTM(embedding_size, hidden_size, batch_first=True, bidirectional=True)

    def pack(self, tokens, valid_lens):
        embedded = self.embedding(tokens)
        return pack_padded_sequence(embedded, valid_lens, batch_first=True, enforce_sorted=False)


@wrong("LSTMEncoder")
class ReadsPadding(_EncoderLayers):
    def forward(self, tokens, valid_lens):
        states, (hidden, cell) = self.rnn(self.embedding(tokens))
        return states, torch.cat([*hidden], dim=-1), torch.cat([*cell], dim=-1)


@wrong("LSTMEncoder")
class CellIsHidden(_EncoderLayers):
    def forward(self, tokens, valid_lens):
        output, (hidden, _) = self.rnn(self.pack(tokens, valid_lens))
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=tokens.shape[1])
        return states, torch.cat([*hidden], dim=-1), torch.cat([*hidden], dim=-1)


@wrong("LSTMEncoder")
class DirectionsMixedWithSentences(_EncoderLayers):
    def forward(self, tokens, valid_lens):
        output, (hidden, cell) = self.rnn(self.pack(tokens, valid_lens))
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=tokens.shape[1])
        return states, hidden.reshape(len(tokens), -1), cell.reshape(len(tokens), -1)


@wrong("LSTMEncoder", hidden=True)
class AsWideAsTheLongest(_EncoderLayers):
    def forward(self, tokens, valid_lens):
        output, (hidden, cell) = self.rnn(self.pack(tokens, valid_lens))
        states, _ = pad_packed_sequence(output, batch_first=True)
        return states, torch.cat([*hidden], dim=-1), torch.cat([*cell], dim=-1)


@right("LSTMEncoder")
class ReadsEachSentenceAlone(_EncoderLayers):
    def forward(self, tokens, valid_lens):
        states = torch.zeros(*tokens.shape, 2 * self.rnn.hidden_size)
        last = []
        for i, length in enumerate(valid_lens.tolist()):
            states[i, :length], (hidden, cell) = self.rnn(self.embedding(tokens[i, :length]))
            last.append((hidden.flatten(), cell.flatten()))
        hidden, cell = map(torch.stack, zip(*last, strict=True))
        return states, hidden, cell


# ── LSTMDecoder ──────────────────────────────────────────────────────────────────────────


class _DecoderLayers(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, states_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size)
        self.bridge_hidden = nn.Linear(states_size, hidden_size)
        self.bridge_cell = nn.Linear(states_size, hidden_size)
        self.score = AdditiveScore(hidden_size, states_size, hidden_size)
        self.rnn = nn.LSTMCell(embedding_size + states_size, hidden_size)
        self.output = nn.Linear(hidden_size + embedding_size + states_size, vocab_size)

    def start(self, hidden, cell):
        return torch.tanh(self.bridge_hidden(hidden)), torch.tanh(self.bridge_cell(cell))

    def look(self, hidden, states, valid_lens):
        mask = mask_from_lengths(valid_lens, states.shape[1])[:, None]
        weights = masked_softmax(self.score(hidden[:, None], states), mask)
        return (weights @ states)[:, 0], weights[:, 0]

    def step(self, token, state, states, valid_lens):
        word = self.embedding(token)
        context, weights = self.look(state[0], states, valid_lens)
        new = self.rnn(torch.cat([word, context], dim=-1), state)
        return self.output(torch.cat([new[0], word, context], dim=-1)), new, weights


@wrong("LSTMDecoder")
class ForgetsTheCell(_DecoderLayers):
    def step(self, token, state, states, valid_lens):
        logits, (hidden, _), weights = super().step(token, state, states, valid_lens)
        return logits, (hidden, torch.zeros_like(hidden)), weights


@wrong("LSTMDecoder")
class CarriesTheFirstCell(_DecoderLayers):
    def step(self, token, state, states, valid_lens):
        logits, (hidden, _), weights = super().step(token, state, states, valid_lens)
        return logits, (hidden, state[1]), weights


@wrong("LSTMDecoder")
class OneBridgeForBoth(_DecoderLayers):
    def start(self, hidden, cell):
        return torch.tanh(self.bridge_hidden(hidden)), torch.tanh(self.bridge_hidden(cell))


@wrong("LSTMDecoder")
class LogitsFromTheOldState(_DecoderLayers):
    def step(self, token, state, states, valid_lens):
        word = self.embedding(token)
        context, weights = self.look(state[0], states, valid_lens)
        new = self.rnn(torch.cat([word, context], dim=-1), state)
        return self.output(torch.cat([state[0], word, context], dim=-1)), new, weights


@wrong("LSTMDecoder", hidden=True)
class RemembersTheStateItself(_DecoderLayers):
    def start(self, hidden, cell):
        self.mine = None
        return super().start(hidden, cell)

    def step(self, token, state, states, valid_lens):
        mine = state if self.mine is None else self.mine
        logits, self.mine, weights = super().step(token, mine, states, valid_lens)
        return logits, self.mine, weights


@right("LSTMDecoder")
class GatesByHand(_DecoderLayers):
    def step(self, token, state, states, valid_lens):
        word, (h, c) = self.embedding(token), state
        mask = mask_from_lengths(valid_lens, states.shape[1])[:, None]
        attended = attend(h[:, None], states, states, mask, score=self.score, need_weights=True)
        context = attended.output[:, 0]
        x = torch.cat([word, context], dim=-1)
        gates = x @ self.rnn.weight_ih.T + h @ self.rnn.weight_hh.T
        i, f, g, o = (gates + self.rnn.bias_ih + self.rnn.bias_hh).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return self.output(torch.cat([h, word, context], -1)), (h, c), attended.weights[:, 0]


# ── ScaledDotScore ───────────────────────────────────────────────────────────────────────


class _DotLayers(nn.Module):
    def __init__(self, query_size, key_size):
        super().__init__()
        self.key_projection = nn.Linear(key_size, query_size, bias=False)


@wrong("ScaledDotScore")
class NotScaled(_DotLayers):
    def forward(self, query, key):
        return query @ self.key_projection(key).mT


@wrong("ScaledDotScore")
class ScaledByTheKey(_DotLayers):
    def forward(self, query, key):
        return query @ self.key_projection(key).mT / math.sqrt(key.shape[-1])


@wrong("ScaledDotScore")
class DividedByTheSize(_DotLayers):
    def forward(self, query, key):
        return query @ self.key_projection(key).mT / query.shape[-1]


@wrong("ScaledDotScore", hidden=True)
class OneQueryOnly(_DotLayers):
    def forward(self, query, key):
        scores = (query[:, :1] * self.key_projection(key)).sum(dim=-1) / math.sqrt(query.shape[-1])
        return scores[:, None]


@right("ScaledDotScore")
class ByEinsum(_DotLayers):
    def forward(self, q, k):
        w = self.key_projection.weight
        return torch.einsum("bqi,ij,bkj->bqk", q, w, k) * w.shape[0] ** -0.5


# ── greedy ───────────────────────────────────────────────────────────────────────────────


@wrong("greedy")
def never_ends(decoder, hidden, cell, states, valid_lens, bos, eos, max_len):
    state, token, chosen = decoder.start(hidden, cell), torch.full((len(states),), bos), []
    for _ in range(max_len):
        logits, state, _ = decoder.step(token, state, states, valid_lens)
        token = logits.argmax(dim=-1)
        chosen.append(token)
    return torch.stack(chosen, dim=1)


@wrong("greedy")
def always_reads_bos(decoder, hidden, cell, states, valid_lens, bos, eos, max_len):
    state, token, chosen = decoder.start(hidden, cell), torch.full((len(states),), bos), []
    ended = torch.zeros(len(states), dtype=torch.bool)
    for _ in range(max_len):
        logits, state, _ = decoder.step(token, state, states, valid_lens)
        chosen.append(logits.argmax(dim=-1).masked_fill(ended, eos))
        ended |= chosen[-1] == eos
    return torch.stack(chosen, dim=1)


@wrong("greedy")
def returns_bos_too(decoder, hidden, cell, states, valid_lens, bos, eos, max_len):
    state, token = decoder.start(hidden, cell), torch.full((len(states),), bos)
    chosen, ended = [token], torch.zeros(len(states), dtype=torch.bool)
    for _ in range(max_len - 1):
        logits, state, _ = decoder.step(token, state, states, valid_lens)
        token = logits.argmax(dim=-1).masked_fill(ended, eos)
        ended |= token == eos
        chosen.append(token)
    return torch.stack(chosen, dim=1)


@wrong("greedy")
def does_not_carry_the_state(decoder, hidden, cell, states, valid_lens, bos, eos, max_len):
    state, token, chosen = decoder.start(hidden, cell), torch.full((len(states),), bos), []
    ended = torch.zeros(len(states), dtype=torch.bool)
    for _ in range(max_len):
        logits, _, _ = decoder.step(token, state, states, valid_lens)
        token = logits.argmax(dim=-1).masked_fill(ended, eos)
        ended |= token == eos
        chosen.append(token)
    return torch.stack(chosen, dim=1)


@wrong("greedy", hidden=True)
def ends_with_the_first(decoder, hidden, cell, states, valid_lens, bos, eos, max_len):
    state, token = decoder.start(hidden, cell), torch.full((len(states),), bos)
    chosen = torch.full((len(states), max_len), eos)
    for place in range(max_len):
        logits, state, _ = decoder.step(token, state, states, valid_lens)
        token = chosen[:, place] = logits.argmax(dim=-1)
        if (token == eos).any():
            break
    return chosen


@right("greedy")
def cut_afterwards(decoder, h, c, memory, lens, bos, eos, n):
    state, token, rows = decoder.start(h, c), torch.full((memory.shape[0],), bos), []
    while len(rows) < n:
        logits, state, _ = decoder.step(token, state, memory, lens)
        token = logits.max(dim=-1).indices
        rows.append(token)
    tokens = torch.stack(rows, dim=1)
    ended = (tokens == eos).cumsum(dim=1) > 0
    return torch.where(ended, torch.full_like(tokens, eos), tokens)


# ── alignment_error ──────────────────────────────────────────────────────────────────────


@wrong("alignment_error")
def looks_by_columns(weights, gold):
    best = weights.argmax(dim=0)
    hits = gold[best, torch.arange(len(best))].sum()
    return 1 - 2 * hits / (len(best) + gold.sum())


@wrong("alignment_error")
def every_weight_above_a_half(weights, gold):
    links = weights > 0.5
    return 1 - 2 * (links & gold).sum() / (links.sum() + gold.sum())


@wrong("alignment_error")
def agreement_not_error(weights, gold):
    best = weights.argmax(dim=-1)
    hits = gold[torch.arange(len(best)), best].sum()
    return 2 * hits / (len(best) + gold.sum())


@wrong("alignment_error", hidden=True)
def share_of_wrong_words(weights, gold):
    best = weights.argmax(dim=-1)
    return 1 - gold[torch.arange(len(best)), best].float().mean()


@right("alignment_error")
def sets_of_links(weights, gold):
    mine = {(t, int(row.argmax())) for t, row in enumerate(weights)}
    theirs = {(t, s) for t, row in enumerate(gold.tolist()) for s, link in enumerate(row) if link}
    return 1 - 2 * len(mine & theirs) / (len(mine) + len(theirs))
