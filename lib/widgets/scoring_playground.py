"""See what dimension, scale and temperature do to attention weights, and where they saturate."""

import math
from collections.abc import Sequence

import torch
from ipywidgets import Dropdown, FloatLogSlider, IntSlider, SelectionSlider
from jaxtyping import Float
from torch import Tensor

from lib.attention import AdditiveScore, dot_scores, masked_softmax
from lib.plotting import BLUE, GREEN, VERMILLION
from lib.widgets import checks
from lib.widgets.charts import Panel, axis, bars, line, lines, mark

LARGEST = 512  # dimension of the random vectors
QUERIES = 256  # random queries, over which the curves are averaged
HIDDEN = 32  # units of the additive score
SATURATED = 0.9  # of the weight on one key
SCALES = {
    "1/√d": lambda d: 1 / math.sqrt(d),
    "none": lambda d: 1.0,
    "1/d": lambda d: 1 / d,
}
OWN = "a factor"
FACTORS, TEMPERATURES = (0.001, 10.0), (2.0**-5, 2.0**5)
NAMES = ("dot", "scaled dot", "additive")
LOOKS = ((VERMILLION, ""), (BLUE, "7 4"), (GREEN, "2 3"))

Weights = Float[Tensor, "*query key"]


def entropy(weights: Weights) -> Float[Tensor, "*query"]:
    """How many bits it takes to say which key was drawn: 0 for one key, log₂ n for n alike."""
    return torch.special.entr(weights).sum(dim=-1) / math.log(2)


def jacobian_norm(weights: Weights) -> Float[Tensor, "*query"]:
    """The Frobenius norm of ∂ softmax(z) / ∂z = diag(w) − w wᵀ, written in the weights w.

    At most 1/2, for two equal weights; 0 where the softmax is saturated.
    """
    second, third = (weights.pow(power).sum(dim=-1) for power in (2, 3))
    return (second - 2 * third + second.square()).clamp(min=0).sqrt()


MEASURES = ("entropy", "largest weight", "gradient", "spread of the scores")


