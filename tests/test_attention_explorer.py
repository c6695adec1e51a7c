"""The explorer's Python side: what is refused, what travels, what is left where no widget is."""

import base64
import io
import json

import numpy as np
import pytest
import torch
from conftest import build
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from traitlets import TraitError

from lib.decoding import translate
from lib.metrics import alignment_error_rate, links_from_attention
from lib.text import Pair
from lib.widgets.attention_explorer import BUDGET, AttentionExplorer, maps_of
from lib.widgets.attention_maps import AttentionMaps, pack

PAIR = Pair(("s1", "s2"), ("t1", "t2", "t3"), frozenset({(0, 0), (1, 2)}))


def rows(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).softmax(dim=-1)


def words(count, letter="w"):
    return [f"{letter}{i}" for i in range(count)]


@given(
    st.integers(1, 3), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9), st.integers(0, 9)
)
def test_what_travels_is_the_weight_to_half_a_255th(layers, heads, queries, keys, seed):
    weights = rows(layers, heads, queries, keys, seed=seed)
    groups, data = pack([AttentionMaps(weights, words(keys), words(queries))])
    levels = np.frombuffer(data, np.uint8).reshape(weights.shape)
    assert np.abs(levels / 255 - weights.numpy()).max() <= 0.5 / 255 + 1e-6
    assert groups[0]["coarse"] == (queries, keys)
    assert len(groups[0]["maps"]) == layers * heads


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 900))
def test_a_coarse_map_keeps_to_the_budget_and_shows_every_peak(queries, keys, budget):
    maps = [AttentionMaps(rows(2, queries, keys), words(keys), words(queries)) for _ in range(2)]
    budget = max(budget, 4)  # a byte for each map
    groups, data = pack(maps, budget)
    assert len(data) <= budget
    start = 0
    for maps_, group in zip(maps, groups, strict=True):
        height, width = group["coarse"]
        levels = np.frombuffer(data, np.uint8)[start : start + 2 * height * width]
        assert group["start"] == start
        start += levels.size
        peak = (maps_.weights.amax() * 255).round().item()
        assert levels.max() == peak
    assert start == len(data)


def test_error_rates_are_those_of_lib_metrics_and_leave_eos_out():
    weights = rows(2, 3, 4, 3)
    maps = AttentionMaps(weights, ("a", "b", "<eos>"), ("c", "d", "e", "<eos>"), gold={(0, 1)})
    expected = [
        alignment_error_rate([links_from_attention(one, 2, 3)], [{(0, 1)}])
        for one in weights.flatten(0, 1)
    ]
    assert maps.error_rates() == expected
    assert AttentionMaps(rows(2, 2), words(2), words(2)).error_rates() == [None]


def changed(place, value):
    weights = rows(2, 3)
    weights[place] = value
    return weights


