"""Multi-head attention: project, split, attend in each head, concatenate, project."""

from matplotlib.figure import Figure

from figures.diagram import GREY, SMALL, arrow, box, cell, mix, page, write
from lib.plotting import KEY, PURPLE, QUERY, VALUE

HEADS = 4
INPUTS = (("queries", "Q", QUERY), ("keys", "K", KEY), ("values", "V", VALUE))
MIDDLE = 38


def draw() -> Figure:
    """Vaswani et al. 2017, figure 2 and section 3.2.2, with four heads."""
    figure, ax = page(63)
    heads = [_head(ax, 15 + 15.4 * i, i + 1) for i in range(HEADS)]
    for place, (name, letter, colour) in enumerate(INPUTS, start=-1):
        centre = MIDDLE + 22 * place
        source = box(ax, centre, 4, 16, 4, name, colour)
        linear = box(ax, centre, 11.5, 16, 4, f"linear  $W^{letter}$", colour)
        arrow(ax, source.top(), linear.bottom(), colour=colour)
        arrow(ax, linear.top(), (centre, 17), colour=colour)
        for i, head in enumerate(heads):
            left = centre - 6 + 4 * i
            part = cell(ax, left, 18.7, 4, 3.4, _shade(colour, i), f"${letter}_{i + 1}$")
            arrow(ax, part.top(), head.bottom(4.2 * place), colour=colour)
    for i, head in enumerate(heads):
        left = MIDDLE - 12 + 8 * i
        part = cell(ax, left, 44, 8, 3.4, _shade(PURPLE, i), f"head {i + 1}")
        arrow(ax, head.top(), part.bottom())
    joined = box(ax, MIDDLE, 52, 32, 4, "linear  $W^O$", PURPLE)
    arrow(ax, (MIDDLE, 45.7), joined.bottom())
    arrow(ax, joined.top(), (MIDDLE, 58.5))
    write(ax, MIDDLE, 60.4, "output")
    write(ax, 55, 44, "each $d_{\\mathrm{model}} / 4$ wide", align="left", size=SMALL)
    steps = {11.5: "project", 18.7: "split", 33: "attend", 44: "concatenate", 52: "project"}
    for y, step in steps.items():
        write(ax, 0.8, y, step, align="left", bold=True, size=SMALL)
    return figure


def _head(ax, x: float, number: int):
    formula = f"$Q_{number}$, $K_{number}$, $V_{number}$"
    return box(ax, x, 33, 13.4, 6.4, f"attention of\n{formula}", GREY)


def _shade(colour: str, head: int) -> str:
    return mix(colour, "white", 0.25 + 0.12 * head)
