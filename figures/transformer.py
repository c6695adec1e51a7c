"""The Transformer: encoder and decoder stacks, their masks, and where K and V come from."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.diagram import (
    GREY,
    INK,
    LARGE,
    SMALL,
    Box,
    Point,
    arrow,
    box,
    cell,
    page,
    panel,
    plus,
    write,
)
from lib.plotting import KEY, PURPLE, QUERY, SKY, VALUE

ENCODER, DECODER = 19, 51  # the middles of the two stacks
WIDE = 22
LANES = {ENCODER: -13, DECODER: 13}  # residual connections run on the outer sides
MASKS = {"padding": lambda query, key: key < 3, "causal": lambda query, key: key <= query}


def draw() -> Figure:
    """Vaswani et al. 2017, figure 1, with the normalisation after each sublayer."""
    figure, ax = page(85)
    _decoder(ax, _encoder(ax))
    _legend(ax)
    return figure


def _encoder(ax: Axes) -> Box:
    panel(ax, 4.5, 17.5, 33, 47.5)
    write(ax, 0.5, 33, "N×", size=LARGE, align="left", bold=True)
    below = _embed(ax, ENCODER, "source words")
    attention = _attention(ax, ENCODER, 26, "multi-head\nself-attention", "padding")
    _fork(ax, below, attention)
    norm = _add_norm(ax, attention, 31.8, skip=(ENCODER, 19.3))
    return _feed_forward(ax, norm, 39.5)


def _decoder(ax: Axes, memory: Box) -> None:
    panel(ax, 37, 17.5, 65.5, 64.6)
    write(ax, 69.5, 41, "N×", size=LARGE, align="right", bold=True)
    below = _embed(ax, DECODER, "target words so far")
    attention = _attention(ax, DECODER, 26, "masked multi-head\nself-attention", "causal")
    _fork(ax, below, attention)
    norm = _add_norm(ax, attention, 31.8, skip=(DECODER, 19.3))

    cross = _attention(ax, DECODER, 43, "multi-head\ncross-attention", "padding")
    keys = (ENCODER - 1, 50.6), (35.6, 50.6), (35.6, 37.6), (DECODER - 7, 37.6)
    values = (ENCODER + 1, 49.2), (34.4, 49.2), (34.4, 36.2), (DECODER, 36.2)
    arrow(ax, memory.top(-1), *keys, cross.bottom(-7), colour=KEY)
    arrow(ax, memory.top(1), *values, cross.bottom(), colour=VALUE)
    arrow(ax, norm.top(7), cross.bottom(7), colour=QUERY)
    norm = _add_norm(ax, cross, 48.8, skip=(DECODER + 7, 35.4))
    last = _feed_forward(ax, norm, 56.5)

    linear = box(ax, DECODER, 69.2, WIDE, 3.4, "linear", GREY)
    softmax = box(ax, DECODER, 75, WIDE, 3.4, "softmax", GREY)
    arrow(ax, last.top(), linear.bottom())
    arrow(ax, linear.top(), softmax.bottom())
    arrow(ax, softmax.top(), (DECODER, 80.3))
    write(ax, DECODER, 82, "probabilities of the next word")


def _embed(ax: Axes, x: float, words: str) -> Box:
    write(ax, x, 2, words)
    embedding = box(ax, x, 7.5, WIDE, 3.4, "embedding", GREY)
    added = plus(ax, x, 13)
    arrow(ax, (x, 3.4), embedding.bottom())
    arrow(ax, embedding.top(), added.bottom())
    side = 1 if LANES[x] > 0 else -1
    write(ax, x + 11.5 * side, 13, "positional\nencoding")
    arrow(ax, (x + 7 * side, 13), added.right() if side > 0 else added.left())
    return added


def _attention(ax: Axes, x: float, y: float, text: str, mask: str) -> Box:
    attention = box(ax, x, y, WIDE, 5.4, text, PURPLE, shift=-2.2)
    _mask(ax, x + 8.2, y, mask)
    return attention


def _mask(ax: Axes, x: float, y: float, name: str) -> None:
    for query in range(4):
        for key in range(4):
            fill = INK if MASKS[name](query, key) else "#CCCCCC"
            cell(ax, x + 0.95 * (key - 1.5), y + 0.95 * (1.5 - query), 0.95, 0.95, fill)


def _fork(ax: Axes, below: Box, attention: Box) -> None:
    """One sequence gives keys, values and queries: self-attention."""
    x, split = below.x, 21
    arrow(ax, below.top(), (x, split), head=False)
    for shift, colour in ((-7, KEY), (0, VALUE), (7, QUERY)):
        arrow(ax, (x, split), (x + shift, split), attention.bottom(shift), colour=colour)


def _add_norm(ax: Axes, sublayer: Box, y: float, skip: Point) -> Box:
    norm = box(ax, sublayer.x, y, WIDE, 2.8, "add & norm", GREY, size=SMALL)
    arrow(ax, sublayer.top(), norm.bottom())
    lane = sublayer.x + LANES[sublayer.x]
    side = norm.right() if LANES[sublayer.x] > 0 else norm.left()
    arrow(ax, skip, (lane, skip[1]), (lane, y), side, colour=GREY)
    return norm


def _feed_forward(ax: Axes, below: Box, y: float) -> Box:
    feed_forward = box(ax, below.x, y, WIDE, 3.6, "feed-forward", SKY)
    arrow(ax, below.top(), feed_forward.bottom())
    return _add_norm(ax, feed_forward, y + 4.9, skip=(below.x, below.y + 3.2))


def _legend(ax: Axes) -> None:
    lines = {"queries": QUERY, "keys": KEY, "values": VALUE, "residual connection": GREY}
    for row, (words, colour) in enumerate(lines.items()):
        y = 81 - 3.6 * row
        arrow(ax, (2, y), (6.5, y), colour=colour)
        write(ax, 8, y, words, align="left")
    _mask(ax, 4.2, 65.2, "padding")
    write(ax, 8, 65.2, "padding mask: nobody\nattends to padding", align="left")
    _mask(ax, 4.2, 58.6, "causal")
    write(ax, 8, 58.6, "causal mask: nobody\nattends to a later word", align="left")
    write(ax, 8, 53.8, "(dark: may attend)", align="left", size=SMALL)
