"""The README's picture: what a trained model looks at, with the correct links outlined.

Its numbers are measured, never invented: data/cover.json holds the `source` and `target` tokens,
`weights` (a row per target token, a column per source token) and `gold` ([source index, target
index] pairs). Without that file there is no picture.
"""

import json

from matplotlib.figure import Figure

from figures import FOLDER
from figures.diagram import chart
from lib.plotting import heatmap

DATA = FOLDER / "data" / "cover.json"


def draw() -> Figure | None:
    """In the manner of Bahdanau et al. 2015, figure 3."""
    if not DATA.exists():
        return None
    data = json.loads(DATA.read_text(encoding="utf-8"))
    source, target = data["source"], data["target"]
    figure, ax = chart(2.2 + 0.38 * len(source), 1.6 + 0.38 * len(target))
    links = [tuple(link) for link in data["gold"]]
    heatmap(data["weights"], source, target, ax=ax, gold=links, colorbar=True)
    ax.set_title("bright: where the model looks     outlined: where it should")
    return figure
