"""What every test shares: one thread, no windows, and one small model of each kind."""

import os

import hypothesis
import matplotlib
import pytest
import torch

from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.text import Vocabulary
from lib.transformer import Transformer, TransformerConfig

matplotlib.use("Agg")
torch.set_num_threads(1)
# No deadlines: machines are slow at times. In CI the examples are the same each time.
hypothesis.settings.register_profile(
    "course", deadline=None, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("course")

SMALL_RNN = {"embedding_size": 6, "hidden_size": 8, "dropout": 0.2}
SMALL_TRANSFORMER = {"d_model": 16, "num_heads": 4, "d_ff": 24, "dropout": 0.2}

CONFIGS = {
    "plain GRU": RecurrentConfig(**SMALL_RNN, attention=None, bidirectional=False),
    "plain LSTM, two layers": RecurrentConfig(
        **SMALL_RNN, attention=None, cell="lstm", num_layers=2
    ),
    "additive": RecurrentConfig(**SMALL_RNN),
    "additive LSTM, two layers, one direction": RecurrentConfig(
        **SMALL_RNN, cell="lstm", num_layers=2, bidirectional=False
    ),
    "dot": RecurrentConfig(**SMALL_RNN, attention="dot", num_layers=2),
    "scaled dot": RecurrentConfig(**SMALL_RNN, attention="scaled_dot"),
    "Transformer": TransformerConfig(**SMALL_TRANSFORMER),
    "Transformer, pre-norm, unequal": TransformerConfig(
        **SMALL_TRANSFORMER, norm_first=True, num_encoder_layers=1, num_decoder_layers=3
    ),
    "Transformer, additive": TransformerConfig(**SMALL_TRANSFORMER, scoring="additive"),
    "Transformer, dot": TransformerConfig(**SMALL_TRANSFORMER, scoring="dot"),
}
SOURCE_VOCAB = Vocabulary([f"s{i}" for i in range(12)])
TARGET_VOCAB = Vocabulary([f"t{i}" for i in range(14)])


def build(name: str, seed: int = 0):
    """The small model of that name, in evaluation mode."""
    config = CONFIGS[name]
    kind = RecurrentTranslator if isinstance(config, RecurrentConfig) else Transformer
    torch.manual_seed(seed)
    return kind(SOURCE_VOCAB, TARGET_VOCAB, config).eval()


@pytest.fixture(params=CONFIGS)
def model(request):
    """One small untrained model of each kind, in evaluation mode."""
    return build(request.param)
