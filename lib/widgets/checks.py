"""What a widget asks of its settings and tensors before it draws anything."""

import math
from collections.abc import Sequence
from numbers import Integral, Real

import torch
from torch import Tensor

Number = float | int


def whole(name: str, value: object, low: int, high: int) -> int:
    """The value, if it is a whole number within the bounds (both included).

    Raises:
        ValueError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= value <= high:
        raise ValueError(f"{name}={value!r}: give a whole number from {low} to {high}.")
    return int(value)


def number(name: str, value: object, low: Number, high: Number) -> float:
    """The value, if it is a finite number within the bounds (both included).

    Raises:
        ValueError: it is not.
    """
    fits = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not fits or not low <= value <= high:
        raise ValueError(f"{name}={value!r}: give a number from {low:g} to {high:g}.")
    return float(value)


def numbers(name: str, values: Tensor | Sequence) -> Tensor:
    """The values as a tensor of their own in float32, if all are finite and there is one at all.

    Raises:
        ValueError: they are not.
    """
    try:
        tensor = torch.as_tensor(values).detach().float().cpu()
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{name} is no rectangle of numbers: {error}") from None
    if 0 in tensor.shape:
        raise ValueError(f"{name} has the shape {tuple(tensor.shape)}: there is nothing in it.")
    broken = (~tensor.isfinite()).nonzero()
    if len(broken):
        place = tuple(broken[0].tolist())
        where = f"{name}[{', '.join(map(str, place))}]"
        raise ValueError(f"{where} is {tensor[place].item()}: give finite numbers only.")
    return tensor
