"""Answers to assignment 3."""

import math

import torch
import torch.nn.functional as F

from exercises.drawing import model_answers
from lib.attention import causal_mask, mask_from_lengths
from tests.answers import Answers

answers = Answers("3_transformer")
wrong, right = answers.wrong, answers.right
# The blocks that answers build upon, as a notebook in which all else is right would have them.
given = model_answers("3_transformer")
AddNorm, FeedForward = given["AddNorm"], given["FeedForward"]
EncoderBlock, DecoderBlock = given["EncoderBlock"], given["DecoderBlock"]
CachedDecoderBlock, Transformer = given["CachedDecoderBlock"], given["Transformer"]
positions = given["positions"]

# ── positions ────────────────────────────────────────────────────────────────────────────


@wrong("positions")
def sines_then_cosines(length, d_model, offset=0):
    position = torch.arange(offset, offset + length).float()[:, None]
    angle = position * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=-1)


@wrong("positions")
def begins_at_one(length, d_model, offset=0):
    return positions(length, d_model, offset + 1)


@wrong("positions")
def a_frequency_for_each_column(length, d_model, offset=0):
    position = torch.arange(offset, offset + length).float()[:, None]
    angle = position * 10000 ** (-torch.arange(d_model) / d_model)
    return torch.where(torch.arange(d_model) % 2 == 0, angle.sin(), angle.cos())


@wrong("positions", hidden=True)
def always_from_the_first(length, d_model, offset=0):
    return positions(length, d_model)


@right("positions")
def positions_in_loops(length, d_model, offset=0):
    table = torch.zeros(length, d_model)
    for row in range(length):
        for i in range(0, d_model, 2):
            angle = (row + offset) / 10000 ** (i / d_model)
            table[row, i], table[row, i + 1] = math.sin(angle), math.cos(angle)
    return table


# ── FeedForward, AddNorm ─────────────────────────────────────────────────────────────────


@wrong("FeedForward")
class NoReLU(FeedForward):
    def forward(self, x):
        return self.output(self.hidden(x))


@wrong("FeedForward")
class ReLUAtTheEnd(FeedForward):
    def forward(self, x):
        return torch.relu(self.output(self.hidden(x)))


@wrong("FeedForward")
class AnotherActivation(FeedForward):
    def forward(self, x):
        return self.output(F.gelu(self.hidden(x)))


@wrong("FeedForward", hidden=True)
class WantsABatch(FeedForward):
    def forward(self, x):
        batch, length, d_model = x.shape
        y = self.output(F.relu(self.hidden(x.reshape(-1, d_model))))
        return y.reshape(batch, length, d_model)


@right("FeedForward")
class ByMatrices(FeedForward):
    def forward(self, x):
        y = (x @ self.hidden.weight.T + self.hidden.bias).clamp(min=0)
        return y @ self.output.weight.T + self.output.bias


@wrong("AddNorm")
class NormBeforeTheSum(AddNorm):
    def forward(self, x, output):
        return x + self.norm(output)


@wrong("AddNorm")
class NoResidual(AddNorm):
    def forward(self, x, output):
        return self.norm(output)


@wrong("AddNorm")
class OverTheWholeSentence(AddNorm):
    def forward(self, x, output):
        return F.layer_norm(x + output, x.shape[1:])


@wrong("AddNorm", hidden=True)
class WithoutGainAndBias(AddNorm):
    def forward(self, x, output):
        return F.layer_norm(x + output, x.shape[-1:])


@right("AddNorm")
class NormalisedByHand(AddNorm):
    def forward(self, x, output):
        y = x + output
        y = y - y.mean(dim=-1, keepdim=True)
        y = y / (y.square().mean(dim=-1, keepdim=True) + self.norm.eps).sqrt()
        return y * self.norm.weight + self.norm.bias


# ── EncoderBlock ─────────────────────────────────────────────────────────────────────────


@wrong("EncoderBlock")
class EncoderWithoutMask(EncoderBlock):
    def forward(self, x, valid_lens=None):
        return super().forward(x, None)