WRONG = {
    "rows that do not sum to one": (
        {"weights": changed((1, 0), 3.0)},
        r"the weights of query 1 in layer 1, head 1 sum to 3\.\d+ instead of 1",
    ),
    "NaN": ({"weights": changed((0, 0), float("nan"))}, "NaN or infinity"),
    "negative": ({"weights": torch.tensor([[1.5, -0.5, 0], [1, 0, 0]])}, "a weight of -0.5"),
    "labels": ({"keys": words(4)}, "2 queries × 3 keys, but 2 query labels and 4 key labels"),
    "empty": ({"weights": torch.zeros(0, 3), "queries": ()}, r"shape \(0, 3\)"),
    "too many axes": ({"weights": rows(1, 1, 1, 2, 3)}, r"shape \(1, 1, 1, 2, 3\)"),
    "gold outside": ({"gold": [(3, 0)]}, r"gold link \(key 3, query 0\) is outside 3 keys and 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_refused_in_one_sentence(name):
    changes, message = WRONG[name]
    arguments = {"weights": rows(2, 3), "keys": words(3), "queries": words(2)} | changes
    with pytest.raises(ValueError, match=message):
        AttentionExplorer(**arguments)


def test_a_row_of_zeros_and_half_precision_are_fine():
    weights = rows(2, 3)
    weights[1] = 0
    AttentionExplorer(weights, words(3), words(2))
    AttentionExplorer(rows(64, 200).bfloat16(), words(200), words(64))


def test_without_queries_the_keys_are_asked_by_themselves():
    explorer = AttentionExplorer(rows(3, 3), words(3))
    assert explorer.groups[0]["queries"] == explorer.groups[0]["keys"] == tuple(words(3))


@pytest.mark.parametrize("name", ["additive", "Transformer"])
def test_a_model_shows_every_attention_it_has_and_a_pair_brings_its_gold(name):
    model = build(name)
    explorer = AttentionExplorer.of(model, PAIR)
    kinds = {group["name"]: group for group in explorer.groups}
    assert set(kinds) == set(translate(model, [PAIR.source])[0].attention)
    assert kinds["cross"]["gold"] == [(0, 0), (1, 2)]
    assert kinds["cross"]["queries"] == ("t1", "t2", "t3", "<eos>")
    assert all(group["gold"] is None for kind, group in kinds.items() if kind != "cross")
    assert AttentionExplorer.of(model, ["s1"]).groups[0]["gold"] is None


def test_a_model_without_attention_and_an_empty_sentence_are_refused():
    with pytest.raises(ValueError, match="a translation without attention"):
        AttentionExplorer.of(build("plain GRU"), ["s1"])
    with pytest.raises(ValueError, match="is empty"):
        AttentionExplorer.of(build("additive"), "")
    with pytest.raises(ValueError, match="no attention to show"):
        AttentionExplorer([])


def test_the_exact_weights_are_sent_when_the_browser_asks(monkeypatch):
    weights = rows(2, 2, 5, 4)
    explorer = AttentionExplorer(weights, words(4), words(5))
    sent = []
    monkeypatch.setattr(explorer, "send", lambda content, buffers: sent.append((content, buffers)))
    explorer._handle_custom_msg({"want": [0, 3]}, [])
    explorer._handle_custom_msg({"want": [0, 4]}, [])  # a map that is there no more
    explorer._handle_custom_msg({"want": [1, 0]}, [])
    ((content, buffers),) = sent
    assert content == {"map": [0, 3]}
    exact = np.frombuffer(buffers[0], np.float32).reshape(5, 4)
    assert (exact == weights[1, 1].numpy()).all()


def test_a_page_that_cannot_be_large_enough_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("lib.widgets.attention_explorer.LARGEST_PAGE", 10)
    with pytest.raises(ValueError, match="too many for a page"):
        AttentionExplorer(rows(4, 4), words(4)).save_html(tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_word_can_end_the_script_of_a_saved_page(title, word):
    explorer = AttentionExplorer(rows(1, 1), [word], [word], title=title)
    page = explorer._page()
    start = page.index('id="state">') + len('id="state">')
    state = json.loads(page[start : page.index("</script>", start)])
    assert state["title"] == title
    assert state["groups"][0]["keys"] == [word]


def test_what_is_large_stays_small_until_it_is_looked_at():
    explorer = AttentionExplorer(rows(4, 8, 128, 128), words(128))
    assert len(explorer.coarse) <= BUDGET
    bundle, _ = explorer._repr_mimebundle_()
    assert len(bundle["image/png"]) < 300_000


def test_text_and_picture_stand_in_where_there_is_no_widget():
    explorer = AttentionExplorer.of(build("Transformer"), PAIR)
    assert repr(explorer) == repr(AttentionExplorer.of(build("Transformer"), PAIR))
    bundle, metadata = explorer._repr_mimebundle_()
    assert bundle["text/plain"].startswith("AttentionExplorer: cross, layer 1, head 1, 4 queries")
    assert "alignment error rate" in bundle["text/plain"]
    assert "t1 → " in bundle["text/plain"]
    assert metadata["image/png"]["alt"] == bundle["text/plain"]
    first = base64.b64decode(bundle["image/png"])
    assert Image.open(io.BytesIO(first)).width > 200
    explorer.map = 3
    bundle, _ = explorer._repr_mimebundle_()
    assert "layer 1, head 4" in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]) != first


def test_a_map_that_is_not_there_cannot_be_chosen():
    explorer = AttentionExplorer(rows(2, 2, 3, 3), words(3))
    with pytest.raises(TraitError, match="map=4: there are 4, counted from 0"):
        explorer.map = 4
    with pytest.raises(TraitError, match="group=1: there are 1"):
        explorer.group = 1
    with pytest.raises(TraitError):
        explorer.view = "pie"


def test_show_replaces_the_maps_and_keeps_the_reader_where_that_is_possible():
    model = build("Transformer")
    explorer = AttentionExplorer.of(model, PAIR)
    explorer.group, explorer.map = 1, 3
    explorer.show(maps_of(translate(model, [("s1", "s2", "s3")])[0]))
    assert (explorer.group, explorer.map) == (1, 3)
    assert explorer.groups[1]["keys"] == ("s1", "s2", "s3", "<eos>")
    explorer.show([AttentionMaps(rows(2, 2), words(2), words(2))])
    assert (explorer.group, explorer.map) == (0, 0)
    assert "2 queries" in repr(explorer)
