"""Bahdanau's model: before each word the decoder looks back at all the encoder's states."""

from itertools import pairwise

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from figures.diagram import (
    GREY,
    LARGE,
    arrow,
    box,
    cell,
    page,
    panel,
    shade,
    tint,
    weight_colour,
    write,
)
from lib.plotting import KEY, QUERY, SKY, VALUE

SOURCE = ("he", "'s", "calm", ".", "<eos>")
COLUMNS = [17 + 9 * j for j in range(5)]
SHADES = (0.02, 0.1, 0.95, 0.05, 0.0)  # a sketch: "calme" looks at "calm"


def draw() -> Figure:
    """Bahdanau et al. 2015, figure 1 and equations 4 to 7, from the source words up."""
    figure, ax = page(64)
    _encoder(ax)
    _attention(ax)
    _decoder(ax)
    return figure


def _encoder(ax) -> None:
    panel(ax, 12, 5.2, 58, 17.5)
    write(ax, 6, 11.4, "encoder", size=LARGE, bold=True)
    units = [box(ax, x, 8.5, 5, 3.4, "GRU", SKY) for x in COLUMNS]
    for word, unit in zip(SOURCE, units, strict=True):
        write(ax, unit.x, 2, word)
        arrow(ax, (unit.x, 3.4), unit.bottom())
        arrow(ax, unit.top(), (unit.x, 13))
    for left, right in pairwise(units):
        arrow(ax, left.right(0.8), right.left(0.8))
        arrow(ax, right.left(-0.8), left.right(-0.8))
    for j, x in enumerate(COLUMNS):
        ax.add_patch(Rectangle((x - 2.5, 13), 2.5, 3.4, facecolor=tint(KEY), zorder=2))
        ax.add_patch(Rectangle((x, 13), 2.5, 3.4, facecolor=tint(VALUE), zorder=2))
        box(ax, x, 14.7, 5, 3.4, f"$h_{j + 1}$", GREY, fill="none")


def _attention(ax) -> None:
    score = box(ax, 35, 27, 42, 4, r"score   $e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)$", GREY)
    box(ax, 35, 34, 42, 3.4, "softmax over the source words $j$", GREY)
    total = box(ax, 35, 47.4, 42, 4.8, r"weighted mean   $c_i = \sum_j\, \alpha_{ij}\, h_j$", VALUE)
    bus = (COLUMNS[0] + 1.2, 20.5), (63.5, 20.5), (63.5, 47.4), total.right()
    arrow(ax, *bus, colour=VALUE)
    for j, x in enumerate(COLUMNS):
        arrow(ax, (x + 1.2, 16.4), (x + 1.2, 20.5), colour=VALUE, head=False)
        arrow(ax, (x - 1.2, 16.4), (x - 1.2, 18.5), colour=KEY, head=False)
        arrow(ax, (x - 1.2, 18.5), (x - 1.2, 25), colour=KEY, over=True)
        arrow(ax, (x, 29), (x, 32.3))
        arrow(ax, (x, 35.7), (x, 38.2))
        cell(ax, x, 40, 5, 3.6, weight_colour(SHADES[j]), rf"$\alpha_{{i{j + 1}}}$")
        arrow(ax, (x, 41.8), (x, 45))
    arrow(ax, (6, 53.4), (6, 27), score.left(), colour=QUERY)
    write(ax, 7, 34, "query", colour=shade(QUERY), align="left", bold=True)
    write(ax, 13.5, 40, "weights", align="right", bold=True)
    write(ax, 13.5, 22.8, "keys", colour=shade(KEY), align="right", bold=True)
    write(ax, 64.3, 34, "values", colour=shade(VALUE), align="left", bold=True)


def _decoder(ax) -> None:
    panel(ax, 1.5, 52.4, 68.5, 58.4)
    before = box(ax, 6, 55.4, 6, 4, "$s_{i-1}$", QUERY)
    now = box(ax, 35, 55.4, 6, 4, "$s_i$", QUERY)
    write(ax, 59, 55.4, "decoder", size=LARGE, bold=True)
    arrow(ax, before.right(), now.left())
    arrow(ax, now.right(), (52, 55.4))
    arrow(ax, (35, 49.8), now.bottom(), colour=VALUE)
    write(ax, 36, 51.1, "context $c_i$", colour=shade(VALUE), align="left", bold=True)
    arrow(ax, before.top(), (6, 60.6))
    write(ax, 6, 62, "est")
    arrow(ax, (8.2, 62), (32.8, 62), now.top(-2.2))
    arrow(ax, now.top(1.5), (36.5, 60.6))
    write(ax, 36.5, 62, "calme")
