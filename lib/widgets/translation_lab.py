"""Translate a sentence, hide some of its words from attention, and compare."""

import html
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from ipywidgets import HTML, Button, Dropdown, HBox, Layout, Text, ToggleButton, VBox
from matplotlib.figure import Figure

from lib.decoding import Translation, translate
from lib.plotting import heatmap
from lib.text import tokenize
from lib.translator import Translator
from lib.widgets.attention_explorer import AttentionExplorer, maps_of
from lib.widgets.snapshot import Snapshot

SEARCHES = {"greedy": 1, "beam of 2": 2, "beam of 4": 4, "beam of 8": 8}
WRAPPED = Layout(flex_flow="row wrap", align_items="flex-start")


class TranslationLab(Snapshot, VBox):
    """Type a sentence, see its translation and where the model looked; click a word to hide it.

        TranslationLab(model)
        TranslationLab({"Bahdanau": bahdanau, "Transformer": transformer}, "i'm home .")

    A hidden word is one that the decoder may not attend to. The translation without it stands
    beside the one with it. The encoder still reads the word, so its neighbours may know of it.

    Args:
        models: one trained model, or several by name, side by side.
        sentence: English, to begin with.
        beam: 1 (greedy), 2, 4 or 8, to begin with.

    Attributes:
        sentence, search, words: the controls: a text, a menu, and a button per source word that
            is pressed while the word is hidden.
        translations: by model, what stands on the page: the translation of all words and, if
            some are hidden, that without them.

    Raises:
        ValueError: the sentence is empty, there is no model, or one that was never trained.
    """

    def __init__(
        self,
        models: Translator | Mapping[str, Translator],
        sentence: str = "i'm home .",
        *,
        beam: int = 1,
    ) -> None:
        models = {"": models} if isinstance(models, Translator) else dict(models)
        if not models:
            raise ValueError("TranslationLab: there is no model; give one, or several by name.")
        for name, model in models.items():
            _require_trained(name, model)
        if beam not in SEARCHES.values():
            raise ValueError(f"beam={beam}: the menu has {', '.join(map(str, SEARCHES.values()))}")
        if not tokenize(sentence, "en"):
            raise ValueError(f"TranslationLab: the sentence {sentence!r} is empty; give it a word.")
        self._models = models
        self.translations: dict[str, list[Translation]] = {}
        self.sentence = Text(sentence, description="English", continuous_update=False)
        self.sentence.layout = Layout(width="min(440px, 95%)")
        self.search = Dropdown(options=SEARCHES, value=beam, description="search")
        self.words: list[ToggleButton] = []
        self._button = Button(description="Translate", button_style="primary")
        self._row = HBox(layout=WRAPPED)
        self._message = HTML()
        self._panels = {name: (_Panel(self, name), _Panel(self, name)) for name in models}
        boxes = [panel.box for panels in self._panels.values() for panel in panels]
        controls = HBox([self.sentence, self.search, self._button], layout=WRAPPED)
        super().__init__([controls, self._row, self._message, HBox(boxes, layout=WRAPPED)])
        self.sentence.observe(self._new_sentence, names="value")
        self.search.observe(self._translate, names="value")
        self._button.on_click(self._translate)
        self._new_sentence()

    def toggle(self, place: int) -> None:
        """Hide the source word of that place, or show it again."""
        self.words[place].value = not self.words[place].value

    def figure(self) -> Figure:
        shown = [
            (name, translation)
            for name, translations in self.translations.items()
            for translation in translations
            if "cross" in translation.attention
        ]
        if not shown:
            figure, ax = plt.subplots(figsize=(6, 1))
            ax.set_axis_off()
            ax.text(0, 0.5, repr(self), va="center", parse_math=False)
            return figure
        figure, axes = plt.subplots(
            1, len(shown), figsize=(4.2 * len(shown), 4), squeeze=False, layout="compressed"
        )
        for ax, (name, translation) in zip(axes.flat, shown, strict=True):
            weights = translation.attention["cross"][-1].mean(dim=0)
            heatmap(weights, translation.source, translation.outputs, ax=ax)
            ax.set_title("\n".join(filter(None, [name, translation.text])), parse_math=False)
        return figure

    def __repr__(self) -> str:
        lines = [f"TranslationLab: {self.sentence.value}"]
        hidden = [button.tooltip for button in self.words if button.value]
        for name, (plain, *without) in self.translations.items():
            start = f"{name}: " if name else ""
            lines.append(start + plain.text)
            lines += [f"{start}{t.text} (hidden: {', '.join(hidden)})" for t in without]
        return "\n".join(lines)

    def _new_sentence(self, change: object = None) -> None:
        """Buttons for the words of the sentence, all shown, then its translations."""
        tokens = tokenize(self.sentence.value, "en")
        if not tokens:
            self._message.value = _warning("The sentence is empty: type at least one word.")
            return
        vocabularies = [model.source_vocab for model in self._models.values()]
        unknown = {token for vocab in vocabularies for token in vocab.unknown(tokens)}
        self.words = [_word_button(token, token in unknown) for token in tokens]
        for button in self.words:
            button.observe(self._translate, names="value")
        self._row.children = (HTML("Click a word to hide it from attention:"), *self.words)
        self._translate()

    def _translate(self, change: object = None) -> None:
        source = tokenize(self.sentence.value, "en")
        if not source:
            return
        hidden = [place for place, button in enumerate(self.words) if button.value]
        for button in self.words:
            _describe(button)
        for name, model in self._models.items():
            found = [
                translate(model, [source], beam=self.search.value, hidden=places, warn=False)[0]
                for places in ([], hidden)[: 1 + bool(hidden)]
            ]
            self.translations[name] = found
            plain, without = self._panels[name]
            plain.show(found[0], hidden=[])
            without.show(found[-1] if hidden else None, hidden=hidden)
        self._message.value = self._remarks(source)

    def _remarks(self, source: Sequence[str]) -> str:
        remarks = []
        unknown = sorted({u for found in self.translations.values() for u in found[0].unknown})
        if unknown:
            names = ", ".join(f"“{word}”" for word in unknown)
            remarks.append(_warning(f"Not in the vocabulary, so read as <unk>: {names}."))
        return "".join(remarks)


