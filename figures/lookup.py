"""Attention as a soft lookup: compare, normalise, average; every number is computed."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.diagram import (
    GREY,
    INK,
    NORMAL,
    Box,
    arrow,
    box,
    cell,
    page,
    plus,
    shade,
    tint,
    weight_colour,
    write,
)
from lib.plotting import KEY, QUERY, VALUE

QUERY_VECTOR = np.array([1, 1])
KEYS = np.array([[2, 1], [1, 0], [-1, 1], [0, -2]])
VALUES = np.array([[8, 0], [4, 4], [0, 8], [2, 2]])
ROWS = (23.5, 18.5, 13.5, 8.5)
MIDDLE = 16


def draw() -> Figure:
    """Scaled dot-product attention of one query (Vaswani et al. 2017, equation 1)."""
    scores = KEYS @ QUERY_VECTOR / np.sqrt(2)
    weights = np.exp(scores) / np.exp(scores).sum()
    figure, ax = page(34)
    _words(ax)
    query = _vector(ax, 4.8, MIDDLE, QUERY_VECTOR, QUERY)
    softmax = box(ax, 32.5, MIDDLE, 3.4, 19, "", GREY)
    ax.text(32.5, MIDDLE, "softmax", size=NORMAL, rotation=90, ha="center", va="center")
    for row, key, score, weight, value in zip(ROWS, KEYS, scores, weights, VALUES, strict=True):
        key_box = _vector(ax, 16.5, row, key, KEY)
        weight_box = cell(ax, 39.5, row, 5.4, 3.4, weight_colour(weight), f"{weight:.2f}")
        value_box = _vector(ax, 48.5, row, value, VALUE)
        arrow(ax, query.right(), key_box.left(), colour=QUERY)
        arrow(ax, key_box.right(), (22.2, row), colour=KEY)
        write(ax, 25, row, _number(score, 2))
        arrow(ax, (27.7, row), (softmax.left()[0], row))
        arrow(ax, (softmax.right()[0], row), weight_box.left())
        write(ax, 43.6, row, "×")
        arrow(ax, value_box.right(), (57, MIDDLE), colour=VALUE, head=False)
    total = plus(ax, 57, MIDDLE)
    output = _vector(ax, 65, MIDDLE, weights @ VALUES, VALUE, digits=1)
    arrow(ax, total.right(), output.left(), colour=VALUE)
    return figure


def _words(ax: Axes) -> None:
    for x, name, formula, colour in (
        (4.8, "query", "$q$", shade(QUERY)),
        (16.5, "keys", "$k_j$", shade(KEY)),
        (25.2, "scores", r"$q \cdot k_j \,/\, \sqrt{d}$", INK),
        (39.5, "weights", r"$\alpha_j$", INK),
        (48.5, "values", "$v_j$", shade(VALUE)),
        (65, "output", r"$\sum_j\, \alpha_j\, v_j$", shade(VALUE)),
    ):
        write(ax, x, 31.5, name, colour=colour, bold=True)
        write(ax, x, 28.6, formula, colour=colour)
    for x, step in ((18, "compare"), (32.5, "normalise"), (57, "average")):
        write(ax, x, 3, step, bold=True)


def _vector(ax: Axes, x: float, y: float, numbers: np.ndarray, colour: str, digits: int = 0) -> Box:
    for place, number in zip((-1.9, 1.9), numbers, strict=True):
        cell(ax, x + place, y, 3.8, 3.4, tint(colour), _number(number, digits))
    return box(ax, x, y, 7.6, 3.4, "", colour, fill="none")


def _number(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")
