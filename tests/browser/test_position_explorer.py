"""The position explorer in JupyterLab: what is seen and told is what the kernel computes."""

import re

import pytest

from browser.charts import PANEL, after, chart, drawn, point, status
from browser.lab import WIDGET

CODE = """
from lib.widgets.position_explorer import PositionExplorer
w = PositionExplorer()
w"""
TABLE, WAVES, CLOCK, VECTOR, LIKENESS = range(5)


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(CODE)
    notebook.run()
    yield notebook
    assert notebook.problems() == []


def reset(notebook) -> None:
    notebook.page.set_viewport_size({"width": 1400, "height": 1400})
    count = drawn(notebook)
    notebook.execute(
        "start = {'d_model': 64, 'num_positions': 64, 'base': 1e4}\n"
        "start |= {'position': 10, 'pair': 4, 'shift': 5}\n"
        "w.controls['position'].value = 11\n"
        "for name, value in start.items():\n"
        "    w.controls[name].value = value"
    )
    after(notebook, count)
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('PE[10] · PE[15]')")


def over_cell(notebook, position: int, column: int) -> tuple[float, float]:
    """Where on the page a number of the table stands."""
    canvas = chart(notebook, TABLE).locator(".lta-plot canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    length, d_model = notebook.ask("list(w.table.shape)")
    across, down = box["width"] * (position + 0.5), box["height"] * (column + 0.5)
    return box["x"] + across / length, box["y"] + down / d_model


def test_pointing_at_the_table_tells_position_column_and_number(notebook):
    reset(notebook)
    for position, column in ((0, 0), (10, 8), (63, 63), (30, 17)):
        notebook.page.mouse.move(*over_cell(notebook, position, column))
        value = notebook.ask(f"w.table[{position}, {column}].item()")
        said = re.fullmatch(r"position (\d+), column (\d+): (−?[\d.]+)", status(notebook))
        assert [int(said[1]), int(said[2])] == [position, column]
        assert float(said[3].replace("−", "-")) == pytest.approx(value, abs=6e-4)


def test_the_colours_of_the_table_follow_its_numbers(notebook):
    reset(notebook)
    red = (
        chart(notebook, TABLE)
        .locator(".lta-plot canvas")
        .evaluate(
            "(n) => [...n.getContext('2d').getImageData(0, 0, n.width, 1).data]"
            ".filter((_, at) => at % 4 === 0)"
        )
    )
    row = notebook.ask("w.table[:, 0].tolist()")
    assert len(red) == len(row)
    assert red.index(max(red)) == row.index(max(row))
    assert red.index(min(red)) in [at for at, value in enumerate(row) if value < -0.9]


def test_a_click_on_the_table_chooses_position_and_pair(notebook):
    reset(notebook)
    count = drawn(notebook)
    notebook.page.mouse.click(*over_cell(notebook, 33, 21))
    after(notebook, count)
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('PE[33] · PE[38]')")
    assert notebook.ask("[w['position'], w['pair']]") == [33, 10]
    assert "Pair 10 along the positions" in chart(notebook, WAVES).inner_text()


def test_the_keyboard_alone_chooses_on_the_table(notebook):
    reset(notebook)
    point(notebook, TABLE).focus()
    notebook.press("Home", "PageUp", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown")
    assert status(notebook).startswith("position 2, column 2:")
    notebook.press("Enter")
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('PE[2] · PE[7]')")
    assert notebook.ask("[w['position'], w['pair']]") == [2, 1]
    assert point(notebook, TABLE).evaluate("n => n === document.activeElement")


def test_the_hand_of_the_clock_turns_with_the_shift(notebook):
    reset(notebook)
    slider = notebook.page.get_by_role("slider", name="shift k")
    slider.focus()
    before = chart(notebook, CLOCK).locator("svg polyline").last.get_attribute("points")
    notebook.press("ArrowRight")
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('k = 6')")
    assert notebook.ask("w['shift']") == 6
    assert chart(notebook, CLOCK).locator("svg polyline").last.get_attribute("points") != before
    facts = notebook.page.locator(".lta-facts").inner_text()
    assert facts == notebook.ask("w._facts()")
    assert "error 0 to rounding" in facts


def test_the_shift_stops_at_the_end_of_the_table_and_the_slider_shows_it(notebook):
    reset(notebook)
    notebook.page.get_by_role("slider", name="position p").focus()
    notebook.press("End")
    notebook.wait("document.querySelector('.lta-facts').textContent.includes('PE[63] · PE[63]')")
    assert notebook.ask("[w['position'], w['shift']]") == [63, 0]
    slider = notebook.page.get_by_role("slider", name="shift k")
    assert float(slider.get_attribute("aria-valuenow")) == 0


def test_both_curves_of_likeness_tell_the_same_at_the_same_distance(notebook):
    reset(notebook)
    point(notebook, LIKENESS).focus()
    notebook.press("PageUp", "Home", *["ArrowRight"] * 20)
    first = re.fullmatch(r"p = 10: distance to q 10, dot product ([\d.]+)", status(notebook))
    notebook.press("PageDown", "Home", *["ArrowRight"] * 25)
    second = re.fullmatch(r"p \+ k = 15: distance to q 10, dot product ([\d.]+)", status(notebook))
    assert first[1] == second[1]
    assert float(first[1]) == pytest.approx(
        notebook.ask("(w.table[10] @ w.table[20]).item()"), 0.01
    )


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [("d_model", "Home", [64, 2]), ("positions", "Home", [8, 64]), ("positions", "End", [256, 64])],
)
def test_smaller_and_larger_tables(notebook, name, keys, said):
    reset(notebook)
    count = drawn(notebook)
    notebook.page.get_by_role("slider", name=name, exact=True).focus()
    notebook.press(keys)
    after(notebook, count)
    size = f"{said[0]} positions of {said[1]} numbers"
    notebook.wait(f"document.querySelector('{PANEL}').textContent.includes('{size}')")
    canvas = chart(notebook, TABLE).locator(".lta-plot canvas")
    assert canvas.evaluate("n => [n.width, n.height]") == said
    assert notebook.overflow(PANEL) == []
    notebook.picture(f"position_{name}_{keys}", PANEL)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1400])
