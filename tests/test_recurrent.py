"""lib.recurrent: what the two decoders see, and what the encoder does not."""

import pytest
import torch
from conftest import SOURCE_VOCAB, TARGET_VOCAB, build
from torch.testing import assert_close

from lib.recurrent import RecurrentConfig, RecurrentTranslator

SOURCE = torch.tensor([[4, 5, 6, 2], [7, 8, 2, 0]])
MASK = SOURCE != 0
TARGET = torch.tensor([[1, 4, 5], [1, 6, 7]])


def test_padding_never_enters_a_state():
    """Whatever stands in the padding, states and last state are those of the sentence alone."""
    model = build("additive")
    spoiled = SOURCE.clone()
    spoiled[1, 3] = 9
    with torch.no_grad():
        memory, alone = model.encode(spoiled, MASK), model.encode(SOURCE[1:, :3], MASK[1:, :3])
    assert_close(memory.states[1, :3], alone.states[0])
    assert not memory.states[1, 3:].any()
    assert_close(memory.initial[0][:, 1], alone.initial[0][:, 0])


def test_the_plain_decoder_knows_the_source_only_through_its_first_state():
    model = build("plain GRU")
    with torch.no_grad():
        memory = model.encode(SOURCE, MASK)
        spoiled = memory._replace(states=torch.randn_like(memory.states))
        assert torch.equal(
            model.decode(TARGET, memory).logits, model.decode(TARGET, spoiled).logits
        )


def test_bahdanaus_context_is_the_weighted_sum_of_the_states_it_says_it_is():
    """Query: the state before the step (Bahdanau et al. 2015, eq. 5 and 6)."""
    model = build("additive")
    with torch.no_grad():
        memory = model.encode(SOURCE, MASK)
        first = model.decode(TARGET[:, :1], memory, need_weights=True)
        score = model.decoder.score
        for state, decoded in (
            (memory.initial, first),
            (
                first.cache.state,
                model.decode(TARGET[:, 1:2], memory, first.cache, need_weights=True),
            ),
        ):
            scores = score(state[0][-1][:, None], memory.states)[:, 0]
            weights = scores.masked_fill(~MASK, -torch.inf).softmax(-1)
            assert_close(decoded.attention["cross"][:, 0, 0, 0], weights)


def test_keys_are_projected_once_per_sentence(monkeypatch):
    model = build("additive")
    calls = []
    project = model.decoder.score.project_keys
    monkeypatch.setattr(
        model.decoder.score, "project_keys", lambda keys: calls.append(1) or project(keys)
    )
    memory = model.encode(SOURCE, MASK)
    cache = model.decode(TARGET, memory).cache
    for _ in range(3):
        cache = model.decode(TARGET[:, :1], memory, cache).cache
    assert len(calls) == 1


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_the_bridge_gives_each_layer_its_first_state(cell, bidirectional):
    config = RecurrentConfig(8, 6, num_layers=3, cell=cell, bidirectional=bidirectional)
    model = RecurrentTranslator(SOURCE_VOCAB, TARGET_VOCAB, config).eval()
    memory = model.encode(SOURCE, MASK)
    assert [tuple(s.shape) for s in memory.initial] == [(3, 2, 6)] * (2 if cell == "lstm" else 1)
    assert memory.states.shape == (2, 4, 12 if bidirectional else 6)


def test_the_last_states_of_both_directions_reach_the_bridge():
    """The backward direction's last state stands at the sentence's first word."""
    model = build("additive")
    with torch.no_grad():
        states, final = model.encoder(SOURCE, MASK)
    hidden = model.config.hidden_size
    assert_close(final[0][-1, 0], torch.cat([states[0, 3, :hidden], states[0, 0, hidden:]]))
    assert_close(final[0][-1, 1], torch.cat([states[1, 2, :hidden], states[1, 0, hidden:]]))


@pytest.mark.parametrize(
    "mask", [[True, False, True, True], [False] * 4], ids=["a hole", "no word"]
)
def test_a_mask_that_is_no_padding_mask_is_refused(mask):
    with pytest.raises(ValueError, match=r"edit memory\.mask instead"):
        build("additive").encode(SOURCE[:1], torch.tensor([mask]))


@pytest.mark.parametrize(
    "wrong", [{"cell": "rnn"}, {"attention": "cosine"}, {"hidden_size": 0}, {"num_layers": -1}]
)
def test_settings_that_make_no_model_are_refused_by_value(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        RecurrentConfig(**wrong)
