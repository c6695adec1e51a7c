"""Small charts side by side: the browser's tell their values, elsewhere they are a picture."""

from collections.abc import Sequence
from textwrap import wrap

import anywidget
import matplotlib.pyplot as plt
import numpy as np
import traitlets
from ipywidgets import GridBox, Layout, VBox, Widget
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from torch import Tensor

from lib.plotting import BLACK, STYLE, WEIGHTS, printable
from lib.widgets.checks import Number
from lib.widgets.snapshot import CSS, JS, Snapshot, module

Axis = dict[str, object]
LEVELS = 65_535  # an image travels in 16 bits a number
SMALL = {"font.size": 9, "axes.titlesize": 9, "axes.titlelocation": "left"}
LINE = 38  # letters of a title over a chart of one column
DASHES = {"": "-", "7 4": (0, (3.5, 2)), "2 3": (0, (1, 1.5))}  # SVG's and matplotlib's words


def axis(label: str, low: Number, high: Number, *, log: int = 0, whole: bool = False) -> Axis:
    """What an axis measures, from where to where; `log` is the base of a logarithmic one."""
    return {"label": label, "range": [low, high], "log": log, "whole": whole}


def mark(where: str, at: Number, label: str = "", colour: str = "", dash: str = "") -> dict:
    """A line across a chart at a value of the axis `where`, "x" or "y"."""
    return {"axis": where, "at": at, "label": label, "colour": colour, "dash": dash}


def line(label: str, x: Sequence, y: Sequence, colour: str, dash: str = "") -> dict:
    """One line of a chart; without a label it is scenery."""
    look = {"label": label, "colour": colour, "dash": dash}
    return look | {"x": _short(x), "y": _short(y)}


def bars(title: str, labels: Sequence[str], values: Sequence, **rest: object) -> dict:
    """A row for each label. `rest`: x, y, colour, and as in `chart`."""
    values = _short(values)
    return chart("bars", title, labels=[str(one) for one in labels], values=values, **rest)


def lines(title: str, *parts: dict, **rest: object) -> dict:
    """Lines over shared axes. `rest`: x, y, equal (one unit is as long on both), as in `chart`."""
    return chart("lines", title, lines=list(parts), **rest)


def image(title: str, values: Tensor, span: tuple[Number, Number], **rest: object) -> dict:
    """A cell for each number of a matrix, its colours from `span[0]` to `span[1]`."""
    return chart("image", title, values=values, range=list(span), **rest)


def chart(kind: str, title: str, *, note: str = "", wide: int = 1, **rest: object) -> dict:
    """A chart of any kind: `note` stands under its title, `wide` is its share of a row."""
    return {"kind": kind, "title": title, "note": note, "span": wide, "marks": []} | rest


def _short(values: Sequence) -> list[float]:
    return [float(f"{float(value):.5g}") for value in values]


class Charts(anywidget.AnyWidget):
    """The charts themselves, with a line above them that says what they show."""

    _esm = module("dom", "colours", "chart_kinds", "charts")
    _css = CSS + (JS / "charts.css").read_text(encoding="utf-8")

    charts = traitlets.List(traitlets.Dict()).tag(sync=True)
    pixels = traitlets.Bytes().tag(sync=True)
    facts = traitlets.Unicode("").tag(sync=True)

    def show(self, charts: list[dict], facts: str) -> None:
        """Draw these in place of the last; matrices travel apart, as binary."""
        self.specs = charts
        sent, pixels = [], b""
        for one in charts:
            if one["kind"] == "image":
                low, high = one["range"]
                levels = (np.asarray(one["values"]) - low) / (high - low) * LEVELS
                place = {"shape": list(levels.shape), "offset": len(pixels), "values": None}
                one, pixels = one | place, pixels + levels.round().astype("<u2").tobytes()
            sent.append(one)
        with self.hold_sync():
            self.charts, self.pixels, self.facts = sent, pixels, facts