def test_accessible_and_inside_the_page_in_both_themes_at_both_widths(notebook, theme, width):
    reset(notebook)
    count = drawn(notebook)
    if width != 1400:
        notebook.page.set_viewport_size({"width": width, "height": 2200})
        after(notebook, count)
    notebook.set_theme(theme)
    assert notebook.violations(PANEL) == []
    assert notebook.overflow(PANEL) == []
    assert notebook.smallest_text(PANEL) >= 11
    notebook.picture(f"position_{theme}_{width}", PANEL)
    notebook.set_theme("light")


def test_a_table_of_ones_own_is_held_against_the_rotation(lab):
    code = """
import torch
from lib.widgets.position_explorer import PositionExplorer
torch.manual_seed(0)
w = PositionExplorer(torch.randn(20, 8))
w"""
    notebook = lab.open(code)
    notebook.run()
    assert "does not hold" in notebook.page.locator(".lta-facts").inner_text()
    assert notebook.page.get_by_role("slider", name="base").count() == 0
    assert notebook.violations(PANEL) == []
    notebook.picture("position_own", PANEL)
    assert notebook.problems() == []


def test_shown_twice_both_follow_and_another_does_not(lab):
    notebook = lab.open(CODE, "w", "v = PositionExplorer(d_model=8)\nv")
    notebook.run(3)
    facts = "[...document.querySelectorAll('.lta-facts')].map((n) => n.textContent)"
    notebook.page.get_by_role("slider", name="position p").nth(1).focus()
    notebook.press("Home")
    notebook.wait(f"{facts}.slice(0, 2).every((text) => text.includes('PE[0] · PE[5]'))")
    assert notebook.ask("[w['position'], v['position']]") == [0, 10]
    assert "PE[10] · PE[15]" in notebook.page.evaluate(facts)[2]
    assert notebook.problems() == []


def test_after_a_restart_of_the_kernel_it_still_tells_and_can_be_run_again(lab):
    notebook = lab.open(CODE)
    notebook.run()
    notebook.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    notebook.wait_for_kernel()
    notebook.page.mouse.click(*over_cell_without_kernel(notebook))
    assert status(notebook).startswith("position 0, column 0: 0.000")
    notebook.run()
    assert notebook.page.locator(WIDGET).count() == 1
    assert notebook.problems() == []


def over_cell_without_kernel(notebook) -> tuple[float, float]:
    box = chart(notebook, TABLE).locator(".lta-plot canvas").bounding_box()
    return box["x"] + 2, box["y"] + 1
