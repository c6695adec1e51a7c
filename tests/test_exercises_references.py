"""The model answers of the exercises agree with `lib`, where `lib` has the same thing."""

import pytest
import torch

from exercises.drawing import Draw, model_answers
from lib.attention import attend
from lib.metrics import alignment_error_rate
from lib.recurrent import AttentionDecoder, RecurrentConfig, RecurrentEncoder
from lib.transformer import (
    DecoderBlock,
    EncoderBlock,
    TransformerConfig,
    TransformerDecoder,
    TransformerEncoder,
    sinusoidal_positions,
)
from lib.translator import Memory

BAHDANAU = model_answers("2_bahdanau")
TRANSFORMER = model_answers("3_transformer")
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


CONFIG = TransformerConfig(
    d_model=8, num_heads=2, d_ff=12, num_encoder_layers=1, num_decoder_layers=2, dropout=0.0
)
SIZES = (CONFIG.d_model, CONFIG.num_heads, CONFIG.d_ff)


@torch.no_grad()
def test_positions_and_blocks_are_those_of_the_course():
    torch.manual_seed(0)
    mine = TRANSFORMER["positions"](50, 8, 3)
    torch.testing.assert_close(mine, sinusoidal_positions(50, 8, 3), atol=1e-5, rtol=0)
    x, states, lengths = torch.randn(3, 5, 8), torch.randn(3, 6, 8), torch.tensor([6, 2, 4])
    valid = torch.arange(6) < lengths[:, None]
    theirs, block = EncoderBlock(CONFIG), TRANSFORMER["EncoderBlock"](*SIZES)
    block.load_state_dict(theirs.state_dict())
    torch.testing.assert_close(block(states, lengths), theirs(states, valid)[0])
    theirs, block = DecoderBlock(CONFIG), TRANSFORMER["DecoderBlock"](*SIZES)
    block.load_state_dict(theirs.state_dict())
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    memory = Memory(states, valid, {})
    torch.testing.assert_close(block(x, states, lengths), theirs(x, causal, memory)[0])


@torch.no_grad()
def test_a_transformer_of_unequal_depth_is_that_of_the_course():
    torch.manual_seed(0)
    encoder, decoder = TransformerEncoder(VOCAB, CONFIG), TransformerDecoder(VOCAB, CONFIG)
    mine = TRANSFORMER["Transformer"](VOCAB, *SIZES, 1, 2)
    mine.source_embedding.load_state_dict(encoder.embedding.embedding.state_dict())
    mine.target_embedding.load_state_dict(decoder.embedding.embedding.state_dict())
    mine.encoder.load_state_dict(encoder.blocks.state_dict())
    mine.decoder.load_state_dict(decoder.blocks.state_dict())
    mine.output.load_state_dict(decoder.output.state_dict())
    source, target = torch.randint(VOCAB, (3, 6)), torch.randint(VOCAB, (3, 5))
    lengths = torch.tensor([6, 2, 4])
    memory = encoder(source, torch.arange(6) < lengths[:, None])
    torch.testing.assert_close(mine(source, lengths, target), decoder(target, memory).logits)


LONG = model_answers("6_long_sequences")


@torch.no_grad()
def test_windows_and_chunks_are_the_courses_attention():
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 9, 4), torch.randn(2, 9, 4), torch.randn(2, 9, 5)
    torch.testing.assert_close(
        LONG["chunked_attention"](query, key, value, 4), attend(query, key, value).output
    )
    near = (torch.arange(9)[:, None] - torch.arange(9)).abs() <= 2
    torch.testing.assert_close(
        LONG["window_attention"](query, key, value, 2), attend(query, key, value, near).output
    )


@torch.no_grad()
def test_linear_attention_word_by_word_is_that_of_the_words_so_far():
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 6, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 5)
    state = None
    for n in range(6):
        output, state = LONG["linear_step"](state, query[:, n], key[:, n], value[:, n])
        sofar = LONG["linear_attention"](query[:, n : n + 1], key[:, : n + 1], value[:, : n + 1])
        torch.testing.assert_close(output, sofar[:, 0])
