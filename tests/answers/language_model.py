"""Answers to assignment 4."""

import torch
import torch.nn.functional as F

from exercises.drawing import model_answers
from tests.answers import Answers

answers = Answers("4_language_model")
wrong, right = answers.wrong, answers.right
LanguageModel = model_answers("4_language_model")["LanguageModel"]


@wrong("next_words")
def not_shifted(tokens, bos, eos):
    return tokens, tokens


@wrong("next_words")
def no_end(tokens, bos, eos):
    start = torch.full((len(tokens), 1), bos)
    return torch.cat([start, tokens[:, :-1]], dim=1), tokens


@wrong("next_words")
def shifted_the_other_way(tokens, bos, eos):
    end = torch.full((len(tokens), 1), eos)
    return torch.cat([tokens[:, 1:], end], dim=1), tokens


@wrong("next_words", hidden=True)
def end_in_the_last_column(tokens, bos, eos):
    start, labels = torch.full((len(tokens), 1), bos), tokens.clone()
    labels[:, -1] = eos
    return torch.cat([start, tokens[:, :-1]], dim=1), labels


@right("next_words")
def row_by_row(tokens, bos, eos):
    inputs, labels = torch.zeros_like(tokens), torch.zeros_like(tokens)
    for i, row in enumerate(tokens.tolist()):
        words = [token for token in row if token]
        inputs[i, : len(words) + 1] = torch.tensor([bos, *words])
        labels[i, : len(words) + 1] = torch.tensor([*words, eos])
    return inputs, labels


class _Model(LanguageModel):
    def run(self, tokens, later, padding):
        x = self.embedding(tokens) + self.position.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, src_mask=later, src_key_padding_mask=padding)
        return self.output(x).masked_fill((tokens == 0)[..., None], 0.0)

    def later(self, tokens):
        return torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)


@wrong("LanguageModel")
class NeverCausal(_Model):
    def forward(self, tokens, causal):
        return self.run(tokens, None, tokens == 0)


@wrong("LanguageModel")
class AlwaysCausal(_Model):
    def forward(self, tokens, causal):
        return self.run(tokens, self.later(tokens), tokens == 0)


@wrong("LanguageModel")
class NoPositions(_Model):
    def forward(self, tokens, causal):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, src_mask=self.later(tokens) if causal else None)
        return self.output(x)


@wrong("LanguageModel", hidden=True)
class ReadsPadding(_Model):
    def forward(self, tokens, causal):
        return self.run(tokens, self.later(tokens) if causal else None, None)


@right("LanguageModel")
class OneFloatMask(_Model):
    def forward(self, tokens, causal):
        barred = (tokens == 0)[:, None].expand(-1, tokens.shape[1], -1)
        if causal:
            barred = barred | self.later(tokens)
        mask = torch.zeros(barred.shape).masked_fill(barred, -torch.inf)
        heads = self.blocks[0].self_attn.num_heads
        return self.run(tokens, mask.repeat_interleave(heads, dim=0), None)


@wrong("corrupt")
def all_words_are_labels(tokens, draws, mask_token):
    return torch.where((draws < 0.15) & (tokens != 0), mask_token, tokens), tokens


@wrong("corrupt")
def gaps_where_draws_are_high(tokens, draws, mask_token):
    gaps = (draws >= 0.15) & (tokens != 0)
    return tokens.masked_fill(gaps, mask_token), tokens.masked_fill(~gaps, 0)


@wrong("corrupt")
def words_stay_in_the_input(tokens, draws, mask_token):
    return tokens, tokens.masked_fill((draws >= 0.15) | (tokens == 0), 0)


@wrong("corrupt", hidden=True)
def masks_padding_too(tokens, draws, mask_token):
    gaps = draws < 0.15
    return tokens.masked_fill(gaps, mask_token), tokens.masked_fill(~gaps, 0)


@wrong("corrupt", hidden=True)
def writes_into_the_tokens(tokens, draws, mask_token):
    gaps = (draws < 0.15) & (tokens != 0)
    labels = tokens * gaps
    tokens[gaps] = mask_token
    return tokens, labels


@right("corrupt")
def place_by_place(tokens, draws, mask_token):
    inputs, labels = tokens.clone(), torch.zeros_like(tokens)
    for place in ((draws < 0.15) & (tokens > 0)).nonzero():
        labels[tuple(place)] = tokens[tuple(place)]
        inputs[tuple(place)] = mask_token
    return inputs, labels


@wrong("perplexity")
def not_exponentiated(logits, labels):
    return F.cross_entropy(logits.mT, labels, ignore_index=0)


@wrong("perplexity")
def to_the_base_of_two(logits, labels):
    return 2 ** F.cross_entropy(logits.mT, labels, ignore_index=0)


@wrong("perplexity")
def of_the_sum(logits, labels):
    return F.cross_entropy(logits.mT, labels, ignore_index=0, reduction="sum").exp()


@wrong("perplexity", hidden=True)
def padding_counts(logits, labels):
    return F.cross_entropy(logits.mT, labels).exp()


@right("perplexity")
def by_probabilities(logits, labels):
    chosen = logits.softmax(dim=-1).gather(-1, labels[..., None])[..., 0][labels != 0]
    return chosen.log().mean().neg().exp()


@wrong("go_on")
def from_the_first_place(model, tokens, count):
    for _ in range(count):
        tokens = torch.cat([tokens, model(tokens, True)[:, 0].argmax(dim=-1)[:, None]], dim=1)
    return tokens


@wrong("go_on")
def always_the_same_word(model, tokens, count):
    following = model(tokens, True)[:, -1].argmax(dim=-1)[:, None]
    return torch.cat([tokens, following.expand(-1, count)], dim=1)


@wrong("go_on")
def the_least_likely(model, tokens, count):
    for _ in range(count):
        tokens = torch.cat([tokens, model(tokens, True)[:, -1].argmin(dim=-1)[:, None]], dim=1)
    return tokens


@wrong("go_on", hidden=True)
def one_sentence_for_all(model, tokens, count):
    for _ in range(count):
        following = model(tokens[:1], True)[0, -1].argmax().expand(len(tokens), 1)
        tokens = torch.cat([tokens, following], dim=1)
    return tokens


@right("go_on")
def each_sentence_alone(model, tokens, count):
    rows = []
    for row in tokens:
        for _ in range(count):
            row = torch.cat([row, model(row[None], True)[0, -1].argmax()[None]])
        rows.append(row)
    return torch.stack(rows)
