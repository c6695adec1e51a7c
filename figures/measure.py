"""Measures what the pictures of data show, with the course's stored models: `make models`.

Writes figures/data/. `tuning` trains many small Transformers, which takes minutes.
"""

import json
import sys
from itertools import product

import pandas as pd
import torch

from figures import FOLDER
from lib import metrics
from lib.checkpoints import load_model, model_info
from lib.corpus import load
from lib.decoding import force
from lib.training import fit
from lib.transformer import Transformer, TransformerConfig

DATA = FOLDER / "data"
NAMES = {
    "plain": "no attention",
    "bahdanau": "Bahdanau",
    "transformer": "Transformer",
}


def bleu_by_length() -> None:
    """BLEU by source length: unseen combinations, then sentences longer than any in training."""
    corpus = load()
    pairs = (*corpus.test, *corpus.long)
    tables = [
        metrics.bleu_by_length(load_model(name), pairs).assign(model=shown)
        for name, shown in NAMES.items()
    ]
    columns = ["model", "words", "low", "high", "sentences", "bleu"]
    pd.concat(tables)[columns].round(2).to_csv(DATA / "bleu_by_length.csv", index=False)


def cover() -> None:
    """Bahdanau's model on a statement of the test with many crossing links.

    Of those on which it does no worse than on the whole test, the one with the most: what the
    model usually does, where it is hardest.
    """
    corpus, model = load(), load_model("bahdanau")
    usual = model_info("bahdanau")["extra"]["test"]["aer"]
    few = [pair for pair in corpus.test if 9 <= len(pair.target) <= 12 and pair.source[-1] == "."]
    hardest = sorted(few, key=lambda pair: -crossings(pair.alignment))
    pair = next(p for p in hardest if metrics.aer_by_head(model, [p])["aer"].min() <= usual)
    (translation,) = force(model, [pair])
    weights = translation.attention["cross"][0, 0]
    data = {
        "source": translation.source,
        "target": translation.outputs,
        "weights": [[round(w, 4) for w in row] for row in weights.tolist()],
        "gold": sorted(pair.alignment),
    }
    text = json.dumps(data, ensure_ascii=False, indent=None)
    (DATA / "cover.json").write_text(text + "\n", encoding="utf-8")


def crossings(links) -> int:
    """Pairs of links that cross: source order and target order disagree."""
    return sum(s1 < s2 and t1 > t2 for (s1, t1), (s2, t2) in product(links, links))


def tuning() -> None:
    """Learning rate × warm-up × dropout of a Transformer on 5,000 pairs, judged on validation."""
    corpus = load(size=5_000)
    rows = []
    for rate, warmup, dropout in product((5e-4, 2e-3, 8e-3), (0, 400), (0.0, 0.1, 0.3)):
        torch.manual_seed(0)
        model = Transformer(*corpus.vocabularies(), TransformerConfig(dropout=dropout))
        settings = {"learning_rate": rate, "warmup_steps": warmup}
        history = fit(
            model,
            corpus.train,
            corpus.validation,
            epochs=6,
            batch_size=32,
            schedule="linear",
            **settings,
        )
        scores = metrics.score(model, corpus.validation)
        rows.append(
            settings
            | {
                "dropout": dropout,
                "train_loss": round(float(history["train_loss"].iloc[-1]), 3),
                "validation_loss": round(scores.loss, 3),
                "validation_bleu": round(scores.bleu, 1),
            }
        )
        print(rows[-1], flush=True)
        pd.DataFrame(rows).to_csv(DATA / "tuning.csv", index=False)


MEASUREMENTS = {"bleu_by_length": bleu_by_length, "cover": cover, "tuning": tuning}

if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MEASUREMENTS:
        MEASUREMENTS[name]()
