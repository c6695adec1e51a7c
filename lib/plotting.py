"""Pictures: tensors, tables and token lists in, matplotlib out; nothing here knows a model.

In a notebook a figure shows itself at the end of its cell, so write `_ = heatmap(…)`: the
picture then stands alone, without the name of the returned object under it.
"""

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from cycler import cycler
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from torch import Tensor

# Okabe & Ito (2008), "Color universal design": told apart with any colour vision.
# Yellow, too pale for a line on white, is left out.
BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK = "#56B4E9", "#CC79A7", "#000000"
COLOURS = (BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE, BLACK)
QUERY, KEY, VALUE = ORANGE, BLUE, GREEN  # the same in every diagram of the course
WEIGHTS = "cividis"  # dark = 0, light = 1; read alike with and without red–green vision
STYLE = {
    "axes.grid": False,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "figure.figsize": (6.0, 3.6),
    "font.size": 10,
    "image.cmap": WEIGHTS,
    "legend.frameon": False,
    "savefig.dpi": 100,
}
LONGEST_LABEL = 20  # characters; what is longer ends in "…"
MOST_LABELS = 48  # on a side; of more words, only every second, third … is named

Weights = Tensor | np.ndarray | Sequence
Links = Iterable[tuple[int, int]]


def use_style() -> None:
    """Give pictures that a notebook draws by itself the course's colours, sizes and layout."""
    plt.rcParams.update(STYLE)


def _styled(draw: Callable) -> Callable:
    """Run `draw` in the house style and leave the reader's settings as they were."""

    @functools.wraps(draw)
    def styled(*args, **kwargs):
        # Not rc_context: it would also undo what a notebook's backend, which starts with the first
        # figure, sets for good, and no later figure would be shown.
        own = {key: plt.rcParams[key] for key in STYLE}
        plt.rcParams.update(STYLE)
        try:
            return draw(*args, **kwargs)
        finally:
            plt.rcParams.update(own)

    return styled


@_styled
def heatmap(
    weights: Weights,
    keys: Sequence,
    queries: Sequence,
    *,
    ax: Axes | None = None,
    gold: Links | None = None,
    title: str | None = None,
    colorbar: bool = False,
    annotate: bool = False,
) -> Axes:
    """One map of attention weights: a row per query, a column per key, colours from 0 to 1.

    Args:
        weights: (query, key), after the softmax.
        gold: correct links (source index, target index), outlined; the source words are the
            keys, the target words the queries.
        ax: draw here; without it, on a new figure whose size fits the labels.
        annotate: write each weight into its cell.

    Raises:
        ValueError: the weights are no (query, key) numbers between 0 and 1, the labels do not
            match the sides, or a gold link points outside.
    """
    weights = _checked(weights, keys, queries, ("query", "key"))
    gold = _checked_links(gold, weights.shape[-2:])
    if ax is None:
        cell = 0.45 if annotate else min(0.32, max(0.18, 9 / len(keys)))
        if (longest := max(len(keys), len(queries))) > MOST_LABELS:
            cell = 9 / longest
        size = _figure_size((1, 1), keys, queries, cell)
        ax = plt.figure(figsize=size, layout="compressed").add_subplot()
    image = _draw_weights(ax, weights, gold)
    _label_keys(ax, keys)
    _label_queries(ax, queries)
    if annotate:
        for (query, key), weight in np.ndenumerate(weights):
            colour = "white" if weight < 0.5 else "black"
            ax.text(key, query, f"{weight:.2f}", ha="center", va="center", size=9, color=colour)
    if title:
        ax.set_title(printable(title), parse_math=False)
    if colorbar:
        _add_colorbar(image, ax)
    return ax


