"""Answers to assignment 5: mended pieces, and tests of them."""

import math

import torch
import torch.nn.functional as F

from exercises.drawing import model_answers
from tests.answers import Answers

answers = Answers("5_clinic")
wrong, right = answers.wrong, answers.right
given = model_answers("5_clinic")
W_QUERY, W_KEY, W_VALUE = given["W_QUERY"], given["W_KEY"], given["W_VALUE"]
EMBEDDING, RNN, positions = given["EMBEDDING"], given["RNN"], given["positions"]

PIECES = ("self_attend", "embed", "loss", "encode", "masked_softmax", "split")
for piece in PIECES:  # whoever hands in what was handed out
    wrong(piece)(given[f"sick_{piece}"])


# ── mended, or not ───────────────────────────────────────────────────────────────────────


@wrong("self_attend")
def not_scaled(x, training):
    later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    scores = (x @ W_QUERY) @ (x @ W_KEY).mT
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1) @ (x @ W_VALUE)


@wrong("self_attend")
def weights_removed_afterwards(x, training):
    scores = (x @ W_QUERY) @ (x @ W_KEY).mT / math.sqrt(8)
    return scores.softmax(dim=-1).tril() @ (x @ W_VALUE)


@wrong("self_attend", hidden=True)
def a_mask_of_eight_words(x, training):
    later = torch.ones(8, 8, dtype=torch.bool).triu(1)[: x.shape[1], : x.shape[1]]
    scores = (x @ W_QUERY) @ (x @ W_KEY).mT / math.sqrt(8)
    return scores.masked_fill(later, -torch.inf).softmax(dim=-1) @ (x @ W_VALUE)


@right("self_attend")
def fused(x, training):
    return F.scaled_dot_product_attention(x @ W_QUERY, x @ W_KEY, x @ W_VALUE, is_causal=True)


@wrong("embed")
def one_too_far(tokens, offset):
    return math.sqrt(8) * EMBEDDING[tokens] + positions(tokens.shape[1], offset + 1)


@wrong("embed")
def embeddings_not_scaled(tokens, offset):
    return EMBEDDING[tokens] + positions(tokens.shape[1], offset)


@wrong("embed", hidden=True)
def a_table_of_eight(tokens, offset):
    places = torch.arange(offset, offset + tokens.shape[1]).clamp(max=7)
    return math.sqrt(8) * EMBEDDING[tokens] + positions(8)[places]


@right("embed")
def cut_from_a_long_table(tokens, offset):
    table = positions(offset + tokens.shape[1])
    return table[offset:] + EMBEDDING[tokens] * 8**0.5


@wrong("loss")
def a_sum(logits, labels):
    return F.cross_entropy(logits.mT, labels, ignore_index=0, reduction="sum")


@wrong("loss")
def a_mean_of_sentences(logits, labels):
    rows = zip(logits, labels, strict=True)
    return torch.stack([F.cross_entropy(x, y, ignore_index=0) for x, y in rows]).mean()


@wrong("loss", hidden=True)
def skips_sentences_of_one_word(logits, labels):
    long = (labels != 0).sum(dim=1) > 1
    return F.cross_entropy(logits[long].mT, labels[long], ignore_index=0)


@right("loss")
def by_hand(logits, labels):
    each = logits.logsumexp(dim=-1) - logits.gather(-1, labels[..., None])[..., 0]
    return each[labels != 0].mean()


@wrong("encode")
def padding_becomes_zeros(tokens, valid_lens):
    real = torch.arange(tokens.shape[1]) < valid_lens[:, None]
    return RNN(EMBEDDING[tokens] * real[..., None])[1][0]


@wrong("encode")
def one_word_early(tokens, valid_lens):
    return RNN(EMBEDDING[tokens])[0][torch.arange(len(tokens)), (valid_lens - 2).clamp(min=0)]


@wrong("encode", hidden=True)
def counts_what_is_not_zero(tokens, valid_lens):
    lengths = (tokens != 0).sum(dim=1)
    return RNN(EMBEDDING[tokens])[0][torch.arange(len(tokens)), lengths - 1]


@right("encode")
def sentence_by_sentence(tokens, valid_lens):
    rows = zip(tokens, valid_lens.tolist(), strict=True)
    return torch.cat([RNN(EMBEDDING[row[None, :n]])[1][0] for row, n in rows])


@wrong("masked_softmax")
def no_mask(scores, valid_lens):
    return scores.softmax(dim=-1)


@wrong("masked_softmax")
def zeros_among_the_scores(scores, valid_lens):
    beyond = torch.arange(scores.shape[-1]) >= valid_lens[:, None, None]
    return scores.masked_fill(beyond, 0.0).softmax(dim=-1)


@wrong("masked_softmax", hidden=True)
def squeezed(scores, valid_lens):
    beyond = torch.arange(scores.shape[-1]) >= valid_lens[:, None, None]
    return scores.masked_fill(beyond, -torch.inf).softmax(dim=-1).squeeze()


@right("masked_softmax")
def on_a_copy(scores, valid_lens):
    mine = scores.clone()
    for row, length in enumerate(valid_lens.tolist()):
        mine[row, :, length:] = -torch.inf
    return mine.softmax(dim=-1)


@wrong("split")
def numbered_by_size(source):
    _, numbers = torch.unique(source, dim=0, return_inverse=True)
    return numbers % 5 != 4