class ScoringPlayground(Panel):
    """Dot, scaled dot and additive scores of the same query and keys, side by side.

        ScoringPlayground()                          # random vectors
        ScoringPlayground(query, keys, tokens)       # your own

    The bars show the weights of one query; the curve shows what becomes of all queries, on average,
    as vectors grow: the first d numbers of each vector are used. The additive score has PyTorch's
    initial values, and the same v for every d.

    Args:
        query: one query or several, each of a key's size; without it, 256 random ones.
        keys: one row per key. Random queries have random keys of their own, `num_keys` of them.
        labels: one per key.
        d: how many numbers of each vector are used.
        scale: "1/√d", "none", "1/d", or a factor from 0.001 to 10, for the second score.
        temperature: divides all scores, from 1/32 to 32.
        seed: of the random vectors and of the additive score.

    Raises:
        ValueError: vectors or labels that do not match, numbers that are none, or a setting out of
            its range.
    """

    def __init__(
        self,
        query: Tensor | Sequence | None = None,
        keys: Tensor | Sequence | None = None,
        labels: Sequence[str] | None = None,
        *,
        d: int | None = None,
        scale: str | checks.Number = "1/√d",
        temperature: checks.Number = 1.0,
        num_keys: int = 8,
        seed: int = 0,
    ) -> None:
        if (query is None) != (keys is None):
            missing = "query" if query is None else "keys"
            raise ValueError(f"{missing} is missing: give query and keys, or neither of them.")
        self._own = query is not None
        if query is None:
            self._query, self._keys = _random(num_keys, seed)
        else:
            self._query, self._keys = _checked_vectors(query, keys)
        self.labels = _checked_labels(labels, self._keys.shape[-2])
        size = self._query.shape[-1]
        d = min(64, size) if d is None else checks.whole("d", d, 1, size)
        self._dimensions = sorted({2**power for power in range(size.bit_length())} | {d, size})
        self._v = _additive(1, seed).v
        self._scores = {d: self._raw_scores(d, seed) for d in self._dimensions}
        controls = _controls(self._dimensions, d, scale, temperature, len(self._query))
        super().__init__(**controls)

    @torch.no_grad()
    def _raw_scores(self, d: int, seed: int) -> tuple[Tensor, Tensor]:
        """Dot and additive scores of all queries (query, key), from d numbers of each vector."""
        query, keys = self._query[:, None, :d], self._keys[..., :d]
        additive = _additive(d, seed)
        additive.v = self._v
        return tuple(score(query, keys).squeeze(-2) for score in (dot_scores, additive))

    def scores(self, d: int | None = None) -> dict[str, Float[Tensor, "query key"]]:
        """By name what the softmax is given, scale and temperature included."""
        dot, additive = self._scores[d or self["d"]]
        scaled = self._factor(d or self["d"]) * dot
        named = zip(NAMES, (dot, scaled, additive), strict=True)
        return {name: scores / self["temperature"] for name, scores in named}

    def weights(self, d: int | None = None) -> dict[str, Float[Tensor, "query key"]]:
        """By name the weights of all queries."""
        return {name: masked_softmax(scores) for name, scores in self.scores(d).items()}

    def _factor(self, d: int) -> float:
        return self["factor"] if self["scale"] == OWN else SCALES[self["scale"]](d)

    def _settle(self) -> None:
        self.controls["factor"].disabled = self["scale"] != OWN

    @property
    def _most(self) -> float:
        return math.log2(len(self.labels))

    def _at(self) -> int:
        """The index of the query that is shown."""
        return self["query"] - 1 if "query" in self.controls else 0

    def _charts(self) -> list[dict]:
        d, at, weights = self["d"], self._at(), self.weights()
        scores = self.scores()
        factor = f"{self._factor(d):.3g}"
        titles = (
            "dot: query · key",
            f"scaled dot: × {factor}",
            "additive: vᵀ tanh(W query + U key)",
        )
        count = len(self.labels)
        uniform = mark("x", 1 / count, f"1/{count}: all keys alike", "", "2 3")
        rows = []
        for name, title, (colour, _) in zip(NAMES, titles, LOOKS, strict=True):
            low, high = (_signed(bound) for bound in scores[name][at].aminmax())
            note = f"entropy {entropy(weights[name][at]):.2f} of {self._most:.2f} bits\n"
            note += f"scores {low} to {high}"
            if name == "additive":
                note += f", within ±{self._bound():.2f}"
            axes = {"x": axis("weight", 0, 1), "y": axis("key", 0, count)}
            values, look = weights[name][at].tolist(), {"colour": colour, "marks": [uniform]}
            rows.append(bars(title, self.labels, values, note=note, **axes, **look))
        return [*rows, self._curve()]

    def _bound(self) -> float:
        """|vᵀ tanh(…)| ≤ ‖v‖₁, since tanh is between −1 and 1; divided by the temperature."""
        return self._v.weight.abs().sum().item() / self["temperature"]

    def _curve(self) -> dict:
        measure, most = self["curve"], self._most
        low, high, label = {
            "entropy": (0, most * 1.05, "entropy (bits)"),
            "largest weight": (0, 1, "largest weight"),
            "gradient": (0, 0.5, "norm of ∂ softmax(z)/∂z"),
            "spread of the scores": (1e-3, 1e3, "standard deviation of the scores"),
        }[measure]
        drawn = {d: self._measured(measure, d) for d in self._dimensions}
        is_spread = measure == MEASURES[3]
        if is_spread:
            seen = [value for one in drawn.values() for value in one.values() if value > 0]
            low, high = (10.0**power for power in _decades(seen))
        parts = [
            line(name, self._dimensions, [max(low, one[name]) for one in drawn.values()], *look)
            for name, look in zip(NAMES, LOOKS, strict=True)
        ]
        marks = [mark("x", self["d"], f"d = {self['d']}")]
        if measure == "entropy":
            marks.append(mark("y", most, f"log₂ {len(self.labels)}: all keys alike", "", "2 3"))
        x = axis("d, numbers in a vector", 1, max(2, self._dimensions[-1]), log=2)
        y = axis(label, low, high, log=10 * is_spread)
        note = f"mean of {len(self._query)} queries" if len(self._query) > 1 else "of one query"
        return lines(f"{measure} against d", *parts, x=x, y=y, marks=marks, note=note)

    def _measured(self, measure: str, d: int) -> dict[str, float]:
        if measure == MEASURES[3]:
            return {n: s.std(dim=-1).mean().item() for n, s in self.scores(d).items()}
        how = {"entropy": entropy, "gradient": jacobian_norm}.get(measure, lambda w: w.amax(dim=-1))
        return {name: how(weights).mean().item() for name, weights in self.weights(d).items()}

    def saturated(self) -> dict[str, list[int]]:
        """By score the dimensions at which half of the queries put 0.9 or more on one key."""
        found: dict[str, list[int]] = {name: [] for name in NAMES}
        for d in self._dimensions:
            for name, weights in self.weights(d).items():
                if weights.amax(dim=-1).median() >= SATURATED:
                    found[name].append(d)
        return found

    def _facts(self) -> str:
        d, temperature, factor = self["d"], self["temperature"], self._factor(self["d"])
        bits = self._measured("entropy", d)
        told = ", ".join(f"{name} {value:.2f}" for name, value in bits.items())
        found = [f"{name} {self._place(at)}" for name, at in self.saturated().items() if at]
        several = len(self._query) > 1
        mean = f"mean entropy of {len(self._query)} queries" if several else "entropy"
        condition = "half of the queries put" if several else "puts"
        said = (
            f"At d = {d} and temperature {temperature:.3g}, {mean}: {told} of {self._most:.2f} "
            f"bits. Saturated ({condition} 0.9 or more on one key): {'; '.join(found) or 'none'}."
        )
        if math.isclose(temperature * factor, 1, rel_tol=1e-3) and not math.isclose(factor, 1):
            said += f" Temperature {temperature:.3g} does to dot what × {factor:.3g} would do."
        return said

    def _place(self, found: list[int]) -> str:
        if found == self._dimensions:
            return "at every d"
        if found == self._dimensions[-len(found) :]:
            return f"from d = {found[0]} on"
        return f"at d = {', '.join(map(str, found))}"

    def __repr__(self) -> str:
        kind = "of yours" if self._own else "random"
        place = f"query {self._at() + 1} of {len(self._query)} {kind}"
        head = f"ScoringPlayground: {place}, {len(self.labels)} keys"
        rows = []
        for name, weights in self.weights().items():
            largest, key = weights[self._at()].max(dim=-1)
            told = f"largest weight {largest:.2f} on key {self.labels[key]}"
            rows.append(f"{name}: {told}, entropy {entropy(weights[self._at()]):.2f} bits")
        return "\n".join([head, *rows, self._facts()])


