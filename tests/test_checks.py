"""What does not fit is told with its value, before anything is drawn."""

import math

import pytest
import torch

from lib.widgets import checks


@pytest.mark.parametrize("value", [0, 9, 2.0, True, "3", None])
def test_a_number_that_is_not_whole_or_out_of_its_range_is_told(value):
    with pytest.raises(ValueError, match=rf"^heads={value!r}: give a whole number from 1 to 8\.$"):
        checks.whole("heads", value, 1, 8)


@pytest.mark.parametrize("value", [0.0, 2.1, math.nan, math.inf, True, "1"])
def test_a_number_that_is_none_or_out_of_its_range_is_told(value):
    with pytest.raises(ValueError, match=rf"^scale={value!r}: give a number from 0\.1 to 2\.$"):
        checks.number("scale", value, 0.1, 2)


def test_the_bounds_are_allowed():
    assert [checks.whole("n", value, 1, 8) for value in (1, 8)] == [1, 8]
    assert [checks.number("x", value, 0.1, 2) for value in (0.1, 2)] == [0.1, 2.0]


def test_the_first_broken_number_of_a_tensor_is_told_with_its_place():
    values = torch.zeros(3, 4)
    values[1, 2], values[2, 0] = math.nan, math.inf
    with pytest.raises(ValueError, match=r"^keys\[1, 2\] is nan: give finite numbers only\.$"):
        checks.numbers("keys", values)


def test_lists_and_half_precision_and_gradients_are_welcome():
    assert checks.numbers("keys", [[1, 2], [3, 4]]).equal(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    own = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    assert checks.numbers("keys", own).dtype == torch.float32
    assert not checks.numbers("keys", own).requires_grad


def test_what_is_empty_or_no_rectangle_is_told():
    with pytest.raises(ValueError, match=r"^keys has the shape \(0, 3\): there is nothing in it"):
        checks.numbers("keys", torch.zeros(0, 3))
    with pytest.raises(ValueError, match=r"^keys is no rectangle of numbers: "):
        checks.numbers("keys", [[1, 2], [3]])
    with pytest.raises(ValueError, match=r"^keys is no rectangle of numbers: "):
        checks.numbers("keys", ["a"])