class Panel(Snapshot, VBox):
    """Controls above charts that are drawn anew whenever one of them changes.

    A widget of this kind says what to draw (`_charts`), what it shows, true of this very state
    (`_facts`), and, if its controls depend on each other, how they settle (`_settle`).
    """

    columns = 4  # of the picture

    def __init__(self, **controls: Widget) -> None:
        self.controls, self._busy = controls, False
        for control in controls.values():
            control.style.description_width = "90px"
            control.layout = Layout(width="auto")
            control.observe(self._changed, names="value")
        self._view = Charts()
        self._view.on_msg(self._told)
        columns = "repeat(auto-fill, minmax(min(100%, 250px), 1fr))"
        grid = Layout(grid_template_columns=columns, grid_gap="0 14px", align_items="center")
        row = GridBox(list(controls.values()), layout=grid)
        super().__init__([row, self._view])
        self.add_class("lta-panel")
        self._draw()

    def _charts(self) -> list[dict]:
        raise NotImplementedError

    def _facts(self) -> str:
        raise NotImplementedError

    def _settle(self) -> None:
        """Bring the controls' limits into agreement."""

    def _pick(self, chart: str, column: int, row: int) -> None:
        """The reader chose a point of a chart that can be picked from."""

    def __getitem__(self, name: str) -> object:
        """The value of a control: `widget["temperature"]`."""
        return self.controls[name].value

    def _told(self, widget: Widget, message: dict, buffers: list) -> None:
        if "pick" in message:
            self._pick(*message["pick"])

    def _changed(self, change: object) -> None:
        if not self._busy:
            self._draw()

    def _draw(self) -> None:
        self._busy = True
        try:
            self._settle()
        finally:
            self._busy = False
        self._view.show(self._charts(), self._facts())

    def figure(self) -> Figure:
        return picture(self._view.specs, self.columns)


def picture(charts: list[dict], columns: int) -> Figure:
    """The same charts by matplotlib, in rows of so many columns."""
    places, at = [], 0
    for one in charts:
        if at % columns + one["span"] > columns:
            at += columns - at % columns
        places.append(at)
        at += one["span"]
    rows = -(-at // columns)
    with plt.rc_context(STYLE | SMALL):
        figure = Figure(figsize=(2.7 * columns, 2.9 * rows), layout="constrained")
        grid = figure.add_gridspec(rows, columns)
        for one, at in zip(charts, places, strict=True):
            row, column = divmod(at, columns)
            part = figure.add_subfigure(grid[row, column : column + one["span"]])
            axes = part.add_subplot()
            {"bars": _draw_bars, "lines": _draw_lines, "image": _draw_image}[one["kind"]](axes, one)
            said = [one["title"], *one["note"].split("\n")]
            heading = [part for text in said for part in wrap(text, LINE * one["span"])]
            axes.set_title("\n".join(heading), parse_math=False)
            _draw_marks(axes, one)
            _draw_legend(part, axes, one["span"])
    return figure


def _draw_bars(axes: Axes, one: dict) -> None:
    rows = range(len(one["labels"]))
    axes.barh(rows, one["values"], color=one["colour"])
    step = -(-len(rows) // 16)
    shown = [printable(label) for label in one["labels"][::step]]
    axes.set_yticks(rows[::step], shown, parse_math=False)
    axes.set(xlabel=one["x"]["label"], xlim=one["x"]["range"])
    axes.invert_yaxis()


def _draw_lines(axes: Axes, one: dict) -> None:
    for part in one["lines"]:
        look = {"color": part["colour"] or BLACK, "linestyle": DASHES[part["dash"]]}
        named = {"label": part["label"]} if part["label"] else {"linewidth": 0.6}
        axes.plot(part["x"], part["y"], **look, **named)
    for name in "xy":
        measured = one[name]
        if measured["log"]:
            getattr(axes, f"set_{name}scale")("log", base=measured["log"])
            getattr(axes, f"{name}axis").set_major_formatter("{x:g}")
        axes.set(**{f"{name}label": measured["label"], f"{name}lim": measured["range"]})
    if one.get("equal"):
        axes.set_aspect("equal")


def _draw_image(axes: Axes, one: dict) -> None:
    low, high = one["range"]
    (left, right), (top, bottom) = one["x"]["range"], one["y"]["range"]
    place = (left - 0.5, right + 0.5, bottom + 0.5, top - 0.5)
    look = {"cmap": WEIGHTS, "aspect": "auto", "interpolation": "nearest", "extent": place}
    shown = axes.imshow(np.asarray(one["values"]), vmin=low, vmax=high, **look)
    axes.set(xlabel=one["x"]["label"], ylabel=one["y"]["label"])
    axes.figure.colorbar(shown, ax=axes)


def _draw_marks(axes: Axes, one: dict) -> None:
    for each in one["marks"]:
        look = {
            "color": each["colour"] or BLACK,
            "linestyle": DASHES[each["dash"]],
            "linewidth": 1.2,
        }
        cross = axes.axvline if each["axis"] == "x" else axes.axhline
        cross(each["at"], label=each["label"] or None, **look)


def _draw_legend(part: SubFigure, axes: Axes, wide: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        look = {"loc": "outside lower center", "ncols": 2 * wide, "fontsize": 8}
        for text in part.legend(handles, labels, **look).get_texts():
            text.set_parse_math(False)
