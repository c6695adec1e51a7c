"""Translating, hiding words, comparing models."""

import pytest

from lib.checkpoints import load_model
from lib.course import RECIPES
from lib.decoding import translate
from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.text import Vocabulary
from lib.transformer import Transformer, TransformerConfig
from lib.widgets.translation_lab import TranslationLab

SENTENCE = "the girl doesn't see the red car ."


@pytest.fixture(scope="module")
def models():
    return {name: load_model(name) for name in ("bahdanau", "transformer")}


def test_it_shows_what_translate_says_by_model_and_search(models):
    lab = TranslationLab(models, SENTENCE, beam=4)
    for name, model in models.items():
        (expected,) = translate(model, [SENTENCE], beam=4)
        (found,) = lab.translations[name]
        assert found == expected
        assert found.candidates == expected.candidates
        assert len(found.candidates) == 4
    lab.search.value = 1
    assert all(not found[0].candidates for found in lab.translations.values())


def test_hiding_a_word_puts_the_translation_without_it_beside_the_other(models):
    lab = TranslationLab(models, SENTENCE)
    place = 6
    assert lab.words[place].tooltip == "red"
    lab.toggle(place)
    for name, model in models.items():
        plain, without = lab.translations[name]
        assert plain == translate(model, [SENTENCE])[0]
        assert without == translate(model, [SENTENCE], hidden=[place])[0]
        assert "rouge" in plain.text
        assert "rouge" not in without.text
        assert (without.attention["cross"][..., place] == 0).all()
    assert "(hidden: red)" in repr(lab)
    lab.toggle(place)
    assert all(len(found) == 1 for found in lab.translations.values())


def test_a_word_picked_on_the_map_is_hidden(models):
    lab = TranslationLab(models["transformer"], SENTENCE)
    explorer = lab._panels[""][0]._explorer
    explorer._handle_custom_msg({"pick": 6}, [])
    assert lab.words[6].value
    explorer.group = 2  # in the decoder's own attention the keys are French
    explorer._handle_custom_msg({"pick": 1}, [])
    assert not lab.words[1].value


def test_a_new_sentence_starts_with_all_words_shown(models):
    lab = TranslationLab(models, SENTENCE)
    lab.toggle(0)
    lab.sentence.value = "i'm home ."
    assert [button.tooltip for button in lab.words] == ["i", "'m", "home", "."]
    assert not any(button.value for button in lab.words)
    assert all(found[0].text == "je suis chez moi ." for found in lab.translations.values())
    assert repr(lab).splitlines()[0] == "TranslationLab: i'm home ."


def test_unknown_words_are_marked_and_named(models):
    lab = TranslationLab(models, "i see a unicorn .")
    marked = [button for button in lab.words if button.button_style == "warning"]
    assert [button.description for button in marked] == ["unicorn (unknown)"]
    assert "“unicorn”" in lab._message.value


def test_what_is_typed_is_text(models):
    lab = TranslationLab(models, "i see <img src=x onerror=alert(1)> .")
    assert "<img" not in lab._message.value
    assert "&lt;img" in lab._message.value


def test_an_emptied_sentence_says_so_and_keeps_what_was_there(models):
    lab = TranslationLab(models, SENTENCE)
    before = dict(lab.translations)
    lab.sentence.value = "  "
    assert "type at least one word" in lab._message.value
    assert lab.translations == before
    lab.search.value = 4  # nothing to translate
    lab.sentence.value = "go ."
    assert "type at least one" not in lab._message.value


def test_a_model_without_attention_says_that_there_is_nothing_to_look_at(models):
    lab = TranslationLab({"plain": load_model("plain"), **models}, "go .")
    assert "no attention" in lab._panels["plain"][0]._text.value
    assert lab._panels["plain"][0]._explorer is None
    lab.toggle(0)


@pytest.mark.parametrize(
    "kind", [(RecurrentTranslator, RecurrentConfig), (Transformer, TransformerConfig)]
)
def test_a_model_that_was_never_trained_is_refused(kind):
    model = kind[0](Vocabulary(["a"]), Vocabulary(["b"]), kind[1]())
    with pytest.raises(ValueError, match="'mine' was never trained; train it with fit, or load"):
        TranslationLab({"mine": model})


def test_every_model_of_the_course_counts_as_trained():
    TranslationLab({name: load_model(name) for name in RECIPES}, "go .")


def test_wrong_input_is_refused(models):
    with pytest.raises(ValueError, match="the sentence '' is empty"):
        TranslationLab(models, "")
    with pytest.raises(ValueError, match="there is no model"):
        TranslationLab({})
    with pytest.raises(ValueError, match="beam=3: the menu has 1, 2, 4, 8"):
        TranslationLab(models, beam=3)


def test_text_and_picture_stand_in_where_there_is_no_widget(models):
    lab = TranslationLab(models, SENTENCE)
    bundle, metadata = lab._repr_mimebundle_()
    assert bundle["text/plain"] == repr(lab) == metadata["image/png"]["alt"]
    assert "bahdanau: la fille ne voit pas la voiture rouge ." in repr(lab)
    lab.toggle(6)
    assert lab._repr_mimebundle_()[0]["image/png"] != bundle["image/png"]
