"""The scoring playground in JupyterLab: what is seen and told is what the kernel computes."""

import re

import pytest

from browser.charts import PANEL, after, chart, drawn, point, status
from browser.lab import WIDGET

CODE = """
from lib.widgets.scoring_playground import ScoringPlayground
w = ScoringPlayground()
w"""
EVIL = "<img src=x onerror=window.hacked=1>"


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(CODE)
    notebook.run()
    yield notebook
    assert notebook.problems() == []


def reset(notebook) -> None:
    notebook.page.set_viewport_size({"width": 1400, "height": 1100})
    count = drawn(notebook)
    notebook.execute(
        "values = {'d': 1, 'temperature': 1.0, 'scale': '1/√d', 'curve': 'entropy', 'query': 1}\n"
        "for name, value in (values | {'d': 64}).items():\n"
        "    w.controls[name].value = values[name]\n"
        "    w.controls[name].value = value"
    )
    after(notebook, count)
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('At d = 64 and te')")


def test_a_slider_moved_by_keyboard_changes_the_weights_on_the_page(notebook):
    reset(notebook)
    before = chart(notebook, 0).inner_text()
    notebook.page.get_by_role("slider", name="dimension d").focus()
    count = drawn(notebook)
    notebook.page.keyboard.press("ArrowRight")
    after(notebook, count)
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('At d = 128 ')")
    assert notebook.ask("w['d']") == 128
    assert notebook.page.locator(".lta-facts").inner_text() == notebook.ask("w._facts()")
    slider = notebook.page.get_by_role("slider", name="dimension d")
    assert slider.get_attribute("aria-valuetext") == "128"
    assert chart(notebook, 0).inner_text() != before


def test_every_bar_has_the_kernels_weight_as_a_number_and_as_a_length(notebook):
    reset(notebook)
    for at, name in enumerate(notebook.ask("list(w.weights())")):
        weights = notebook.ask(f"w.weights()[{name!r}][0].tolist()")
        texts = chart(notebook, at).locator("svg text").all_text_contents()
        for weight in weights:
            assert f"{weight:.3f}" in texts
        widths = (
            chart(notebook, at)
            .locator("svg rect")
            .evaluate_all("bars => bars.map((bar) => +bar.getAttribute('width'))")
        )
        ratios = [width / weight for width, weight in zip(widths, weights, strict=True)]
        largest = max(weights)
        for ratio, weight in zip(ratios, weights, strict=True):
            if weight > largest / 20:
                assert ratio == pytest.approx(widths[weights.index(largest)] / largest, rel=1e-3)


def test_pointing_at_a_bar_tells_its_key_and_weight(notebook):
    reset(notebook)
    bars = chart(notebook, 1).locator("svg rect")
    for key in (0, 5):
        box = bars.nth(key).bounding_box()
        notebook.page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        weight = notebook.ask(f"w.weights()['scaled dot'][0, {key}].item()")
        assert status(notebook) == f"key {key + 1}: weight {weight:.3f}"
    whole = notebook.page.locator(".lta-status").first.inner_text()
    assert whole.startswith("scaled dot: × 0.125 — key 6")


def test_arrow_keys_walk_through_bars_and_lines_and_tell_them(notebook):
    reset(notebook)
    point(notebook, 0).focus()
    for key in ("Home", "ArrowDown", "ArrowRight"):
        notebook.page.keyboard.press(key)
    weight = notebook.ask("w.weights()['dot'][0, 2].item()")
    assert status(notebook) == f"key 3: weight {weight:.3f}"
    assert point(notebook, 0).get_attribute("aria-valuetext") == status(notebook)
    assert point(notebook, 0).get_attribute("aria-valuenow") == "3"
    notebook.page.keyboard.press("End")
    notebook.page.keyboard.press("ArrowDown")  # the edge
    assert status(notebook).startswith("key 8:")

    notebook.page.keyboard.press("Tab")
    notebook.page.keyboard.press("Tab")
    notebook.page.keyboard.press("Tab")
    assert chart(notebook, 3).get_by_role("slider").evaluate("n => n === document.activeElement")
    for key in ("Home", "PageUp", "ArrowRight", "ArrowRight", "ArrowDown"):
        notebook.page.keyboard.press(key)
    entropy = notebook.ask("w._measured('entropy', 4)['scaled dot']")
    told = float(re.fullmatch(r"scaled dot: d,.* 4, entropy .* ([\d.]+)", status(notebook))[1])
    assert told == pytest.approx(entropy, rel=0.01)


