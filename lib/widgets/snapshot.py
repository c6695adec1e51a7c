"""What a widget leaves behind where no widget can be shown: a picture and a text of it."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

JS = Path(__file__).parent / "js"
CSS = (JS / "widgets.css").read_text(encoding="utf-8")


def module(*names: str) -> str:
    """One ES module made of the files of js/: a widget's browser side must not import anything."""
    return "\n".join((JS / f"{name}.js").read_text(encoding="utf-8") for name in names)


def png_of(draw: Callable[[], Figure]) -> bytes:
    """The figure that `draw` returns, as a PNG; no figure stays open.

    Raises:
        TypeError: `draw` returns something else.
    """
    already_open = set(plt.get_fignums())
    try:
        figure = draw()
        if not isinstance(figure, Figure):
            raise TypeError(f"draw returned {figure!r}; let it return the figure.")
        figure.savefig(png := io.BytesIO(), format="png", bbox_inches="tight")
    finally:
        for number in set(plt.get_fignums()) - already_open:
            plt.close(number)
    return png.getvalue()


class Snapshot:
    """Beside the live view: a PNG of what it shows, and its `repr` as text.

    A stored notebook that nobody has trusted yet, a page on the web and a screen without
    JavaScript show these. Put it before the widget's class; give `figure` and a `__repr__` that
    names nothing that differs from run to run.
    """

    def figure(self) -> Figure:
        """What the widget shows now, as a matplotlib figure."""
        raise NotImplementedError

    def _png(self) -> bytes:
        return png_of(self.figure)

    def _repr_mimebundle_(self, **kwargs: object) -> tuple[dict, dict]:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        text = repr(self)
        picture = {"image/png": base64.b64encode(self._png()).decode(), "text/plain": text}
        return data | picture, {"image/png": {"alt": text}}