@_styled
def heatmaps(
    weights: Weights,
    keys: Sequence,
    queries: Sequence,
    *,
    titles: Sequence[str] | None = None,
    gold: Links | None = None,
) -> Figure:
    """A grid of maps, a row per layer and a column per head, with one colour scale and one bar.

    Args:
        weights: (layer, head, query, key), after the softmax; one layer and one head will do.
        titles: one per panel, layer by layer; "layer 1, head 1" and so on without them.
        gold: as in `heatmap`, outlined in every panel.

    Raises:
        ValueError: as `heatmap`, and if the number of titles is not that of the panels.
    """
    weights = _checked(weights, keys, queries, ("layer", "head", "query", "key"))
    gold = _checked_links(gold, weights.shape[-2:])
    layers, heads = weights.shape[:2]
    if titles is None:
        names = [f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]
        titles = names if layers * heads > 1 else [""]
    if len(titles) != layers * heads:
        raise ValueError(f"{len(titles)} titles for {layers} × {heads} panels; give one for each.")
    cell = 0.32 if len(titles) == 1 else max(0.18, 1.4 / len(keys))  # room for a panel's title
    size = _figure_size((layers, heads), keys, queries, cell)
    figure = plt.figure(figsize=size, layout="compressed")
    axes = figure.subplots(layers, heads, squeeze=False)
    panels = weights.reshape(-1, *weights.shape[2:])
    for ax, panel, title in zip(axes.flat, panels, titles, strict=True):
        image = _draw_weights(ax, panel, gold)
        ax.set_title(printable(title), parse_math=False, size=10)
        ax.set(xticks=[], yticks=[])
    for ax in axes[-1]:
        _label_keys(ax, keys)
    for ax in axes[:, 0]:
        _label_queries(ax, queries)
    _add_colorbar(image, axes)
    return figure


@_styled
def loss_curves(
    history: pd.DataFrame | Mapping[str, pd.DataFrame], *, ax: Axes | None = None
) -> Axes:
    """Training loss (full line) and validation loss (dashed) by epoch, a colour per model.

    Args:
        history: what `fit` returns (columns epoch, train_loss, validation_loss), or several
            of them by name.
    """
    histories = _by_name(history, ("epoch", "train_loss"))
    ax = ax or plt.figure().add_subplot()
    for (name, table), colour in zip(histories.items(), cycle(COLOURS)):
        for column, words, style in (
            ("train_loss", "training", "o-"),
            ("validation_loss", "validation", "s--"),
        ):
            if column in table and table[column].notna().any():
                label = f"{name}, {words}" if name else words
                look = {"color": colour, "markersize": 4, "label": label}
                ax.plot(table["epoch"], table[column], style, **look)
    ax.set(xlabel="epoch", ylabel="loss per target token (nats)")
    ax.xaxis.get_major_locator().set_params(integer=True)
    _literal_legend(ax)
    return ax


@_styled
def bleu_by_length(
    table: pd.DataFrame | Mapping[str, pd.DataFrame], *, ax: Axes | None = None
) -> Axes:
    """BLEU against the length of the source sentence (Bahdanau et al. 2015, figure 2).

    Args:
        table: one row per group of sentences with `low` to `high` source tokens (both included)
            and the group's `bleu`, or several such tables by name. Groups without sentences
            (bleu is NaN) are left out.
    """
    tables = _by_name(table, ("low", "high", "bleu"))
    ax = ax or plt.figure().add_subplot()
    for (name, rows), style in zip(tables.items(), cycle(["o-", "s--", "^-.", "D:"])):
        rows = rows.dropna(subset="bleu")
        ax.plot((rows["low"] + rows["high"]) / 2, rows["bleu"], style, label=name)
    ax.set(xlabel="length of the source sentence (tokens)", ylabel="BLEU", ylim=(0, 102))
    ax.xaxis.get_major_locator().set_params(integer=True)
    _literal_legend(ax)
    return ax


def printable(token: object) -> str:
    """The token as the fonts at hand can draw it: "□" for a missing character, "…" for the rest
    of a very long one.

    matplotlib warns at each drawing of a character that it has no shape for; this does not.
    """
    text = "".join(c if _has_glyph(ord(c)) else "□" for c in str(token))
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _has_glyph(codepoint: int) -> bool:
    fonts = (font_manager.FontProperties(family=[name]) for name in plt.rcParams["font.family"])
    return any(codepoint in _characters(font_manager.findfont(font)) for font in fonts)


@functools.cache
def _characters(path: str) -> frozenset[int]:
    return frozenset(font_manager.get_font(path).get_charmap())


