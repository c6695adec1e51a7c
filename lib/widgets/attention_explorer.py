"""Look into any attention: choose a map, point at a word, see where it looks."""

import base64
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

import anywidget
import traitlets
from matplotlib.figure import Figure

from lib.decoding import Translation, force, translate
from lib.plotting import Links, Weights, heatmap
from lib.text import Pair
from lib.translator import Translator
from lib.widgets.attention_maps import AttentionMaps, pack
from lib.widgets.snapshot import CSS, JS, Snapshot, module

BUDGET = 100_000  # bytes of weights that travel at once, and into a stored notebook
LARGEST_PAGE = 30_000_000  # bytes of weights in a saved page
LISTED = 12  # queries in the text of what is shown
VIEWS = ("map", "lines")


class AttentionExplorer(Snapshot, anywidget.AnyWidget):
    """An interactive view of attention weights, of one map or of many.

        AttentionExplorer(weights, keys, queries)          # plain tensors and tokens
        AttentionExplorer.of(model, "i'm home .")          # a translation and all its maps
        AttentionExplorer.of(model, pair)                  # the same for a pair, scored by gold

    Small maps travel to the browser whole, large ones coarse; the exact weights of the map that
    is looked at follow on demand.

    Args:
        weights: (query, key), (head, query, key) or (layer, head, query, key), after the
            softmax; or a list of `AttentionMaps`, if there are several kinds of attention.
        keys: a label for each column.
        queries: a label for each row; without them, the keys.
        gold: correct links (key, query), outlined and scored.
        title: shown above.

    Attributes:
        group, map: which kind of attention, and which of its maps, is shown large.
        view: "map" or "lines".
        cursor: [query, key] where the reader is; -1 stands for a label; [] before the start.

    Raises:
        ValueError: the weights are no attention weights, or labels or gold do not match them.
    """

    _esm = module("dom", "colours", "weights", "map_view", "lines_view", "saving", "explorer")
    _css = CSS + (JS / "explorer.css").read_text(encoding="utf-8")

    groups = traitlets.List(traitlets.Dict()).tag(sync=True)
    coarse = traitlets.Bytes().tag(sync=True)
    group = traitlets.Int(0).tag(sync=True)
    map = traitlets.Int(0).tag(sync=True)
    view = traitlets.Enum(VIEWS, "map").tag(sync=True)
    cursor = traitlets.List(traitlets.Int()).tag(sync=True)
    hidden = traitlets.List(traitlets.Int()).tag(sync=True)
    picks = traitlets.Bool(False).tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        weights: Weights | Sequence[AttentionMaps],
        keys: Sequence[str] = (),
        queries: Sequence[str] | None = None,
        *,
        gold: Links | None = None,
        **traits: object,
    ) -> None:
        if isinstance(weights, Sequence) and all(isinstance(w, AttentionMaps) for w in weights):
            maps = list(weights)
        else:
            maps = [AttentionMaps(weights, keys, keys if queries is None else queries, gold=gold)]
        if not maps:
            raise ValueError("AttentionExplorer: there is no attention to show.")
        self._maps = maps
        groups, coarse = pack(maps, BUDGET)
        super().__init__(groups=groups, coarse=coarse, **traits)
        self.on_msg(AttentionExplorer._answer)

    @classmethod
    def of(
        cls, model: Translator, sentence: str | Sequence[str] | Pair, **traits: object
    ) -> "AttentionExplorer":
        """All attention of a model while it translates a sentence, or predicts a pair's target.

        Raises:
            ValueError: the sentence is empty, or the model has no attention.
        """
        if isinstance(sentence, Pair):
            shown, gold = force(model, [sentence])[0], sentence.alignment
        else:
            shown, gold = translate(model, [sentence])[0], None
        return cls(maps_of(shown, gold), **traits)

    def show(self, weights: Sequence[AttentionMaps]) -> None:
        """Show other maps in the place of these; the reader stays where he is, if it is there."""
        self._maps = list(weights)
        groups, coarse = pack(self._maps, BUDGET)
        group = min(self.group, len(groups) - 1)
        last = len(groups[group]["queries"]) - 1, len(groups[group]["keys"]) - 1
        with self.hold_sync(), self.hold_trait_notifications():  # in one message
            self.map = min(self.map, len(groups[group]["maps"]) - 1)
            self.group = group
            self.cursor = [min(place, most) for place, most in zip(self.cursor, last, strict=False)]
            self.groups, self.coarse = groups, coarse

    @traitlets.validate("group", "map")
    def _within(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        count = len(self.groups) if name == "group" else len(self.groups[self.group]["maps"])
        if self.groups and not 0 <= value < count:
            raise traitlets.TraitError(f"{name}={value}: there are {count}, counted from 0.")
        return value

    def save_html(self, path: str | Path) -> None:
        """Write a page of its own that shows the same, works offline and asks nobody anything.

        Raises:
            ValueError: the weights are too many for a page.
        """
        Path(path).write_text(self._page(), encoding="utf-8")

    def figure(self) -> Figure:
        maps = self._maps[self.group]
        keys, queries = maps.keys, maps.queries
        if max(len(keys), len(queries)) > 64:  # there is no room for so many words
            keys, queries = (
                [t if i % 16 == 0 else "" for i, t in enumerate(side)] for side in (keys, queries)
            )
        title = ", ".join(filter(None, [maps.name, maps.labels[self.map]]))
        axes = heatmap(maps.map(self.map), keys, queries, gold=maps.gold, colorbar=True)
        axes.set_title(title, parse_math=False)
        return axes.figure

    def __repr__(self) -> str:
        maps = self._maps[self.group]
        rate = maps.error_rates()[self.map]
        shown = [
            maps.name,
            maps.labels[self.map],
            f"{len(maps.queries)} queries × {len(maps.keys)} keys",
        ]
        shown += [] if rate is None else [f"alignment error rate {rate:.2f}"]
        largest = maps.map(self.map).argmax(dim=-1)[:LISTED].tolist()
        looks = [
            f"{query} → {maps.keys[key]}"
            for query, key in zip(maps.queries[:LISTED], largest, strict=True)
        ]
        looks += ["…"] if len(maps.queries) > LISTED else []
        return f"AttentionExplorer: {', '.join(filter(None, shown))}\n{'; '.join(looks)}"

    def _answer(self, message: dict, buffers: Sequence[memoryview]) -> None:
        """The browser asks for the exact weights of a map, or for the whole as a page."""
        if "want" in message:
            group, number = message["want"]
            if group < len(self._maps) and number < len(self._maps[group]):
                exact = self._maps[group].map(number).contiguous().numpy().tobytes()
                self.send({"map": [group, number]}, buffers=[exact])
        elif message.get("save") == "html":
            self.send({"html": True}, buffers=[self._page().encode()])

    def _page(self) -> str:
        size = sum(maps.size() for maps in self._maps)
        if size > LARGEST_PAGE:
            raise ValueError(
                f"{size / 1e6:.0f} million weights are too many for a page; the most is "
                f"{LARGEST_PAGE / 1e6:.0f} million. Show fewer layers or heads, then save."
            )
        groups, levels = pack(self._maps)
        names = ("group", "map", "view", "cursor", "hidden", "title")
        state = {"groups": groups, "picks": False} | {name: getattr(self, name) for name in names}
        page = Template((JS / "page.html").read_text(encoding="utf-8"))
        return page.substitute(
            title=html.escape(self.title or "Attention"),
            css=self._css,
            state=json.dumps(state).replace("<", "\\u003c"),
            levels=base64.b64encode(levels).decode(),
            module=self._esm,
        )


def maps_of(translation: Translation, gold: Links | None = None) -> list[AttentionMaps]:
    """A translation's attention by kind, cross-attention first; `gold` links source and target.

    Raises:
        ValueError: it has none: the model is one without attention, or the weights were not
            asked for.
    """
    labels = {
        "cross": (translation.source, translation.outputs),
        "encoder": (translation.source, translation.source),
        "decoder": (translation.inputs, translation.inputs),
    }
    kinds = [kind for kind in labels if kind in translation.attention]
    if not kinds:
        raise ValueError(f"{translation.text!r}: a translation without attention, nothing to show.")
    return [
        AttentionMaps(
            translation.attention[kind], *labels[kind], kind, gold if kind == "cross" else None
        )
        for kind in kinds
    ]