@wrong("split")
def begins_with_validation(source):
    numbers = {}
    rows = [numbers.setdefault(tuple(row), len(numbers)) for row in source.tolist()]
    return torch.tensor(rows) % 5 != 0


@wrong("split", hidden=True)
def forgets_after_fifty_lines(source):
    numbers, rows = {}, []
    for line, row in enumerate(source.tolist()):
        if line % 50 == 0:
            numbers = {}
        rows.append(numbers.setdefault(tuple(row), len(numbers)))
    return torch.tensor(rows) % 5 != 4


@right("split")
def by_a_list(source):
    known, training = [], []
    for row in source.tolist():
        if row not in known:
            known.append(row)
        training.append(known.index(row) % 5 != 4)
    return torch.tensor(training)


# ── tests of the pieces ──────────────────────────────────────────────────────────────────


INPUTS = {
    "self_attend": (torch.randn(2, 5, 8), False),
    "embed": (torch.arange(10).reshape(2, 5), 3),
    "loss": (torch.randn(2, 4, 20), torch.tensor([[1, 2, 0, 0], [3, 4, 5, 6]])),
    "encode": (torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([3, 1])),
    "masked_softmax": (torch.randn(2, 3, 4), torch.tensor([4, 4])),
    "split": (torch.arange(12).repeat(3)[:, None],),
}


def _of_the_shape_alone(piece: str):
    def of_the_shape_alone(patient):
        assert patient(*INPUTS[piece]).shape == given[piece](*INPUTS[piece]).shape

    return of_the_shape_alone


def _compared_with_mine(piece: str):
    """A test that asks for the numbers of the mended piece: healthy ones with others fail it."""

    def compared_with_mine(patient):
        mine, theirs = given[piece](*INPUTS[piece]), patient(*INPUTS[piece])
        assert torch.allclose(mine.float(), theirs.float(), atol=1e-5)

    return compared_with_mine


@wrong("test_masked_softmax", hidden=True)
def sees_only_what_was_written_into(masked_softmax):
    scores = torch.randn(2, 3, 4)
    before = scores.clone()
    masked_softmax(scores, torch.tensor([2, 3]))
    assert scores.equal(before)


for piece in PIECES:

    @wrong(f"test_{piece}")
    def always_passes(patient):
        pass

    @wrong(f"test_{piece}")
    def always_fails(patient):
        raise AssertionError("sick")

    wrong(f"test_{piece}")(_of_the_shape_alone(piece))
    if piece != "masked_softmax":
        wrong(f"test_{piece}", hidden=True)(_compared_with_mine(piece))


@wrong("test_self_attend", hidden=True)
def in_evaluation_only(self_attend):
    x = torch.randn(1, 4, 8)
    changed = x.clone()
    changed[:, -1] = 0
    assert torch.allclose(self_attend(x, False)[:, :-1], self_attend(changed, False)[:, :-1])


@right("test_self_attend")
def cut_short(self_attend):
    x = torch.randn(2, 7, 8)
    for training in (False, True):
        for n in (1, 3, 6):
            cut, whole = self_attend(x[:, :n], training), self_attend(x, training)[:, :n]
            assert (cut - whole).abs().max() < 1e-4


@right("test_embed")
def one_by_one(embed):
    tokens = torch.randint(20, (1, 12))
    parts = [embed(tokens[:, i : i + 1], i) for i in range(12)]
    assert torch.allclose(torch.cat(parts, dim=1), embed(tokens, 0), atol=1e-5)
    pair = torch.cat([embed(tokens[:, :5], 0), embed(tokens[:, 5:], 5)], dim=1)
    assert torch.allclose(pair, embed(tokens, 0), atol=1e-5)


@right("test_loss")
def padding_in_other_logits(loss):
    logits = torch.randn(2, 6, 20)
    labels = torch.tensor([[3, 4, 5, 0, 0, 0], [6, 0, 0, 0, 0, 0]])
    other = torch.where((labels == 0)[..., None], torch.randn(2, 6, 20), logits)
    assert torch.allclose(loss(logits, labels), loss(other, labels), atol=1e-5)
    assert torch.allclose(loss(logits, labels), loss(logits[:, :3], labels[:, :3]), atol=1e-5)


@right("test_encode")
def alone_and_together(encode):
    tokens, lens = torch.randint(20, (4, 7)), torch.tensor([7, 2, 1, 5])
    together = encode(tokens, lens)
    for i, n in enumerate(lens.tolist()):
        alone = encode(tokens[i : i + 1, :n], lens[i : i + 1])
        assert torch.allclose(alone[0], together[i], atol=1e-5)


@right("test_masked_softmax")
def twice(masked_softmax):
    scores, lens = torch.randn(2, 3, 4), torch.tensor([2, 4])
    copy = scores.clone()
    weights = masked_softmax(scores, lens)
    assert (scores - copy).abs().max() == 0
    assert weights[0, :, 2:].abs().max() == 0
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3), atol=1e-5)
    assert torch.allclose(weights[1], copy[1].softmax(dim=-1), atol=1e-5)


@right("test_split")
def all_pairs(split):
    source = torch.arange(30).repeat(3)[:, None]
    source = source[torch.randperm(90, generator=torch.Generator().manual_seed(3))]
    training = split(source).tolist()
    assert True in training
    assert False in training
    for i in range(90):
        for j in range(i):
            assert source[i, 0] != source[j, 0] or training[i] == training[j]