@wrong("EncoderBlock")
class NormalisesFirst(EncoderBlock):
    def forward(self, x, valid_lens=None):
        mask = None if valid_lens is None else mask_from_lengths(valid_lens, x.shape[1])[:, None]
        y = self.add_norm1.norm(x)
        x = x + self.attention(y, y, y, mask).output
        return x + self.feed_forward(self.add_norm2.norm(x))


@wrong("EncoderBlock")
class SkipsTheFirstResidual(EncoderBlock):
    def forward(self, x, valid_lens=None):
        mask = None if valid_lens is None else mask_from_lengths(valid_lens, x.shape[1])[:, None]
        y = self.add_norm1.norm(self.attention(x, x, x, mask).output)
        return self.add_norm2(y, self.feed_forward(y))


@wrong("EncoderBlock", hidden=True)
class WantsLengths(EncoderBlock):
    def forward(self, x, valid_lens=None):
        return super().forward(x, valid_lens + 0)


@right("EncoderBlock")
class SentenceBySentence(EncoderBlock):
    def forward(self, x, valid_lens=None):
        rows = []
        for i in range(len(x)):
            n = x.shape[1] if valid_lens is None else int(valid_lens[i])
            one, seen = x[i : i + 1], x[i : i + 1, :n]
            y = self.add_norm1(one, self.attention(one, seen, seen).output)
            rows.append(self.add_norm2(y, self.feed_forward(y)))
        return torch.cat(rows)


# ── DecoderBlock ─────────────────────────────────────────────────────────────────────────


class _Parts(DecoderBlock):
    def run(self, x, states, valid, causal):
        x = self.add_norm1(x, self.self_attention(x, x, x, causal).output)
        x = self.add_norm2(x, self.cross_attention(x, states, states, valid).output)
        return self.add_norm3(x, self.feed_forward(x))

    def valid(self, states, valid_lens):
        return mask_from_lengths(valid_lens, states.shape[1])[:, None]


@wrong("DecoderBlock")
class SeesTheFuture(_Parts):
    def forward(self, x, states, valid_lens):
        return self.run(x, states, self.valid(states, valid_lens), None)


@wrong("DecoderBlock")
class OnlyStrictlyEarlier(_Parts):
    def forward(self, x, states, valid_lens):
        causal = causal_mask(x.shape[1])[None] & ~torch.eye(x.shape[1], dtype=torch.bool)
        return self.run(x, states, self.valid(states, valid_lens), causal)


@wrong("DecoderBlock")
class ReadsPaddingOfTheSource(_Parts):
    def forward(self, x, states, valid_lens):
        return self.run(x, states, None, causal_mask(x.shape[1])[None])


@wrong("DecoderBlock")
class UpsideDown(_Parts):
    def forward(self, x, states, valid_lens):
        causal = causal_mask(x.shape[1]).T[None]
        return self.run(x, states, self.valid(states, valid_lens), causal)


@wrong("DecoderBlock", hidden=True)
class MasksInTrainingOnly(_Parts):
    def forward(self, x, states, valid_lens):
        causal = causal_mask(x.shape[1])[None] if self.training else None
        return self.run(x, states, self.valid(states, valid_lens), causal)


@right("DecoderBlock")
class WordByWord(_Parts):
    def forward(self, x, states, valid_lens):
        valid = self.valid(states, valid_lens)
        rows = [
            self.run(x[:, : n + 1], states, valid, causal_mask(n + 1)[None])[:, -1]
            for n in range(x.shape[1])
        ]
        return torch.stack(rows, dim=1)


# ── CachedDecoderBlock ───────────────────────────────────────────────────────────────────


class _Steps(CachedDecoderBlock):
    def attend(self, x, key, value, causal, states, valid_lens):
        valid = mask_from_lengths(valid_lens, states.shape[1])[:, None]
        x = self.add_norm1(x, self.self_attention.attend_projected(x, key, value, causal).output)
        x = self.add_norm2(x, self.cross_attention(x, states, states, valid).output)
        return self.add_norm3(x, self.feed_forward(x))


