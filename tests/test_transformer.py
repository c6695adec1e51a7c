"""lib.transformer: positions, blocks, cache."""

import math

import pytest
import torch
from conftest import SOURCE_VOCAB, TARGET_VOCAB, build
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from lib.transformer import (
    EncoderBlock,
    FeedForward,
    TokenEmbedding,
    Transformer,
    TransformerConfig,
    sinusoidal_positions,
)

SOURCE = torch.tensor([[4, 5, 6, 2], [7, 8, 2, 0]])
MASK = SOURCE != 0
TARGET = torch.tensor([[1, 4, 5], [1, 6, 7]])
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 50))
def test_positions_are_the_papers_formula_at_any_width_length_and_offset(length, width, offset):
    positions = sinusoidal_positions(length, width, offset)
    for row in range(length):
        for column in range(width):
            angle = (offset + row) / 10_000 ** ((column - column % 2) / width)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert math.isclose(positions[row, column], expected, abs_tol=1e-4)


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_shift_is_a_rotation_that_does_not_depend_on_the_position(start, shift):
    """Position p + k is a linear function of position p, the same for every p."""
    here, there = sinusoidal_positions(5, 8, start), sinusoidal_positions(5, 8, start + shift)
    speed = torch.tensor([10_000 ** (-i / 8) for i in (0, 2, 4, 6)])
    sin, cos = torch.sin(shift * speed), torch.cos(shift * speed)
    rotated = torch.stack(
        [
            cos * here[:, 0::2] + sin * here[:, 1::2],
            cos * here[:, 1::2] - sin * here[:, 0::2],
        ],
        dim=-1,
    ).flatten(-2)
    assert_close(there, rotated, rtol=1e-4, atol=1e-4)


def test_embeddings_are_scaled_by_the_root_of_the_width():
    config = TransformerConfig(d_model=16, num_heads=4)
    embed = TokenEmbedding(10, config).eval()
    expected = 4 * embed.embedding(SOURCE) + sinusoidal_positions(4, 16)
    assert_close(embed(SOURCE), expected)


def test_the_feed_forward_network_is_the_same_at_every_position():
    network = FeedForward(8, 12, 0.0)
    x = torch.randn(2, 5, 8)
    assert_close(network(x)[:, 3], network(x[:, 3:4])[:, 0], **CLOSE)


@settings(max_examples=20)
@given(st.booleans(), st.integers(0, 100))
def test_an_encoder_block_is_torchs_own(norm_first, seed):
    """The same weights in nn.TransformerEncoderLayer give the same numbers."""
    torch.manual_seed(seed)
    config = TransformerConfig(16, 4, d_ff=24, norm_first=norm_first)
    ours = EncoderBlock(config).eval()
    theirs = nn.TransformerEncoderLayer(
        16, 4, 24, 0.1, batch_first=True, norm_first=norm_first
    ).eval()
    attention = ours.attention
    with torch.no_grad():
        projections = (
            attention.query_projection,
            attention.key_projection,
            attention.value_projection,
        )
        theirs.self_attn.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
        theirs.self_attn.in_proj_bias.zero_()
        theirs.self_attn.out_proj.weight.copy_(attention.output_projection.weight)
        theirs.self_attn.out_proj.bias.zero_()
        theirs.linear1.load_state_dict(ours.feed_forward.hidden.state_dict())
        theirs.linear2.load_state_dict(ours.feed_forward.output.state_dict())
        theirs.norm1.load_state_dict(ours.add_norm1.norm.state_dict())
        theirs.norm2.load_state_dict(ours.add_norm2.norm.state_dict())
        x = torch.randn(2, 4, 16)
        output, _ = ours(x, MASK)
        theirs.train()  # keeps torch off its inference-only path, whose padding is zeros
        for module in theirs.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        theirs.self_attn.dropout = 0.0
        expected = theirs(x, src_key_padding_mask=~MASK)
    assert_close(output[MASK], expected[MASK], rtol=1e-4, atol=1e-5)


def test_the_cache_holds_projected_keys_and_values_and_projects_each_token_once():
    model = build("Transformer")
    block = model.decoder.blocks[0]
    seen = []
    block.self_attention.key_projection.register_forward_hook(
        lambda module, inputs, output: seen.append(inputs[0].shape[1])
    )
    crossed = []
    block.cross_attention.key_projection.register_forward_hook(
        lambda module, inputs, output: crossed.append(inputs[0].shape[1])
    )
    with torch.no_grad():
        memory = model.encode(SOURCE, MASK)
        cache = model.decode(TARGET[:, :1], memory).cache
        for step in (1, 2):
            cache = model.decode(TARGET[:, step : step + 1], memory, cache).cache
    assert cache.length == 3
    assert cache.blocks[0].key.shape == (2, 4, 3, 4)  # (batch, head, target, d_head)
    assert seen == [1, 1, 1]
    assert crossed == [4]


def test_encoder_and_decoder_may_be_unequally_deep():
    config = TransformerConfig(16, 4, num_encoder_layers=1, num_decoder_layers=3)
    model = Transformer(SOURCE_VOCAB, TARGET_VOCAB, config).eval()
    attention = model(SOURCE, MASK, TARGET, need_weights=True).attention
    assert attention["encoder"].shape == (2, 1, 4, 4, 4)
    assert attention["decoder"].shape == (2, 3, 4, 3, 3)
    assert attention["cross"].shape == (2, 3, 4, 3, 4)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_removing_a_head_changes_the_logits_and_all_heads_at_work_changes_nothing(kind):
    model = build("Transformer")
    with torch.no_grad():
        expected = model(SOURCE, MASK, TARGET).logits
        mask = torch.ones(2, 4, dtype=torch.bool)
        model.head_masks = {kind: mask}
        assert torch.equal(model(SOURCE, MASK, TARGET).logits, expected)
        mask[0, 2] = False
        assert not torch.allclose(model(SOURCE, MASK, TARGET).logits, expected)


def test_settings_that_make_no_model_are_refused_by_value():
    with pytest.raises(ValueError, match="num_decoder_layers=0"):
        TransformerConfig(num_decoder_layers=0)
