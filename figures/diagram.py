"""What the diagrams share: a page measured in tenths of an inch, boxes, arrows, words.

Everywhere a query is orange, a key blue, a value green, and a weight has a colour between dark
(0) and light (1), as in the heatmaps of the course.
"""

from dataclasses import dataclass

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from lib.plotting import STYLE, WEIGHTS

INK = "#222222"
GREY = "#8C8C8C"
PAPER = "#F4F4F4"
WIDTH = 70  # tenths of an inch, for every diagram
SMALL, NORMAL, LARGE = 9.5, 10.5, 12  # points; a diagram is shown 7 inches (700 pixels) wide

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """Where a box lies: its centre and its sides."""

    x: float
    y: float
    width: float
    height: float

    def top(self, shift: float = 0) -> Point:
        return self.x + shift, self.y + self.height / 2

    def bottom(self, shift: float = 0) -> Point:
        return self.x + shift, self.y - self.height / 2

    def left(self, shift: float = 0) -> Point:
        return self.x - self.width / 2, self.y + shift

    def right(self, shift: float = 0) -> Point:
        return self.x + self.width / 2, self.y + shift


def page(height: float) -> tuple[Figure, Axes]:
    """An empty page, 7 inches wide and `height` tenths of an inch high."""
    figure = Figure(figsize=(WIDTH / 10, height / 10))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, WIDTH), ylim=(0, height))
    ax.set_axis_off()
    return figure, ax


def chart(width: float, height: float) -> tuple[Figure, Axes]:
    """Empty axes in the style of the course's plots; the sides are in inches."""
    with plt.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="compressed")
        return figure, figure.add_subplot()


def mix(colour: str, other: str, amount: float) -> str:
    """`amount` (0 to 1) of the first colour in the second."""
    pairs = zip(to_rgb(colour), to_rgb(other), strict=True)
    return to_hex([amount * a + (1 - amount) * b for a, b in pairs])


def tint(colour: str) -> str:
    """Pale enough to write on."""
    return mix(colour, "white", 0.25)


def shade(colour: str) -> str:
    """Dark enough to write with on white."""
    return mix(colour, "black", 0.65)


def weight_colour(weight: float) -> tuple:
    """The heatmaps' colour of an attention weight."""
    return matplotlib.colormaps[WEIGHTS](weight)


def box(
    ax: Axes,
    x: float,
    y: float,
    width: float,
    height: float,
    text: str = "",
    colour: str = GREY,
    *,
    size: float = NORMAL,
    fill: str | None = None,
    shift: float = 0,
) -> Box:
    """A rounded box around (x, y) with its text in the middle, or `shift` to the right of it."""
    patch = FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0,rounding_size=0.6"
    )
    patch.set(facecolor=fill or tint(colour), edgecolor=colour, linewidth=1.3, zorder=2)
    ax.add_patch(patch)
    if text:
        write(ax, x + shift, y, text, size=size)
    return Box(x, y, width, height)


def panel(ax: Axes, left: float, bottom: float, right: float, top: float) -> None:
    """A pale ground that holds together what stands on it."""
    shape = "round,pad=0,rounding_size=1.2"
    patch = FancyBboxPatch((left, bottom), right - left, top - bottom, boxstyle=shape)
    patch.set(facecolor=PAPER, edgecolor="#D8D8D8", linewidth=1, zorder=0)
    ax.add_patch(patch)


def cell(ax: Axes, x: float, y: float, width: float, height: float, fill, text: str = "") -> Box:
    """A cell of a table or a vector; its text is white on dark and black on light."""
    patch = Rectangle((x - width / 2, y - height / 2), width, height)
    patch.set(facecolor=fill, edgecolor="white", linewidth=1.2, zorder=2)
    ax.add_patch(patch)
    if text:
        red, green, blue = to_rgb(fill)
        light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5
        write(ax, x, y, text, colour="black" if light else "white")
    return Box(x, y, width, height)


def plus(ax: Axes, x: float, y: float) -> Box:
    """A circled plus: what arrives is added."""
    patch = Circle((x, y), 1.4)
    patch.set(facecolor="white", edgecolor=INK, linewidth=1.3, zorder=2)
    ax.add_patch(patch)
    ax.plot([x - 0.8, x + 0.8], [y, y], [x, x], [y - 0.8, y + 0.8], color=INK, lw=1.3, zorder=3)
    return Box(x, y, 2.8, 2.8)


def arrow(ax: Axes, *points: Point, colour: str = INK, over: bool = False, head: bool = True):
    """A line through the points with a head at its end.

    Args:
        over: it passes over lines that it crosses, with a gap, so that none seem to meet.
    """
    patch = FancyArrowPatch(
        path=Path(points), arrowstyle="-|>,head_width=0.28,head_length=0.5" if head else "-"
    )
    patch.set(color=colour, linewidth=1.6, mutation_scale=12, joinstyle="round", capstyle="butt")
    patch.set(fill=head, zorder=1.5 if over else 1)
    if over:
        patch.set_path_effects([withStroke(linewidth=5, foreground="white")])
    ax.add_patch(patch)


def write(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float = NORMAL,
    colour: str = INK,
    align: str = "center",
    bold: bool = False,
) -> None:
    """Words around (x, y), or beginning or ending there with `align` "left" or "right".

    Single lines stand on one baseline, so that a full stop stays at the foot of its line.
    """
    style = {"size": size, "color": colour, "weight": "bold" if bold else "normal"}
    if "\n" in text:
        ax.text(x, y, text, ha=align, va="center", linespacing=1.25, **style)
    else:
        ax.text(x, y - 0.045 * size, text, ha=align, va="baseline", **style)
