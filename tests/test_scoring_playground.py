"""The playground's numbers are lib's, and what it says of them is true."""

import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.attention import scaled_dot_scores
from lib.widgets.scoring_playground import (
    MEASURES,
    OWN,
    ScoringPlayground,
    entropy,
    jacobian_norm,
)

BITS = re.compile(r"dot ([\d.]+), scaled dot ([\d.]+), additive ([\d.]+) of ([\d.]+) bits")


def own(queries: int = 3, keys: int = 4, size: int = 6, factor: float = 1.0) -> tuple:
    torch.manual_seed(5)
    return factor * torch.randn(queries, size), factor * torch.randn(keys, size)


def facts(widget: ScoringPlayground) -> str:
    assert repr(widget).splitlines()[-1] == widget._view.facts
    return widget._view.facts


scores = st.lists(st.floats(-30, 30), min_size=2, max_size=9)


@given(scores)
def test_entropy_lies_between_zero_and_that_of_equal_weights(values):
    bits = entropy(torch.tensor(values, dtype=torch.float64).softmax(dim=-1)).item()
    assert -1e-9 <= bits <= math.log2(len(values)) + 1e-9


def test_entropy_of_known_weights():
    weights = torch.tensor([[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]])
    torch.testing.assert_close(entropy(weights), torch.tensor([1.0, 0.0, 2.0]))


@given(scores)
def test_the_gradient_is_that_of_the_softmax_by_autograd(values):
    at = torch.tensor(values, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda z: z.softmax(dim=-1), at)
    norm = jacobian_norm(at.softmax(dim=-1))
    torch.testing.assert_close(norm, jacobian.norm(), atol=1e-7, rtol=0)
    assert norm <= 0.5 + 1e-9


def test_the_scores_are_those_of_lib_for_the_readers_own_vectors():
    query, keys = own()
    widget = ScoringPlayground(query, keys, temperature=2.0)
    found = widget.scores()
    torch.testing.assert_close(found["dot"], query @ keys.T / 2)
    torch.testing.assert_close(found["scaled dot"], scaled_dot_scores(query, keys) / 2)
    for d in (1, 2, 4):
        scaled = scaled_dot_scores(query[:, :d], keys[:, :d]) / 2
        torch.testing.assert_close(widget.scores(d)["scaled dot"], scaled)
    for weights in widget.weights().values():
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3))


@pytest.mark.parametrize("size", [1, 2, 3, 100, 700])
def test_vectors_of_any_size_are_measured_up_to_their_own(size):
    widget = ScoringPlayground(*own(1, 2, size))
    options = widget.controls["d"].options
    assert options[0] == 1
    assert options[-1] == size
    assert list(options) == sorted(set(options))
    for measure in MEASURES:
        widget.controls["curve"].value = measure
        curve = widget._view.charts[-1]
        low, high = curve["y"]["range"]
        assert all(low <= value <= high for part in curve["lines"] for value in part["y"])
        assert curve["x"]["range"][0] < curve["x"]["range"][1]


@given(st.floats(0.1, 1000), st.integers(0, 3))
def test_additive_scores_stay_within_the_norm_of_v_however_long_the_vectors(factor, seed):
    widget = ScoringPlayground(*own(factor=factor), seed=seed)
    assert widget.scores()["additive"].abs().max() <= widget._bound() + 1e-5
    assert widget.controls["temperature"].value == 1


def test_the_additive_score_keeps_v_while_d_changes():
    widget = ScoringPlayground()
    bounds = set()
    for d in (1, 64, 512):
        widget.controls["d"].value = d
        bounds.add(re.search(r"within ±([\d.]+)", widget._view.charts[2]["note"])[1])
    assert len(bounds) == 1