class _Panel:
    """A model's translation, its candidates, and its attention."""

    def __init__(self, lab: TranslationLab, name: str) -> None:
        self._lab, self._name = lab, name
        self._text = HTML()
        self._explorer: AttentionExplorer | None = None
        self.box = VBox([self._text], layout=Layout(flex="1 1 430px", min_width="0"))

    def show(self, translation: Translation | None, hidden: list[int]) -> None:
        self.box.layout.display = "none" if translation is None else None
        if translation is None:
            return
        self._text.value = _text_of(self._name, translation, hidden)
        if not translation.attention:
            return
        maps = maps_of(translation)
        if self._explorer is None:
            first = maps[0].weights.shape
            self._explorer = AttentionExplorer(
                maps, map=(first[0] - 1) * first[1], hidden=hidden, picks=True
            )
            self._explorer.on_msg(self._picked)
            self.box.children = (self._text, self._explorer)
        else:
            self._explorer.hidden = hidden
            self._explorer.show(maps)

    def _picked(self, explorer: AttentionExplorer, message: dict, buffers: object) -> None:
        place = message.get("pick")
        kind = explorer.groups[explorer.group]["name"]
        if place is not None and kind == "cross" and place < len(self._lab.words):
            self._lab.toggle(place)


def _text_of(name: str, translation: Translation, hidden: list[int]) -> str:
    words = ", ".join(f"“{translation.source[place]}”" for place in hidden)
    heading = f"without {words}" if hidden else "all words"
    scale = "score: mean log-probability per token, 0 is certain"
    title = f"<b>{html.escape(name)}</b> · " if name else ""
    lines = [f"<div>{title}{html.escape(heading)} · {scale}</div>"]
    candidates = translation.candidates or (translation,)
    for number, candidate in enumerate(candidates):
        text = html.escape(candidate.text) or "(nothing)"
        cut = "" if candidate.finished else " (cut off)"
        style = "font-size:16px;font-weight:600" if number == 0 else ""
        score = f'<span style="font-weight:400;font-size:13px">score {candidate.score:z.2f}</span>'
        lines.append(f'<div style="{style}">{text}{cut} {score}</div>')
    if not translation.attention:
        lines.append("<div>This model has no attention: nothing to look at, nothing to hide.</div>")
    return "".join(lines)


def _word_button(token: str, unknown: bool) -> ToggleButton:
    style = "warning" if unknown else ""
    button = ToggleButton(tooltip=token, layout=Layout(width="auto"), button_style=style)
    _describe(button)
    return button


def _describe(button: ToggleButton) -> None:
    """Say in words, for every reader, what the button's colours say."""
    remarks = {"unknown": button.button_style == "warning", "hidden": button.value}
    said = ", ".join(remark for remark, holds in remarks.items() if holds)
    button.description = f"{button.tooltip} ({said})" if said else button.tooltip


def _warning(text: str) -> str:
    return f'<div role="status"><b>{html.escape(text)}</b></div>'


def _require_trained(name: str, model: Translator) -> None:
    """Untrained models have biases of zero and normalisations that do nothing (`initialize`)."""
    vectors = [parameter for parameter in model.parameters() if parameter.dim() == 1]
    if vectors and all((v == 0).all() or (v == 1).all() for v in vectors):
        raise ValueError(
            f"TranslationLab: the model {name!r} was never trained; train it with fit, or load one "
            'of the course\'s with load_model("transformer").'
        )
