"""The explorer's waves are lib's, its rotations are exact, and what it says of them is true."""

import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.transformer import sinusoidal_positions
from lib.widgets.position_explorer import PositionExplorer, shifted, sinusoids, speeds


def facts(widget: PositionExplorer) -> str:
    assert repr(widget).splitlines()[-1] == widget._view.facts
    return widget._view.facts


def move(widget: PositionExplorer, **values: object) -> None:
    for name, value in values.items():
        widget.controls[name].value = value


@pytest.mark.parametrize(("length", "d_model"), [(2, 2), (60, 32), (256, 512)])
def test_the_table_is_that_of_the_transformer(length, d_model):
    widget = PositionExplorer(d_model=d_model, num_positions=length, position=1, pair=0, shift=0)
    expected = sinusoidal_positions(length, d_model).double()
    torch.testing.assert_close(widget.table, expected, atol=1e-4, rtol=0)


@given(
    st.integers(1, 32), st.integers(2, 64), st.floats(1.1, 1e6), st.integers(-63, 63)
)  # fmt: skip
def test_a_shift_turns_every_position_by_the_same_rotation(pairs, length, base, shift):
    shift = max(1 - length, min(length - 1, shift))
    speed = speeds(2 * pairs, base)
    table = sinusoids(length, 2 * pairs, base)
    low, high = max(0, -shift), length - max(0, shift)
    moved = shifted(table[low:high], shift, speed)
    torch.testing.assert_close(moved, table[low + shift : high + shift], atol=1e-10, rtol=0)
    rotation = torch.block_diag(*(
        torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]], dtype=torch.float64)
        for a in (shift * speed).tolist()
    ))  # fmt: skip
    torch.testing.assert_close(table @ rotation.T, shifted(table, shift, speed))


@given(st.integers(1, 16), st.integers(2, 40), st.floats(1.1, 1e6))
def test_likeness_depends_on_the_distance_alone(pairs, length, base):
    table = sinusoids(length, 2 * pairs, base)
    for distance in range(length):
        expected = (distance * speeds(2 * pairs, base)).cos().sum()
        diagonal = (table @ table.T).diagonal(distance)
        torch.testing.assert_close(diagonal, expected.expand_as(diagonal), atol=1e-9, rtol=0)


@pytest.mark.parametrize("shift", [-10, 0, 1, 53])
def test_it_says_that_the_rotation_fits_and_the_angle_is_right(shift):
    widget = PositionExplorer()
    move(widget, shift=shift)
    assert widget["shift"] == shift
    assert widget.error() < 1e-12
    assert "for every p: error 0 to rounding" in facts(widget)
    angle = float(re.search(r"turns it by (−?[\d.]+)°", facts(widget))[1].replace("−", "-"))
    assert angle == pytest.approx(math.degrees(shift * widget.speed), rel=0.01)
    product = float(re.search(r"= ([\d.]+), as for any two positions", facts(widget))[1])
    assert product == pytest.approx((widget.table[10] @ widget.table[10 + shift]).item(), rel=0.01)


def test_a_table_that_is_no_sinusoid_does_not_fit_and_it_says_by_how_much():
    torch.manual_seed(0)
    learned = torch.randn(12, 8)
    widget = PositionExplorer(learned)
    assert f"does not hold: it is {widget.error():.3g} off" in facts(widget)
    assert f"differ by up to {widget.unevenness():.3g}" in facts(widget)
    likeness = (learned @ learned.T).double()
    worst = max((d.max() - d.min()).item() for d in map(likeness.diagonal, range(12)))
    assert widget.unevenness() == pytest.approx(worst, rel=1e-4)
    assert "one turn" not in widget._view.charts[1].get("note", "")


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_a_table_of_ones_own_is_judged_by_its_own_size(size):
    torch.manual_seed(0)
    same = PositionExplorer(size * sinusoidal_positions(40, 16))
    assert "error 0 to rounding" in facts(same)
    assert "as for any two positions 5 apart" in facts(same)
    other = PositionExplorer(size * torch.randn(40, 16))
    assert "does not hold" in facts(other)
    assert "differ by up to" in facts(other)