def test_focus_stays_and_the_value_is_told_anew_when_the_numbers_change(notebook):
    reset(notebook)
    point(notebook, 0).focus()
    notebook.page.keyboard.press("End")
    before = status(notebook)
    count = drawn(notebook)
    notebook.execute("w.controls['temperature'].value = 8.0")
    after(notebook, count)
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('temperature 8')")
    assert point(notebook, 0).evaluate("n => n === document.activeElement")
    assert status(notebook).startswith("key 8: weight")
    assert status(notebook) != before
    assert "Temperature 8 does to dot" in notebook.page.locator(".lta-facts").inner_text()


def test_the_menu_changes_the_curve(notebook):
    reset(notebook)
    for measure in notebook.ask("list(w.controls['curve'].options)")[::-1]:
        notebook.page.get_by_role("combobox", name="curve").select_option(label=measure)
        notebook.wait(f"document.body.innerText.includes('{measure} against d')")
        assert notebook.ask("w['curve']") == measure
        notebook.picture(f"scoring_{measure.replace(' ', '_')}", PANEL)
    assert notebook.violations(PANEL) == []


def test_a_factor_of_ones_own(notebook):
    reset(notebook)
    notebook.page.get_by_role("combobox", name="scale").select_option(label="a factor")
    notebook.wait(f"document.querySelector('{PANEL}').textContent.includes('scaled dot: × 1')")
    slider = notebook.page.get_by_role("slider", name="factor")
    slider.focus()
    notebook.page.keyboard.press("ArrowLeft")
    notebook.wait(f"document.querySelector('{PANEL}').textContent.includes('scaled dot: × 0.79')")
    assert notebook.ask("w['factor']") == pytest.approx(10**-0.1)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1400])
def test_accessible_and_inside_the_page_in_both_themes_at_both_widths(notebook, theme, width):
    reset(notebook)
    count = drawn(notebook)
    if width != 1400:
        notebook.page.set_viewport_size({"width": width, "height": 1100})
        after(notebook, count)
    notebook.set_theme(theme)
    assert notebook.violations(PANEL) == []
    assert notebook.overflow(PANEL) == []
    assert notebook.smallest_text(PANEL) >= 11
    notebook.picture(f"scoring_{theme}_{width}", PANEL)
    notebook.set_theme("light")


def test_labels_are_text_and_any_script_is_readable(lab):
    labels = [EVIL, "שלום", "你好", "🙂", "", " ", "x" * 60]
    code = f"""
import torch
from lib.widgets.scoring_playground import ScoringPlayground
torch.manual_seed(0)
w = ScoringPlayground(torch.randn(16), torch.randn(7, 16), {labels!r})
w"""
    notebook = lab.open(code)
    notebook.run()
    shown = chart(notebook, 0).locator("svg text").all_text_contents()
    assert {"שלום", "你好", "🙂", "∅", "␣"} <= set(shown)
    point(notebook, 0).focus()
    notebook.page.keyboard.press("Home")
    assert EVIL in status(notebook)
    notebook.page.keyboard.press("End")
    assert "x" * 60 in status(notebook)
    assert notebook.page.evaluate("window.hacked") is None
    assert notebook.page.locator(f"{PANEL} img").count() == 0
    assert notebook.page.get_by_role("slider", name="query", exact=True).count() == 0
    assert notebook.overflow(PANEL) == []
    assert notebook.violations(PANEL) == []
    notebook.picture("scoring_scripts", PANEL)
    assert notebook.problems() == []


def test_shown_twice_both_follow_and_another_does_not(lab):
    notebook = lab.open(CODE, "w", "v = ScoringPlayground(d=4)\nv")
    notebook.run(3)
    facts = "[...document.querySelectorAll('.lta-facts')].map((n) => n.textContent)"
    notebook.page.get_by_role("slider", name="dimension d").nth(1).focus()
    notebook.page.keyboard.press("End")
    notebook.wait(f"{facts}.slice(0, 2).every((text) => text.startsWith('At d = 512'))")
    assert notebook.ask("[w['d'], v['d']]") == [512, 4]
    assert notebook.page.evaluate(facts)[2].startswith("At d = 4 ")
    assert notebook.violations(PANEL) == []
    assert notebook.problems() == []


def test_after_a_restart_of_the_kernel_it_still_tells_and_can_be_run_again(lab):
    notebook = lab.open(CODE)
    notebook.run()
    notebook.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    notebook.wait_for_kernel()
    point(notebook, 0).focus()
    notebook.page.keyboard.press("End")
    assert status(notebook).startswith("key 8: weight")
    notebook.run()
    assert notebook.page.locator(WIDGET).count() == 1
    assert notebook.problems() == []