def test_dot_saturates_as_vectors_grow_and_the_root_keeps_the_entropy():
    widget = ScoringPlayground()
    places = widget.saturated()
    assert places["scaled dot"] == places["additive"] == []
    assert places["dot"]
    assert f"dot from d = {places['dot'][0]} on" in facts(widget)
    for d in places["dot"]:
        largest = widget.weights(d)["dot"].amax(dim=-1)
        assert (largest >= 0.9).float().mean() >= 0.5
    below = widget.weights(places["dot"][0] // 2)["dot"].amax(dim=-1)
    assert (below >= 0.9).float().mean() < 0.5
    by_d = [widget._measured("entropy", d) for d in (1, 8, 64, 512)]
    assert max(e["scaled dot"] for e in by_d) - min(e["scaled dot"] for e in by_d) < 0.15
    assert [e["dot"] for e in by_d] == sorted((e["dot"] for e in by_d), reverse=True)


def test_what_it_says_changes_with_the_controls_and_is_computed():
    widget = ScoringPlayground()
    seen = set()
    for d in (1, 64, 512):
        for temperature in (2**-5, 1.0, 2**4.5):
            widget.controls["d"].value = d
            widget.controls["temperature"].value = temperature
            *told, most = map(float, BITS.search(facts(widget)).groups())
            means = [entropy(weights).mean().item() for weights in widget.weights().values()]
            assert told == pytest.approx(means, abs=0.006)
            assert most == 3
            seen.add(facts(widget))
    assert len(seen) == 9


def test_temperature_does_what_the_scale_would_do_and_it_says_so_only_then():
    widget = ScoringPlayground(d=128)
    assert "does to dot" not in facts(widget)
    scaled = widget.weights()["scaled dot"]
    widget.controls["temperature"].value = 2**3.5
    torch.testing.assert_close(widget.weights()["dot"], scaled)
    assert "Temperature 11.3 does to dot what × 0.0884 would do." in facts(widget)
    widget.controls["scale"].value = "none"
    assert "does to dot" not in facts(widget)


def test_each_scale_multiplies_and_a_factor_of_ones_own_has_its_slider():
    widget = ScoringPlayground(d=16)
    dot = widget.scores()["dot"]
    for scale, factor in (("none", 1), ("1/√d", 1 / 4), ("1/d", 1 / 16)):
        widget.controls["scale"].value = scale
        torch.testing.assert_close(widget.scores()["scaled dot"], factor * dot)
        assert widget.controls["factor"].disabled
    widget.controls["scale"].value = OWN
    widget.controls["factor"].value = 0.1
    assert not widget.controls["factor"].disabled
    torch.testing.assert_close(widget.scores()["scaled dot"], 0.1 * dot)
    assert ScoringPlayground(scale=0.5)["factor"] == 0.5


def test_bars_show_the_query_that_is_chosen():
    widget = ScoringPlayground(labels=list("abcdefgh"))
    widget.controls["query"].value = 7
    for chart, weights in zip(widget._view.charts, widget.weights().values(), strict=False):
        assert chart["labels"] == list("abcdefgh")
        assert chart["values"] == pytest.approx(weights[6].tolist(), abs=1e-4)
    assert "query 7 of 256 random, 8 keys" in repr(widget)


def test_one_query_needs_no_choice():
    query, keys = own(1)
    widget = ScoringPlayground(query[0], keys, ["<b>", "$x$", "", "é"])
    assert "query" not in widget.controls
    assert "query 1 of 1 of yours, 4 keys" in repr(widget)
    assert "(puts 0.9 or more" in facts(widget)
    assert widget._png()[:4] == b"\x89PNG"


def test_equal_keys_and_huge_scores_are_drawn():
    same = ScoringPlayground([1.0, 2.0], [[3.0, 4.0]] * 3)
    huge = ScoringPlayground([1e15, 1e15], [[1e15, 0.0], [0.0, -1e15]])
    for widget in (same, huge):
        for measure in MEASURES:
            widget.controls["curve"].value = measure
            assert widget._png()
    assert entropy(same.weights()["dot"]).item() == pytest.approx(math.log2(3))
    assert huge.saturated()["dot"] == [1, 2]
    assert "dot at every d" in facts(huge)


def test_the_readers_random_numbers_go_on_as_they_would():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    ScoringPlayground(seed=9)
    assert torch.rand(2).equal(expected)


def test_the_same_seed_gives_the_same_text_and_another_seed_another():
    assert repr(ScoringPlayground()) == repr(ScoringPlayground())
    assert repr(ScoringPlayground()) != repr(ScoringPlayground(seed=1))


NAN = math.nan
WRONG = {
    "keys is missing": {"query": [1.0]},
    "query is missing": {"keys": [[1.0], [2.0]]},
    r"query\[1\] is nan": {"query": [1.0, NAN], "keys": [[1.0, 2.0]] * 2},
    r"keys\[1, 0\] is inf": {"query": [1.0], "keys": [[1.0], [math.inf]]},
    r"query has the shape \(1, 1, 1\)": {"query": [[[1.0]]], "keys": [[1.0], [2.0]]},
    r"keys have the shape \(1, 2\)": {"query": [1.0, 2.0], "keys": [[1.0, 2.0]]},
    "a query of 3 numbers and keys of 2": {"query": [1.0] * 3, "keys": [[1.0, 2.0]] * 2},
    r"3 labels \['a', 'b', 'c'\] for 2 keys": {
        "query": [1.0], "keys": [[1.0], [2.0]], "labels": ["a", "b", "c"]
    },
    "8 labels 'abcdefgh' for 8 keys": {"labels": "abcdefgh"},
    "d=0: give a whole number from 1 to 512": {"d": 0},
    "d=3: give a whole number from 1 to 2": {
        "query": [1.0, 2.0], "keys": [[1.0, 2.0]] * 2, "d": 3
    },
    "scale='√d': give a number or one of '1/√d', 'none', '1/d'": {"scale": "√d"},
    "scale=50: give a number from 0.001 to 10": {"scale": 50},
    "temperature=0: give a number from 0.03125 to 32": {"temperature": 0},
    "temperature=nan": {"temperature": NAN},
    "num_keys=1: give a whole number from 2 to 64": {"num_keys": 1},
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_wrong_input_is_told_with_its_value(message):
    with pytest.raises(ValueError, match=message):
        ScoringPlayground(**WRONG[message])


def test_where_no_widget_is_shown_there_is_its_picture_and_its_text():
    widget = ScoringPlayground()
    bundle, metadata = widget._repr_mimebundle_()
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == repr(widget)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["image/png"]) < 100_000
    assert len(repr(widget).splitlines()) == 5
