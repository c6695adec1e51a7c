"""lib.course: the stored models are what their recipes say, and score what stands beside them."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import torch

from lib import course
from lib.checkpoints import MODELS, load_model, model_info
from lib.corpus import load
from lib.course import RECIPES, trained
from lib.metrics import score

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"


@pytest.fixture(scope="module")
def corpus():
    return load()


def test_together_the_models_are_small():
    assert sum(file.stat().st_size for file in MODELS.iterdir()) <= 15e6
    assert {file.stem for file in MODELS.iterdir()} == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_a_stored_model_was_built_by_its_recipe_on_todays_corpus(name, corpus):
    recipe, model = RECIPES[name], load_model(name)
    built = recipe.build(load(size=recipe.size))
    assert model.config == recipe.config
    assert model.source_vocab == built.source_vocab
    assert model.target_vocab == built.target_vocab


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_stored_model_scores_what_stands_beside_it(name, corpus):
    """Other machines round differently, which may turn a word here and there."""
    stored = model_info(name)["extra"]["test"]
    found = dataclasses.asdict(score(load_model(name), corpus.test))
    assert found["bleu"] == pytest.approx(stored["bleu"], abs=0.3)
    assert found["loss"] == pytest.approx(stored["loss"], rel=0.01)
    assert found["aer"] == pytest.approx(stored["aer"], abs=0.01)


def test_the_models_reach_what_the_course_promises():
    """The README's table: unseen combinations, alignments, long sentences."""
    scores = {name: model_info(name)["extra"] for name in RECIPES}
    assert scores["bahdanau"]["test"]["bleu"] >= 95
    assert scores["bahdanau"]["test"]["aer"] <= 0.30
    assert scores["transformer"]["test"]["bleu"] >= 90
    assert scores["bahdanau"]["long"]["bleu"] >= scores["plain"]["long"]["bleu"] + 20


@pytest.mark.parametrize("name", RECIPES)
def test_each_model_trains_before_the_readers_eyes_in_exactly_one_notebook(name):
    where = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "".join("".join(c["source"]) + "\n" for c in cells if c["cell_type"] == "code")
        if re.search(rf'RECIPES\["{name}"\]', code) and re.search(r"= fit\(", code):
            where.append(path.stem)
    assert where == [RECIPES[name].notebook]


def test_on_another_corpus_the_model_is_trained_there_once(monkeypatch, tmp_path):
    monkeypatch.setattr(course, "user_cache_path", lambda name: tmp_path)
    small = dataclasses.replace(load(size=40), name="mine")
    recipe = RECIPES["plain"]
    quick = dataclasses.replace(recipe, training=recipe.training | {"epochs": 1, "warmup_steps": 0})
    monkeypatch.setitem(course.RECIPES, "plain", quick)
    model = trained("plain", small)
    assert model.source_vocab == small.vocabularies(min_count=2)[0]
    assert not model.training
    monkeypatch.setattr(course, "fit", None)  # a second training would fail
    again = trained("plain", small)
    assert all(map(torch.equal, again.parameters(), model.parameters()))


def test_an_unknown_name_is_refused_with_the_known_ones(corpus):
    with pytest.raises(ValueError, match=r"'transfomer'; it has .*transformer"):
        trained("transfomer", corpus)