def _checked(weights: Weights, keys: Sequence, queries: Sequence, axes: tuple) -> np.ndarray:
    weights = torch.as_tensor(weights).detach().float().cpu().numpy()
    if weights.ndim != len(axes) or 0 in weights.shape:
        raise ValueError(
            f"weights of shape {weights.shape}; needed: ({', '.join(axes)}), none of them empty."
        )
    if weights.shape[-2:] != (len(queries), len(keys)):
        raise ValueError(
            f"weights of {weights.shape[-2]} queries × {weights.shape[-1]} keys, but "
            f"{len(queries)} query labels and {len(keys)} key labels; give one for each."
        )
    if not np.isfinite(weights).all():
        raise ValueError("weights hold NaN or infinity; a row with nothing to attend to is zeros.")
    if weights.min() < -1e-4 or weights.max() > 1 + 1e-4:
        raise ValueError(
            f"weights reach from {weights.min():.3g} to {weights.max():.3g}; the colours stand for "
            "0 to 1, so give weights after the softmax, in evaluation mode."
        )
    return weights


def _checked_links(gold: Links | None, shape: tuple[int, int]) -> list[tuple[int, int]]:
    links = sorted(gold or ())
    for source, target in links:
        if not (0 <= source < shape[1] and 0 <= target < shape[0]):
            raise ValueError(
                f"gold link (source {source}, target {target}) is outside "
                f"{shape[1]} keys and {shape[0]} queries."
            )
    return links


def _by_name(table: pd.DataFrame | Mapping[str, pd.DataFrame], columns: Sequence[str]) -> dict:
    tables = {"": table} if isinstance(table, pd.DataFrame) else dict(table)
    if not tables:
        raise ValueError("no table to draw; give at least one.")
    for name, one in tables.items():
        if missing := [column for column in columns if column not in one]:
            raise ValueError(
                f"table {name!r} has the columns {list(one)}; missing: {', '.join(missing)}."
            )
    return tables


def _draw_weights(ax: Axes, weights: np.ndarray, gold: list[tuple[int, int]]) -> AxesImage:
    image = ax.imshow(weights, cmap=WEIGHTS, vmin=0, vmax=1, interpolation="nearest")
    outline = [withStroke(linewidth=3.5, foreground="white")]
    for source, target in gold:
        box = Rectangle((source - 0.42, target - 0.42), 0.84, 0.84, fill=False)
        box.set(edgecolor=VERMILLION, linewidth=2, path_effects=outline)
        ax.add_patch(box)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return image


def _label_keys(ax: Axes, keys: Sequence) -> None:
    places, labels = _labels(keys)
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    if max(map(len, labels)) <= 2:
        turned = {}
    ax.set_xticks(places, labels, parse_math=False, **turned)


def _label_queries(ax: Axes, queries: Sequence) -> None:
    places, labels = _labels(queries)
    ax.set_yticks(places, labels, parse_math=False)


def _labels(tokens: Sequence) -> tuple[range, list[str]]:
    places = range(0, len(tokens), math.ceil(len(tokens) / MOST_LABELS))
    return places, [printable(tokens[place]) for place in places]


def _add_colorbar(image: AxesImage, axes) -> None:
    rows = image.get_array().shape[0] * len(np.atleast_2d(axes))
    location = "right" if rows > 5 else "bottom"  # beside a low picture it would be too short
    boxes = Bbox.union([ax.get_window_extent() for ax in np.ravel(axes)])
    length = boxes.height if location == "right" else boxes.width
    aspect = max(length / image.figure.dpi / 0.15, 5)  # 0.15 inches thick
    bar = image.figure.colorbar(image, ax=axes, location=location, aspect=aspect)
    bar.set_label("attention weight")
    bar.outline.set_visible(False)


def _literal_legend(ax: Axes) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if any(labels):
        for text in ax.legend(handles, labels).get_texts():
            text.set_parse_math(False)


def _figure_size(
    panels: tuple[int, int], keys: Sequence, queries: Sequence, cell: float
) -> tuple[float, float]:
    """Inches for a grid of panels with square cells, room for labels, titles and a bar."""
    letter = 0.09  # inches, a little more than the mean width of a letter at 10 pt
    left = letter * max(len(printable(query)) for query in queries)
    below = letter * max(len(printable(key)) for key in keys)
    width = panels[1] * (cell * len(keys) + 0.15) + left + 0.9
    height = panels[0] * (cell * len(queries) + 0.35) + 0.75 * below + 0.2
    height += 0.6 if panels[0] * len(queries) <= 5 else 0  # the bar lies below
    return width, height