@wrong("CachedDecoderBlock")
class ForgetsWhatItRead(_Steps):
    def step(self, x, cache, states, valid_lens):
        return super().step(x, None, states, valid_lens)


@wrong("CachedDecoderBlock")
class LooksAtTheCacheAlone(_Steps):
    def step(self, x, cache, states, valid_lens):
        y, new = super().step(x, cache, states, valid_lens)
        if cache is not None:
            y = self.attend(x, *cache, None, states, valid_lens)
        return y, new


@wrong("CachedDecoderBlock")
class KeepsTheLastStepOnly(_Steps):
    def step(self, x, cache, states, valid_lens):
        y, (key, value) = super().step(x, cache, states, valid_lens)
        return y, (key[:, :, -x.shape[1] :], value[:, :, -x.shape[1] :])


@wrong("CachedDecoderBlock", hidden=True)
class NoMaskAmongNewWords(_Steps):
    def step(self, x, cache, states, valid_lens):
        if cache is None:
            return super().step(x, None, states, valid_lens)
        new = self.self_attention.project_keys_values(x, x)
        key, value = (torch.cat(pair, dim=2) for pair in zip(cache, new, strict=True))
        return self.attend(x, key, value, None, states, valid_lens), (key, value)


@wrong("CachedDecoderBlock", hidden=True)
class ChangesTheCacheItGot(_Steps):
    def step(self, x, cache, states, valid_lens):
        cache = [] if cache is None else cache
        cache.append(x)
        seen = torch.cat(cache, dim=1)
        key, value = self.self_attention.project_keys_values(seen, seen)
        causal = causal_mask(x.shape[1], seen.shape[1] - x.shape[1])[None]
        return self.attend(x, key, value, causal, states, valid_lens), cache


@right("CachedDecoderBlock")
class KeepsTheInputs(_Steps):
    def step(self, x, cache, states, valid_lens):
        seen = x if cache is None else torch.cat([cache, x], dim=1)
        return self.forward(seen, states, valid_lens)[:, -x.shape[1] :], seen


# ── Transformer ──────────────────────────────────────────────────────────────────────────


class _Model(Transformer):
    def embed(self, embedding, tokens):
        d_model = embedding.embedding_dim
        return math.sqrt(d_model) * embedding(tokens) + positions(tokens.shape[1], d_model)

    def read(self, source, valid_lens):
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, valid_lens)
        return x

    def write(self, y, x, valid_lens):
        for block in self.decoder:
            y = block(y, x, valid_lens)
        return self.output(y)


@wrong("Transformer")
class EmbeddingsNotScaled(_Model):
    def embed(self, embedding, tokens):
        return embedding(tokens) + positions(tokens.shape[1], embedding.embedding_dim)

    def forward(self, source, valid_lens, target):
        y = self.embed(self.target_embedding, target)
        return self.write(y, self.read(source, valid_lens), valid_lens)


@wrong("Transformer")
class TargetWithoutPositions(_Model):
    def forward(self, source, valid_lens, target):
        y = math.sqrt(self.target_embedding.embedding_dim) * self.target_embedding(target)
        return self.write(y, self.read(source, valid_lens), valid_lens)


@wrong("Transformer")
class ReadsTheSourcesEmbeddings(_Model):
    def forward(self, source, valid_lens, target):
        y = self.embed(self.target_embedding, target)
        return self.write(y, self.embed(self.source_embedding, source), valid_lens)


@wrong("Transformer", hidden=True)
class BlocksInPairs(_Model):
    def forward(self, source, valid_lens, target):
        x, y = self.embed(self.source_embedding, source), self.embed(self.target_embedding, target)
        for i in range(len(self.encoder)):
            x = self.encoder[i](x, valid_lens)
            y = self.decoder[i](y, x, valid_lens)
        return self.output(y)


@right("Transformer")
class EncodesThenDecodes(_Model):
    def forward(self, source, valid_lens, target):
        y = self.embed(self.target_embedding, target)
        return self.write(y, self.read(source, valid_lens), valid_lens)
