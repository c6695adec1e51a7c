"""How translations of long sentences suffer without attention, and do not with it.

data/bleu_by_length.csv holds what was measured: a row per model and group of sentences with the
columns model, words, low, high, sentences, bleu. Without that file there is no picture.
"""

import pandas as pd
from matplotlib.figure import Figure

from figures import FOLDER
from figures.diagram import chart
from lib.plotting import bleu_by_length

DATA = FOLDER / "data" / "bleu_by_length.csv"


def draw() -> Figure | None:
    """In the manner of Bahdanau et al. 2015, figure 2."""
    if not DATA.exists():
        return None
    table = pd.read_csv(DATA)
    figure, ax = chart(7, 3.6)
    bleu_by_length(dict(iter(table.groupby("model", sort=False))), ax=ax)
    return figure
