"""Turn a quantity with a slider and watch a picture answer."""

import html
from collections.abc import Callable

from ipywidgets import HTML, Image, Layout, VBox, Widget, interactive
from matplotlib.figure import Figure

from lib.widgets.snapshot import Snapshot, png_of


class Explorer(Snapshot, VBox):
    """Controls above a picture that is drawn anew whenever one of them changes.

    ipywidgets' own `interact` sends its picture through an Output widget, which tests of
    notebooks cannot follow and which a page without a kernel leaves blank.
    """

    def __init__(self, draw: Callable[..., Figure], controls: dict[str, Widget]) -> None:
        self._draw, self._controls = draw, controls
        fixed = Layout(align_self="flex-start", flex="0 0 auto", max_width="100%")
        self.picture = Image(format="png", value=self._png(), layout=fixed)
        self.message = HTML()
        for control in controls.values():
            control.observe(self._redraw, names="value")
        super().__init__([*controls.values(), self.message, self.picture])

    def _redraw(self, change: object) -> None:
        try:
            self.picture.value, self.message.value = self._png(), ""
        except Exception as error:  # nobody would see a traceback: tell the reader on the page
            self.message.value = f"<b>{type(error).__name__}:</b> {html.escape(str(error))}"
        self.picture.layout.display = "none" if self.message.value else None

    def _png(self) -> bytes:
        values = {name: control.value for name, control in self._controls.items()}
        return png_of(lambda: self._draw(**values))

    def __repr__(self) -> str:
        return f"explore({', '.join(self._controls)})"


def explore(draw: Callable[..., Figure], **controls: object) -> Explorer:
    """Show `draw(name=value, …)` under one control per name.

    Args:
        draw: returns a figure. An error in its first call is raised as usual; later ones are
            shown in place of the picture.
        controls: `(min, max)` or `(min, max, step)` for a slider that starts half-way, a list or
            a dict of choices for a menu, True or False for a box to tick, or any ipywidgets
            control, for a start of your own.

    Raises:
        ValueError: no control at all, or one that none of these forms fits.
    """
    if not controls:
        raise ValueError("explore needs at least one control, such as temperature=(0.1, 2.0, 0.1).")
    widgets = {name: interactive.widget_from_abbrev(control) for name, control in controls.items()}
    for name, widget in widgets.items():
        if widget is None:
            raise ValueError(f"{name}={controls[name]!r} is no control; give (min, max) or a list.")
        if not widget.description:
            widget.description, widget.style.description_width = name.replace("_", " "), "initial"
    return Explorer(draw, widgets)
