"""See positions as waves, their likeness, and what a shift does to them."""

import math
from collections.abc import Sequence

import torch
from ipywidgets import IntSlider, SelectionSlider
from jaxtyping import Float
from torch import Tensor

from lib.plotting import BLUE, GREEN, PURPLE, VERMILLION
from lib.widgets import checks
from lib.widgets.charts import Axis, Panel, axis, image, line, lines, mark

SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
LENGTHS = (8, 16, 32, 64, 128, 256)
BASES = (2.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6)
EXACT = 1e-9  # what is smaller is rounding: the sines are computed in double precision
WAVES = ((GREEN, ""), (PURPLE, "2 3"))
OWN_EXACT = 1e-4  # the same for a table in single precision

Table = Float[Tensor, "position d_model"]


def speeds(d_model: int, base: checks.Number) -> Float[Tensor, "pair"]:
    """ωᵢ = base^(−2i / d_model), radians per position (Vaswani et al. 2017, §3.5: base 10000)."""
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def sinusoids(num_positions: int, d_model: int, base: checks.Number) -> Table:
    """`lib.transformer.sinusoidal_positions` for any base, in double precision."""
    angles = torch.arange(num_positions, dtype=torch.float64)[:, None] * speeds(d_model, base)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def shifted(table: Table, shift: int, speed: Float[Tensor, "pair"]) -> Table:
    """R_k PE for every row: each pair (sine, cosine) turned by k ω radians."""
    sine, cosine = table.unflatten(-1, (-1, 2)).unbind(dim=-1)
    turn, angle = (shift * speed).cos(), (shift * speed).sin()
    pairs = [turn * sine + angle * cosine, turn * cosine - angle * sine]
    return torch.stack(pairs, dim=-1).flatten(-2)


