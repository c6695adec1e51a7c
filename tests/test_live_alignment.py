"""The alignment that is looked at while a model trains."""

import pytest
import torch
from conftest import build

from lib.decoding import force
from lib.metrics import alignment_error_rate, links_from_attention
from lib.text import Pair
from lib.training import fit
from lib.widgets.live_alignment import MOST_FRAMES, LiveAlignment

PAIR = Pair(("s1", "s2"), ("t1", "t2"), frozenset({(0, 0), (1, 1)}))
TRAIN = [Pair((f"s{i % 12}", f"s{i % 5}"), (f"t{i % 12}", f"t{i % 5}")) for i in range(60)]


def labels(live):
    return [frame["label"] for frame in live.groups[0]["maps"]]


@pytest.mark.parametrize("name", ["additive", "Transformer"])
def test_training_with_it_is_training_without_and_each_step_is_kept(name):
    alone, watched = build(name), build(name)
    live = LiveAlignment(watched, PAIR)
    arguments = {"epochs": 2, "batch_size": 10, "progress": False}
    fit(alone, TRAIN, **arguments)
    fit(watched, TRAIN, on_step=live, **arguments)
    assert all(map(torch.equal, alone.state_dict().values(), watched.state_dict().values()))
    assert labels(live)[0] == "before training"
    assert [label.split(",")[0] for label in labels(live)[1:]] == [
        f"step {i}" for i in range(1, 13)
    ]
    assert live.map == 12
    weights = force(watched, [PAIR])[0].attention["cross"][-1].mean(dim=0)
    torch.testing.assert_close(live._maps[0].map(12), weights)
    rate = alignment_error_rate([links_from_attention(weights, 2, 2)], [PAIR.alignment])
    assert live.groups[0]["maps"][12]["aer"] == rate


def test_many_steps_become_frames_at_equal_distances():
    model = build("additive")
    live = LiveAlignment(model, PAIR)
    for step in range(1, 500):
        live(model, step, 1.0)
    steps = [int(label.split()[1].strip(",")) for label in labels(live)[1:]]
    assert len(steps) < MOST_FRAMES
    assert {b - a for a, b in zip([0, *steps], steps, strict=False)} == {8}
    assert 500 - steps[-1] <= 8
    assert live.map == len(steps)


def test_a_model_without_attention_is_refused():
    with pytest.raises(ValueError, match="without cross-attention aligns nothing"):
        LiveAlignment(build("plain GRU"), PAIR)


def test_its_text_does_not_depend_on_what_was_learned():
    live = LiveAlignment(build("additive"), PAIR)
    assert repr(live) == "LiveAlignment: s1 s2 → t1 t2"
    assert live._repr_mimebundle_()[0]["text/plain"] == repr(live)
