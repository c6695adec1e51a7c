"""The translation lab in JupyterLab: type, translate, hide a word, compare."""

import pytest

from browser.lab import WIDGET

CELL = """
from lib.checkpoints import load_model
from lib.widgets.translation_lab import TranslationLab

models = {name: load_model(name.lower()) for name in ("Bahdanau", "Transformer")}
w = TranslationLab(models, "the girl doesn't see the red car .")
w
"""
OUTPUT = ".jp-OutputArea-output"


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(CELL)
    notebook.run(2)
    return notebook


def page_says(notebook, text: str) -> None:
    notebook.page.locator(OUTPUT).get_by_text(text).first.wait_for()


def explorers(notebook):
    return notebook.page.locator(f"{WIDGET}:visible")


def type_sentence(notebook, text: str) -> None:
    box = notebook.page.get_by_role("textbox", name="English")
    box.fill(text)
    box.press("Enter")
    notebook.wait_for("w.sentence.value", text)


def test_a_word_hidden_with_the_mouse_changes_the_translation_beside_the_old_one(notebook):
    type_sentence(notebook, "the girl doesn't see the red car .")
    page_says(notebook, "la fille ne voit pas la voiture rouge .")
    notebook.page.get_by_role("button", name="red", exact=True).click()
    page_says(notebook, "without “red”")
    page_says(notebook, "la fille ne voit pas la voiture .")
    page_says(notebook, "la fille ne voit pas la voiture rouge .")
    notebook.wait_for("[len(found) for found in w.translations.values()]", [2, 2])
    notebook.wait(f"document.querySelectorAll('{WIDGET}').length === 4")
    boxes = [explorers(notebook).nth(at).bounding_box() for at in range(4)]
    assert boxes[0]["y"] == boxes[1]["y"] < boxes[2]["y"] == boxes[3]["y"]  # a row for each model
    struck = explorers(notebook).nth(1).locator(".lta-keys .lta-hidden")
    assert struck.inner_text() == "red"
    assert "line-through" in struck.evaluate("n => getComputedStyle(n).textDecoration")
    notebook.picture("lab_hidden", OUTPUT)
    notebook.page.get_by_role("button", name="red (hidden)", exact=True).click()
    notebook.wait_for("[len(found) for found in w.translations.values()]", [1, 1])
    explorers(notebook).nth(2).wait_for(state="hidden")
    left, right = (explorers(notebook).nth(at).bounding_box() for at in range(2))
    assert left["x"] + left["width"] <= right["x"]  # both models side by side


def test_a_word_is_hidden_by_a_click_on_the_map_and_by_keyboard(notebook):
    type_sentence(notebook, "i see the small dog .")
    page_says(notebook, "je vois le petit chien .")
    explorers(notebook).first.locator(".lta-keys [data-key='3']").click()
    notebook.wait_for("[button.value for button in w.words]", [False] * 3 + [True] + [False] * 2)
    page_says(notebook, "without “small”")
    cursor = explorers(notebook).first.locator(".lta-cursor")
    cursor.focus()
    notebook.page.keyboard.press("ArrowRight")
    notebook.page.keyboard.press("Enter")
    notebook.wait_for("[button.value for button in w.words]", [False] * 3 + [True] * 2 + [False])
    page_says(notebook, "without “small”, “dog”")


def test_a_beam_shows_its_candidates_with_their_scores(notebook):
    type_sentence(notebook, "go .")
    notebook.page.get_by_role("combobox", name="search").select_option(label="beam of 4")
    notebook.wait_for("[len(f[0].candidates) for f in w.translations.values()]", [4, 4])
    second = notebook.ask("list(w.translations.values())[0][0].candidates[1].text")
    page_says(notebook, second)
    notebook.page.get_by_role("combobox", name="search").select_option(label="greedy")
    notebook.wait_for("[len(f[0].candidates) for f in w.translations.values()]", [0, 0])


def test_unknown_words_are_marked_and_markup_is_text(notebook):
    type_sentence(notebook, "i see a <img src=x onerror=window.hacked=1> .")
    page_says(notebook, "Not in the vocabulary")
    assert notebook.page.locator(f"{OUTPUT} .mod-warning").count() > 0
    assert notebook.page.locator(f"{OUTPUT} img").count() == 0
    assert notebook.page.evaluate("window.hacked") is None


def test_an_empty_sentence_is_answered_on_the_page(notebook):
    type_sentence(notebook, "go .")
    page_says(notebook, "va !")
    type_sentence(notebook, "")
    page_says(notebook, "type at least one word")
    page_says(notebook, "va !")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1400])
def test_accessible_and_inside_the_page_in_both_themes_at_both_widths(notebook, theme, width):
    type_sentence(notebook, "the girl doesn't see the red unicorn .")
    page_says(notebook, "unicorn (unknown)")
    notebook.page.set_viewport_size({"width": width, "height": 1100})
    notebook.set_theme(theme)
    notebook.page.wait_for_timeout(300)
    assert notebook.violations(OUTPUT) == []
    assert notebook.overflow() == []
    assert notebook.smallest_text(OUTPUT) >= 10
    notebook.picture(f"lab_{theme}_{width}", OUTPUT)
    notebook.page.set_viewport_size({"width": 1400, "height": 1100})
    notebook.set_theme("light")


def test_nothing_went_wrong_on_the_way(notebook):
    assert notebook.problems() == []
