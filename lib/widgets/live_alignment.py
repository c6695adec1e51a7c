"""Watch an alignment form while a model trains."""

from lib.decoding import force
from lib.text import Pair, detokenize
from lib.translator import Translator
from lib.widgets.attention_explorer import AttentionExplorer
from lib.widgets.attention_maps import AttentionMaps

MOST_FRAMES = 80


class LiveAlignment(AttentionExplorer):
    """One sentence's alignment, looked at again and again during training.

        live = LiveAlignment(model, pair)
        live                                  # shows the untrained model
        fit(model, train, on_step=live)       # the map changes as the model learns
        live                                  # now a slider runs through the steps

    The map is cross-attention while the model predicts the pair's target, averaged over the heads
    of the last layer, after every fourth step at first. At most 80 maps are kept: when there are
    more, every other one is dropped, and from then on half as many are made.

    Raises:
        ValueError: the model has no cross-attention.
    """

    def __init__(self, model: Translator, pair: Pair, **traits: object) -> None:
        self._pair, self._every = pair, 4
        self._frames = {"before training": self._look(model)}
        title = traits.pop("title", f"{detokenize(pair.source)} → {detokenize(pair.target)}")
        super().__init__([self._collected()], title=title, **traits)

    def __call__(self, model: Translator, step: int, loss: float) -> None:
        """What `fit` calls after each step."""
        if step % self._every:
            return
        self._frames[f"step {step}, loss {loss:.2f}"] = self._look(model)
        if len(self._frames) > MOST_FRAMES:
            self._every *= 2
            self._frames = dict(list(self._frames.items())[::2])
        with self.hold_sync():
            self.show([self._collected()])
            self.map = len(self._frames) - 1

    def __repr__(self) -> str:
        return f"LiveAlignment: {self.title}"

    def _look(self, model: Translator) -> AttentionMaps:
        seen = force(model, [self._pair])[0]
        if "cross" not in seen.attention:
            raise ValueError(
                f"LiveAlignment: a {type(model).__name__} without cross-attention aligns nothing."
            )
        weights = seen.attention["cross"][-1].mean(dim=0)
        return AttentionMaps(weights, seen.source, seen.outputs, "alignment", self._pair.alignment)

    def _collected(self) -> AttentionMaps:
        return AttentionMaps.over_time(self._frames)
