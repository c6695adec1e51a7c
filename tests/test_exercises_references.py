"""The model answers of the exercises agree with `lib`, where `lib` has the same thing."""

import pytest
import torch

from exercises.drawing import Draw, model_answers
from lib.metrics import alignment_error_rate
from lib.recurrent import AttentionDecoder, RecurrentConfig, RecurrentEncoder
from lib.translator import Memory

BAHDANAU = model_answers("2_bahdanau")
VOCAB, EMBEDDING, HIDDEN = 11, 5, 4


def translated(cell: str):
    """lib's encoder and decoder, and what they make of three sentences and one word."""
    config = RecurrentConfig(embedding_size=EMBEDDING, hidden_size=HIDDEN, cell=cell, dropout=0.0)
    torch.manual_seed(0)
    encoder = RecurrentEncoder(VOCAB, config).eval()
    decoder = AttentionDecoder(VOCAB, config).eval()
    lengths = torch.tensor([3, 6, 1])
    mask = torch.arange(6) < lengths[:, None]
    tokens = torch.randint(VOCAB, (3, 6)).masked_fill(~mask, 0)
    states, final = encoder(tokens, mask)
    return encoder, decoder, tokens, lengths, Memory(states, mask, {}, ()), final


def cell_weights(rnn) -> dict:
    return {name.removesuffix("_l0"): weight for name, weight in rnn.state_dict().items()}


@torch.no_grad()
def test_one_step_is_that_of_the_courses_decoder():
    _, decoder, _, lengths, memory, _ = translated("gru")
    state = torch.randn(3, HIDDEN)
    word = torch.tensor([[1], [2], [3]])
    theirs = decoder(word, memory._replace(initial=(state[None],)), None, True)
    step = BAHDANAU["DecoderStep"](EMBEDDING, HIDDEN, 2 * HIDDEN)
    step.score.load_state_dict(decoder.score.state_dict())
    step.rnn.load_state_dict(cell_weights(decoder.rnn))
    new, _, weights = step(decoder.embedding(word[:, 0]), state, memory.states, lengths)
    torch.testing.assert_close(new, theirs.cache.state[0][0])
    torch.testing.assert_close(weights, theirs.attention["cross"][:, 0, 0, 0])


@torch.no_grad()
def test_an_lstm_reads_as_the_courses_encoder_does():
    encoder, _, tokens, lengths, memory, final = translated("lstm")
    mine = BAHDANAU["LSTMEncoder"](VOCAB, EMBEDDING, HIDDEN)
    mine.load_state_dict(encoder.state_dict())
    states, hidden, cell = mine(tokens, lengths)
    torch.testing.assert_close(states, memory.states)
    torch.testing.assert_close((hidden, cell), (final[0][0], final[1][0]))


@torch.no_grad()
def test_an_lstm_writes_as_the_courses_decoder_does():
    _, decoder, _, lengths, memory, _ = translated("lstm")
    mine = BAHDANAU["LSTMDecoder"](VOCAB, EMBEDDING, HIDDEN, 2 * HIDDEN)
    mine.embedding.load_state_dict(decoder.embedding.state_dict())
    mine.score.load_state_dict(decoder.score.state_dict())
    mine.rnn.load_state_dict(cell_weights(decoder.rnn))
    state = mine.start(torch.randn(3, 2 * HIDDEN), torch.randn(3, 2 * HIDDEN))
    words = torch.tensor([[1, 4, 5], [2, 6, 7], [3, 8, 9]])
    initial = tuple(part[None] for part in state)
    theirs = decoder(words, memory._replace(initial=initial), None, True)
    for step, token in enumerate(words.unbind(dim=1)):
        _, state, weights = mine.step(token, state, memory.states, lengths)
        torch.testing.assert_close(weights, theirs.attention["cross"][:, 0, 0, step])
    torch.testing.assert_close(state, tuple(part[0] for part in theirs.cache.state))


@pytest.mark.parametrize("seed", range(5))
def test_the_alignment_error_is_the_courses(seed):
    draw = Draw(str(seed))
    weights = draw.normal(6, 5).softmax(dim=-1)
    gold = draw.normal(6, 5) > 0.7
    links = {(int(row.argmax()), t) for t, row in enumerate(weights)}
    theirs = {(s, t) for t, s in gold.nonzero().tolist()}
    mine = BAHDANAU["alignment_error"](weights, gold)
    assert float(mine) == pytest.approx(alignment_error_rate([links], [theirs]))
