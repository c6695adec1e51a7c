"""Every picture the course owns, drawn by code from committed data.

A module here with a function `draw` is one picture; `python -m figures` writes each beside its
module, as a PNG of the same name.
"""

import importlib
import io
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

FOLDER = Path(__file__).parent
DPI = 150  # shown 700 pixels wide, a picture is still sharp on a dense screen


def pictures() -> dict[str, Callable[[], Figure | None]]:
    """The functions that draw, by name of their picture."""
    names = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
    modules = {name: importlib.import_module(f"figures.{name}") for name in names}
    return {name: module.draw for name, module in modules.items() if hasattr(module, "draw")}


def save(figure: Figure, path: Path) -> None:
    """Write a small PNG (256 colours) that says nothing of when and by what it was made."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    Image.open(buffer).convert("RGB").quantize(256).save(path, optimize=True)