class PositionExplorer(Panel):
    """Sinusoidal positions: their waves, how alike they are, and what a shift by k does.

        PositionExplorer()                                    # 64 positions of 64 numbers
        PositionExplorer(model.position_embedding.weight)     # a table of your own

    Choose a position and a pair of columns with the sliders, or click on the table. A sine and its
    cosine are the hand of a clock; a shift by k turns every hand by an angle of its own, whatever
    the position: PE[p + k] = R_k PE[p]. A table of your own is held against the same rotations.

    Args:
        encoding: (position, d_model) in place of the sinusoids, d_model even.
        d_model, num_positions: even, 2 to 512; 2 to 256. Those of `encoding`, if there is one.
        base: the longest wave is 2π · base^(1 − 2/d_model) positions long.
        position, pair, shift: where to begin: a row p, columns 2i and 2i + 1, and k. Without
            them 10, 4 and 5, as far as the table allows.

    Raises:
        ValueError: a setting out of its range, or a table that is none.
    """

    columns = 3

    def __init__(
        self,
        encoding: Tensor | Sequence | None = None,
        *,
        d_model: int = 64,
        num_positions: int = 64,
        base: checks.Number = 10_000,
        position: int | None = None,
        pair: int | None = None,
        shift: int | None = None,
    ) -> None:
        self._own = None if encoding is None else _checked_table(encoding)
        base = checks.number("base", base, 1.001, 1e9)
        if self._own is None:
            d_model = checks.whole("d_model", d_model, 2, SIZES[-1])
            num_positions = checks.whole("num_positions", num_positions, 2, LENGTHS[-1])
        else:
            num_positions, d_model = self._own.shape
        if d_model % 2:
            raise ValueError(f"d_model={d_model} is odd: sines and cosines come in pairs.")
        position = _within("position", position, 0, num_positions - 1, 10)
        pair = _within("pair", pair, 0, d_model // 2 - 1, 4)
        shift = _within("shift", shift, -position, num_positions - 1 - position, 5)
        controls = {
            "position": IntSlider(position, 0, num_positions - 1, description="position p"),
            "shift": IntSlider(shift, 1 - num_positions, num_positions - 1, description="shift k"),
            "pair": IntSlider(pair, 0, d_model // 2 - 1, description="pair i"),
        }
        self._base = base
        if self._own is None:
            controls |= {
                "d_model": _choice("d_model", SIZES, d_model),
                "num_positions": _choice("positions", LENGTHS, num_positions),
                "base": _choice("base", BASES, base),
            }
        super().__init__(**controls)

    def _settle(self) -> None:
        """Position, pair and shift stay inside the table; then everything is computed anew."""
        if self._own is None:
            self._base = self["base"]
            self.table = sinusoids(self["num_positions"], self["d_model"], self._base)
        else:
            self.table = self._own
        length, d_model = self.table.shape
        self.controls["position"].max = length - 1
        self.controls["pair"].max = d_model // 2 - 1
        shift, position = self.controls["shift"], self["position"]
        shift.min, shift.max = min(0, 1 - length), length - 1
        shift.value = min(max(shift.value, -position), length - 1 - position)

    @property
    def speed(self) -> float:
        """Radians a position, of the pair that is chosen."""
        return speeds(self.table.shape[1], self._base)[self["pair"]].item()

    def error(self) -> float:
        """The largest difference between R_k PE[p] and PE[p + k], for all p that have both."""
        k, length = self["shift"], len(self.table)
        first, last = max(0, -k), length - max(0, k)
        moved = shifted(self.table[first:last], k, speeds(self.table.shape[1], self._base))
        return (moved - self.table[first + k : last + k]).abs().max().item()

    def unevenness(self) -> float:
        """How much PE[p] · PE[q] differs at most between pairs p, q the same distance apart."""
        likeness = self.table @ self.table.T
        diagonals = (likeness.diagonal(offset) for offset in range(len(self.table)))
        return max((one.max() - one.min()).item() for one in diagonals)

    @property
    def _rounding(self) -> float:
        """Errors below it come from the table's own digits."""
        return EXACT if self._own is None else OWN_EXACT * self._largest()

    def _pick(self, chart: str, column: int, row: int) -> None:
        self._busy = True  # both at once
        self.controls["position"].value, self.controls["pair"].value = column, row // 2
        self._draw()

    def _charts(self) -> list[dict]:
        return [self._image(), self._waves(), self._clock(), self._vector(), self._likeness()]

    def _ends(self, where: str = "x") -> list[dict]:
        """The marks of p and p + k: the same in every chart."""
        p, k = self["position"], self["shift"]
        return [
            mark(where, p, f"p = {p}", BLUE),
            mark(where, p + k, f"p + k = {p + k}", VERMILLION, "7 4"),
        ]

    def _largest(self) -> float:
        return 1.0 if self._own is None else self.table.abs().max().item() or 1.0

    def _image(self) -> dict:
        length, d_model = self.table.shape
        pair, most = self["pair"], self._largest()
        rows = mark("y", 2 * pair, f"columns {2 * pair} and {2 * pair + 1}", GREEN) | {"count": 2}
        x, y = _counted("position", length), _counted("column", d_model)
        more = {"marks": [*self._ends(), rows], "picks": "table", "wide": 2}
        note = f"{length} positions of {d_model} numbers"
        title = "PE: a column for each position"
        return image(title, self.table.T, (-most, most), x=x, y=y, note=note, **more)

    def _waves(self) -> dict:
        pair, most = self["pair"], self._largest()
        names = [f"column {2 * pair}", f"column {2 * pair + 1}"]
        if self._own is None:
            names = [f"{names[0]}: sine", f"{names[1]}: cosine"]
        place = range(len(self.table))
        parts = [
            line(name, place, self.table[:, 2 * pair + at].tolist(), *look)
            for at, (name, look) in enumerate(zip(names, WAVES, strict=True))
        ]
        look = {"x": _counted("position", len(self.table)), "y": axis("value", -most, most)}
        if self._own is None:
            look["note"] = f"one turn in {_told(2 * math.pi / self.speed)} positions"
        return lines(f"Pair {pair} along the positions", *parts, **look, marks=self._ends())

    def _clock(self) -> dict:
        pair, p, k = self["pair"], self["position"], self["shift"]
        most = 1.1 * self._largest()
        around = [2 * math.pi * step / 72 for step in range(73)]
        circle = line("", [math.sin(a) for a in around], [math.cos(a) for a in around], "", "2 3")
        hands = []
        for each in self._ends():
            tip = self.table[each["at"], 2 * pair : 2 * pair + 2].tolist()
            look = (each["colour"], each["dash"])
            hands.append(line(each["label"], [0, tip[0]], [0, tip[1]], *look))
        x, y = axis(f"column {2 * pair}", -most, most), axis(f"column {2 * pair + 1}", -most, most)
        turner, parts = f"k = {k} turns", [circle, *hands]
        if self._own is not None:
            turner, parts = "R_k would turn", hands
        note = f"{turner} this hand by {_told(math.degrees(k * self.speed))}°"
        return lines(f"Pair {pair} at p = {p} as a clock", *parts, x=x, y=y, note=note, equal=True)

    def _vector(self) -> dict:
        p, pairs, most = self["position"], self.table.shape[1] // 2, self._largest()
        names = ("even columns", "odd columns") if self._own is not None else ("sines", "cosines")
        parts = [
            line(f"{name} of p = {p}", range(pairs), self.table[p, first::2].tolist(), *look)
            for first, (name, look) in enumerate(zip(names, WAVES, strict=True))
        ]
        x, y = _counted("pair", pairs), axis("value", -most, most)
        marks = [mark("x", self["pair"], f"i = {self['pair']}")]
        note = "all its pairs, the fast ones left" if self._own is None else "all its pairs"
        return lines(f"The vector of position {p}", *parts, x=x, y=y, marks=marks, note=note)

    def _likeness(self) -> dict:
        length = len(self.table)
        parts = []
        for each in self._ends():
            distances = [q - each["at"] for q in range(length)]
            products = (self.table @ self.table[each["at"]]).tolist()
            parts.append(line(each["label"], distances, products, each["colour"], each["dash"]))
        values = [product for part in parts for product in part["y"]]
        low, high = min(0.0, *values), max(0.0, *values)
        room = 0.05 * (high - low or 1.0)
        x = axis("distance to q", 1 - length, length - 1, whole=True)
        y = axis("dot product", low - room * (low < 0), high + room)
        note = "PE[p] · PE[q] and PE[p + k] · PE[q]"
        return lines("How alike two positions are", *parts, x=x, y=y, note=note)

    def _facts(self) -> str:
        p, k, pair = self["position"], self["shift"], self["pair"]
        error, uneven = self.error(), self.unevenness()
        rule = "R_k PE[p] = PE[p + k]"
        if error < self._rounding:
            told = f"{rule} for every p: error 0 to rounding."
        else:
            told = f"{rule} does not hold: it is {_told(error)} off."
        product = (self.table[p] @ self.table[p + k]).item()
        said = f"PE[{p}] · PE[{p + k}] = {_told(product)}"
        if uneven < self._rounding * self._largest() * self.table.shape[1]:
            said += f", as for any two positions {abs(k)} apart."
        else:
            said += f"; positions equally far apart differ by up to {_told(uneven)}."
        turn = ""
        if self._own is None:
            turn = (
                f"Pair {pair} turns once in {_told(2 * math.pi / self.speed)} positions; "
                f"k = {k} turns it by {_told(math.degrees(k * self.speed))}°. "
            )
        return f"{turn}{told} {said}"

    def __repr__(self) -> str:
        kind = f"sinusoids, base {self._base:,.0f}" if self._own is None else "a table of yours"
        length, d_model = self.table.shape
        where = f"position {self['position']}, pair {self['pair']}, shift {self['shift']}"
        head = f"PositionExplorer: {length} positions of {d_model} numbers, {kind}; {where}"
        return f"{head}\n{self._facts()}"


def _counted(what: str, count: int) -> Axis:
    """Whole numbers from 0; the axis of a single one is given some length."""
    return axis(what, 0, max(1, count - 1), whole=True)


def _choice(name: str, offered: Sequence[checks.Number], value: checks.Number) -> SelectionSlider:
    """A slider over the offered values and the one to begin with."""
    options = [(f"{one:,g}", one) for one in sorted({*offered, value})]
    return SelectionSlider(options=options, value=value, description=name)


def _within(name: str, value: int | None, low: int, high: int, usual: int) -> int:
    return min(usual, high) if value is None else checks.whole(name, value, low, high)


def _checked_table(encoding: Tensor | Sequence) -> Table:
    table = checks.numbers("encoding", encoding).double()
    if table.dim() != 2 or len(table) < 2:
        raise ValueError(
            f"encoding has the shape {tuple(table.shape)}: give a row per position, two at least."
        )
    return table


def _told(value: float) -> str:
    """Three digits that count, thousands apart."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return text.replace("-", "−")