@given(st.integers(-70, 70), st.integers(-5, 70), st.sampled_from([8, 16, 64]))
def test_whatever_is_chosen_both_positions_stay_inside_the_table(shift, position, length):
    widget = PositionExplorer(num_positions=64)
    move(widget, num_positions=length, position=position, shift=shift)
    assert 0 <= widget["position"] < length
    assert 0 <= widget["position"] + widget["shift"] < length
    assert len(widget.table) == length
    move(widget, position=length - 1)
    assert widget["position"] == length - 1
    assert widget["shift"] <= 0


def test_a_smaller_table_takes_position_and_pair_along():
    widget = PositionExplorer(position=60, pair=31, shift=0)
    move(widget, num_positions=16, d_model=8)
    assert [widget[name] for name in ("position", "pair")] == [15, 3]
    assert widget._view.charts[0]["shape"] == [8, 16]
    move(widget, num_positions=256)
    assert widget.controls["position"].max == 255
    assert widget["position"] == 15


def test_choosing_on_the_table_moves_position_and_pair():
    widget = PositionExplorer()
    drawn = []
    widget._view.observe(lambda change: drawn.append(change["new"]), names="facts")
    widget._told(widget._view, {"pick": ["table", 33, 21]}, [])
    assert [widget["position"], widget["pair"]] == [33, 10]
    assert len(drawn) == 1  # both at once
    assert "position 33, pair 10" in repr(widget)


def test_the_charts_show_the_waves_the_hands_and_the_likeness():
    widget = PositionExplorer(d_model=8, num_positions=16, position=3, pair=1, shift=4)
    table, waves, clock, vector, likeness = widget._view.charts
    place = torch.arange(16) * 0.1  # 10000^(-2/8)
    assert waves["lines"][0]["y"] == pytest.approx(place.sin().tolist(), abs=1e-4)
    assert waves["lines"][1]["y"] == pytest.approx(place.cos().tolist(), abs=1e-4)
    hands = [(part["x"][1], part["y"][1]) for part in clock["lines"] if part["label"]]
    assert hands[0] == pytest.approx((math.sin(0.3), math.cos(0.3)), abs=1e-4)
    assert hands[1] == pytest.approx((math.sin(0.7), math.cos(0.7)), abs=1e-4)
    assert vector["lines"][0]["y"] == pytest.approx(widget.table[3, 0::2].tolist(), abs=1e-4)
    curves = [dict(zip(part["x"], part["y"], strict=True)) for part in likeness["lines"]]
    shared = curves[0].keys() & curves[1].keys()
    assert len(shared) > 8
    assert [curves[0][x] for x in shared] == pytest.approx([curves[1][x] for x in shared], abs=1e-3)
    assert [mark["at"] for mark in table["marks"]] == [3, 7, 2]


@pytest.mark.parametrize("d_model", [2, 6])
def test_the_smallest_tables_are_drawn(d_model):
    widget = PositionExplorer(d_model=d_model, num_positions=2)
    assert widget._png()[:4] == b"\x89PNG"
    for chart in widget._view.charts:
        for side in "xy":
            assert chart[side]["range"][0] < chart[side]["range"][1]
    assert PositionExplorer(torch.zeros(3, 2))._png()


NAN = math.nan
WRONG = {
    "d_model=7 is odd": {"d_model": 7},
    "num_positions=1: give a whole number from 2 to 256": {"num_positions": 1},
    "base=1: give a number from": {"base": 1},
    "base=nan": {"base": NAN},
    "position=64: give a whole number from 0 to 63": {"position": 64},
    "pair=32: give a whole number from 0 to 31": {"pair": 32},
    "shift=60: give a whole number from -10 to 53": {"shift": 60},
    r"encoding\[2, 1\] is nan": {"encoding": [[0.0, 1], [0, 1], [0, NAN]]},
    r"encoding has the shape \(2,\)": {"encoding": [0.0, 1.0]},
    r"encoding has the shape \(1, 2\)": {"encoding": [[0.0, 1.0]]},
    "d_model=3 is odd": {"encoding": [[0.0, 1.0, 2.0]] * 4},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_input_is_told_with_its_value(message):
    with pytest.raises(ValueError, match=message):
        PositionExplorer(**WRONG[message])


def test_where_no_widget_is_shown_there_is_its_picture_and_its_text():
    widget = PositionExplorer()
    bundle, metadata = widget._repr_mimebundle_()
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == repr(widget)
    assert repr(widget) == repr(PositionExplorer())
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["image/png"]) < 200_000  # of the 700,000 that a notebook may have