def _controls(
    dimensions: list[int],
    d: int,
    scale: str | checks.Number,
    temperature: checks.Number,
    count: int,
) -> dict:
    name, factor = _checked_scale(scale)
    temperature = checks.number("temperature", temperature, *TEMPERATURES)
    powers = {"base": 2, "min": -5, "max": 5, "step": 0.5}
    controls = {
        "d": SelectionSlider(options=dimensions, value=d, description="dimension d"),
        "temperature": FloatLogSlider(temperature, **powers, description="temperature"),
        "scale": Dropdown(options=[*SCALES, OWN], value=name, description="scale"),
        "factor": FloatLogSlider(factor, base=10, min=-3, max=1, step=0.1, description="factor"),
        "curve": Dropdown(options=MEASURES, description="curve"),
    }
    if count > 1:
        controls["query"] = IntSlider(1, 1, count, description="query")
    return controls


def _additive(d: int, seed: int) -> AdditiveScore:
    with torch.random.fork_rng(devices=[]):  # the reader's random numbers go on as they would
        torch.manual_seed(seed)
        return AdditiveScore(d, d, HIDDEN)


def _random(num_keys: int, seed: int) -> tuple[Tensor, Tensor]:
    num_keys = checks.whole("num_keys", num_keys, 2, 64)
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(QUERIES, LARGEST, generator=generator)
    return query, torch.randn(QUERIES, num_keys, LARGEST, generator=generator)


def _checked_vectors(query: Tensor | Sequence, keys: Tensor | Sequence) -> tuple[Tensor, Tensor]:
    query, keys = checks.numbers("query", query), checks.numbers("keys", keys)
    if query.dim() not in (1, 2):
        raise ValueError(
            f"query has the shape {tuple(query.shape)}: give one vector, or a row for each query."
        )
    if keys.dim() != 2 or len(keys) < 2:
        raise ValueError(
            f"keys have the shape {tuple(keys.shape)}: give a row for each key, two at least."
        )
    if query.shape[-1] != keys.shape[-1]:
        raise ValueError(
            f"a query of {query.shape[-1]} numbers and keys of {keys.shape[-1]}: "
            "a dot product needs as many in both."
        )
    return query.reshape(-1, query.shape[-1]), keys


def _checked_labels(labels: Sequence[str] | None, count: int) -> list[str]:
    if labels is None:
        return [str(at + 1) for at in range(count)]
    if isinstance(labels, str) or len(labels) != count:
        raise ValueError(f"{len(labels)} labels {labels!r} for {count} keys: give one each.")
    return [str(label) for label in labels]


def _checked_scale(scale: str | checks.Number) -> tuple[str, float]:
    """The menu's entry, and the factor that its slider stands at."""
    if not isinstance(scale, str):
        return OWN, checks.number("scale", scale, *FACTORS)
    if scale not in SCALES:
        raise ValueError(
            f"scale={scale!r}: give a number or one of {', '.join(map(repr, SCALES))}."
        )
    return scale, 1.0


def _signed(value: Tensor) -> str:
    return f"{value:.1f}".replace("-", "−")


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten that enclose positive values."""
    if not values:
        return -1, 0
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
