"""The encoder–decoder whose sentence passes through one vector of fixed size."""

from itertools import pairwise

from matplotlib.figure import Figure

from figures.diagram import LARGE, arrow, box, page, panel, shade, write
from lib.plotting import PURPLE, SKY

SOURCE = ("he", "'s", "calm", ".", "<eos>")
TARGET = ("il", "est", "calme", ".", "<eos>")


def draw() -> Figure:
    """Cho et al. 2014, figure 1: the decoder sees the vector c at every step, and nothing else."""
    figure, ax = page(28)
    panel(ax, 1.5, 6, 32.5, 14)
    panel(ax, 39.5, 6, 69, 14)
    write(ax, 17, 25.5, "encoder", size=LARGE, bold=True)
    write(ax, 54.5, 25.5, "decoder", size=LARGE, bold=True)
    encoder = [box(ax, 5 + 6 * j, 10, 4.2, 4, f"$h_{j + 1}$", SKY) for j in range(5)]
    decoder = [box(ax, 42.8 + 5.8 * i, 10, 4.2, 4, f"$s_{i + 1}$", SKY) for i in range(5)]
    vector = box(ax, 36, 10, 3.6, 6.5, "$c$", PURPLE, size=LARGE)
    reading, writing = [*encoder, vector], [vector, *decoder]
    for before, after in [*pairwise(reading), *pairwise(writing)]:
        arrow(ax, before.right(), after.left())
    for word, state in zip(SOURCE, encoder, strict=True):
        write(ax, state.x, 2.8, word)
        arrow(ax, (state.x, 4.2), state.bottom())
    arrow(ax, vector.top(), (36, 17), (decoder[-1].x - 1, 17), colour=PURPLE, head=False)
    for state, last, word in zip(decoder, ("<bos>", *TARGET[:-1]), TARGET, strict=True):
        write(ax, state.x, 2.8, last)
        arrow(ax, (state.x, 4.2), state.bottom())
        arrow(ax, (state.x - 1, 17), state.top(-1), colour=PURPLE)
        arrow(ax, state.top(1), (state.x + 1, 15), head=False)
        arrow(ax, (state.x + 1, 15), (state.x + 1, 20), over=True)
        write(ax, state.x + 1, 21.4, word)
    story = "However long the sentence:\none vector of fixed size holds it all"
    write(ax, 34.5, 18.5, story, colour=shade(PURPLE), align="right")
    return figure
