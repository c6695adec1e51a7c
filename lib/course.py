"""The course's own models: how each is trained, and how well it translates.

`make models` trains them all and stores them in lib/models/ with their scores. Each trains
before the reader's eyes in one notebook, with the same settings; other notebooks load it.
"""

import hashlib
import sys
from dataclasses import asdict, dataclass

import torch
from platformdirs import user_cache_path

from lib.checkpoints import MODELS, load_model, save_model
from lib.corpus import Corpus, load
from lib.metrics import score
from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.training import fit
from lib.transformer import Transformer, TransformerConfig
from lib.translator import Translator


@dataclass(frozen=True)
class Recipe:
    """All that makes a trained model.

    Attributes:
        notebook: where it trains before the reader's eyes.
        config: its settings, which also say of which family it is.
        training: arguments of `fit`.
        size: number of training pairs.
        seed: of the first weights; `fit` has its own.
    """

    notebook: str
    config: RecurrentConfig | TransformerConfig
    training: dict
    size: int = 30_000
    seed: int = 0

    def build(self, corpus: Corpus) -> Translator:
        """The model before training.

        In a corpus of real sentences, words that stand only once in training become <unk>: too
        rare to learn, they are half the vocabulary.
        """
        kind = Transformer if isinstance(self.config, TransformerConfig) else RecurrentTranslator
        vocabularies = corpus.vocabularies(min_count=1 if corpus.name == "built-in" else 2)
        torch.manual_seed(self.seed)
        return kind(*vocabularies, self.config)


_WITH_ATTENTION = {
    "epochs": 4,
    "batch_size": 64,
    "learning_rate": 8e-3,
    "schedule": "linear",
    "warmup_steps": 100,
}
# At the rate above the model without attention learns nothing.
_WITHOUT = {
    "epochs": 3,
    "batch_size": 32,
    "learning_rate": 4e-3,
    "schedule": "linear",
    "warmup_steps": 50,
}

# Settings chosen on validation; no dropout (figures/data/tuning.csv): short training, clean data.
RECIPES = {
    "plain": Recipe("04_encoder_decoder", RecurrentConfig(attention=None, dropout=0.0), _WITHOUT),
    "bahdanau": Recipe("05_bahdanau_attention", RecurrentConfig(dropout=0.0), _WITH_ATTENTION),
    "bahdanau_one_direction": Recipe(
        "05_bahdanau_attention",
        RecurrentConfig(bidirectional=False, dropout=0.0),
        _WITH_ATTENTION,
    ),
    "transformer": Recipe(
        "08_a_transformer_that_translates",
        TransformerConfig(dropout=0.0),
        {
            "epochs": 4,
            "batch_size": 64,
            "learning_rate": 2e-3,
            "schedule": "linear",
            "warmup_steps": 400,
        },
    ),
}


def trained(name: str, corpus: Corpus) -> Translator:
    """The course's model of that name, trained on `corpus`.

    For the built-in corpus it is loaded. For any other it is trained now, which takes minutes, and
    kept in the user's cache folder, to be loaded the next time.
    """
    if name not in RECIPES:
        raise ValueError(f"the course has no model {name!r}; it has {', '.join(RECIPES)}")
    if corpus.name == "built-in":
        return load_model(MODELS / name)
    recipe = RECIPES[name]
    content = repr((recipe, corpus.train)).encode()
    folder = user_cache_path("learning-to-align") / "models"
    stored = folder / f"{name}-{hashlib.sha256(content).hexdigest()[:16]}"
    if stored.with_suffix(".safetensors").exists():
        return load_model(stored)
    model = recipe.build(corpus)
    fit(model, corpus.train, corpus.validation, **recipe.training)
    save_model(model, stored)
    return model


def make(name: str) -> dict[str, float]:
    """Train the model of that name on the built-in corpus and store it with its scores."""
    recipe = RECIPES[name]
    corpus = load("built-in", size=recipe.size)
    model = recipe.build(corpus)
    history = fit(model, corpus.train, corpus.validation, **recipe.training)
    save_model(model, MODELS / name, dtype=torch.float16)
    model = load_model(MODELS / name)  # scored as it is stored: rounded to half precision
    scores = {
        "test": asdict(score(model, corpus.test)),
        "long": asdict(score(model, corpus.long)),
        "training_seconds": round(float(history["seconds"].sum()), 1),
    }
    save_model(model, MODELS / name, dtype=torch.float16, **scores)
    return scores


if __name__ == "__main__":
    for name in sys.argv[1:] or RECIPES:
        print(name, make(name))
