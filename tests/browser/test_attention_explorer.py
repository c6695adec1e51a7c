"""The attention explorer in JupyterLab, used with mouse and keyboard."""

import io
import re
from xml.etree import ElementTree

import pytest
from PIL import Image

from browser.lab import WIDGET, Notebook

SETUP = """
import torch
from lib.checkpoints import load_model
from lib.corpus import load
from lib.widgets.attention_explorer import AttentionExplorer

pair = load().test[5]
"""
TRANSFORMER = SETUP + 'w = AttentionExplorer.of(load_model("transformer"), pair)\nw'
PLAIN = """
def plain(queries, keys, title=""):
    torch.manual_seed(0)
    weights = torch.randn(len(queries), len(keys)).softmax(-1)
    return AttentionExplorer(weights, keys, queries, title=title)
"""
EVIL = "<img src=x onerror=window.hacked=1>"


@pytest.fixture(scope="module")
def notebook(lab):
    notebook = lab.open(TRANSFORMER)
    notebook.run()
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    return notebook


@pytest.fixture(autouse=True)
def _nothing_goes_wrong(request):
    yield
    if "notebook" in request.fixturenames:
        assert request.getfixturevalue("notebook").problems() == []


def status(notebook, root=WIDGET) -> str:
    return notebook.page.locator(f"{root} .lta-status").first.inner_text()


def cell(notebook, query: int, key: int) -> None:
    """Point at the middle of a cell."""
    cells = notebook.page.locator(".lta-cells").first
    box = cells.bounding_box()
    rows, columns = (
        int(notebook.page.locator(".lta-grid").first.get_attribute(name)) - 1
        for name in ("aria-rowcount", "aria-colcount")
    )
    x, y = box["width"] * (key + 0.5) / columns, box["height"] * (query + 0.5) / rows
    cells.hover(position={"x": x, "y": y})


def reset(notebook) -> None:
    drawn = int(notebook.page.locator(WIDGET).first.get_attribute("data-lta-ready"))
    notebook.execute("w.group, w.map, w.view, w.cursor = 0, 1, 'map', []; w.map = 0")
    notebook.wait(f"document.querySelector('{WIDGET}').dataset.ltaReady > {drawn}")
    notebook.wait("document.querySelector('[data-lta-exact=true]')")


def test_every_layer_and_head_is_there_and_the_alignment_is_scored(notebook):
    reset(notebook)
    maps = notebook.page.get_by_role("radio")
    assert maps.count() == notebook.ask("len(w._maps[0])") == 8
    rates = notebook.ask("w._maps[0].error_rates")
    for place, rate in enumerate(rates):
        assert f"alignment error rate {rate:.2f}" in maps.nth(place).get_attribute("aria-label")
    links = notebook.page.locator(".lta-link").count()
    assert links == notebook.ask("len(pair.alignment)") > 0


def test_pointing_at_a_cell_tells_its_query_key_weight_and_whether_it_is_gold(notebook):
    reset(notebook)
    for source, target in [*notebook.ask("sorted(pair.alignment)[:2]"), (9, 0)]:
        cell(notebook, target, source)
        weight = notebook.ask(f"w._maps[0].map(0)[{target}, {source}].item()")
        said = status(notebook)
        assert f"weight {weight:.3f}" in said
        assert notebook.ask(f"w._maps[0].keys[{source}]") in said
        assert notebook.ask(f"w._maps[0].queries[{target}]") in said
        gold = notebook.ask(f"({source}, {target}) in pair.alignment")
        assert said.endswith("a gold link" if gold else "no gold link")


@pytest.mark.parametrize(("side", "other"), [("query", "key"), ("key", "query")])
def test_pointing_at_a_word_lights_up_the_words_of_the_other_side_by_weight(notebook, side, other):
    reset(notebook)
    notebook.page.locator(f".lta-grid [data-{side}='4']").hover()
    row = "w._maps[0].map(0)[4]" if side == "query" else "w._maps[0].map(0)[:, 4]"
    weights = notebook.ask(f"{row}.tolist()")
    blue = notebook.page.evaluate(  # in cividis, the lighter the less blue; red grows
        f"""[...document.querySelectorAll(".lta-grid [data-{other}]")]
            .map((n) => +getComputedStyle(n).backgroundColor.match(/\\d+/g)[0])"""
    )
    assert blue.index(max(blue)) == weights.index(max(weights))
    lit = sorted(range(len(weights)), key=weights.__getitem__)
    assert [blue[at] for at in lit] == sorted(blue)


def test_the_keyboard_alone_reaches_every_cell_and_the_labels(notebook):
    reset(notebook)
    notebook.page.get_by_role("radio").first.focus()
    notebook.press("Tab", "ArrowDown", "ArrowRight", "ArrowRight")
    notebook.wait_for("w.cursor", [1, 2])
    assert "looks at" in status(notebook)
    notebook.press("Home", "ArrowLeft")
    notebook.wait_for("w.cursor", [1, -1])
    notebook.press("ArrowRight", "End", "PageUp", "ArrowUp")
    notebook.wait_for("w.cursor", [-1, 9])
    assert "is looked at by" in status(notebook)
    notebook.press("PageDown")
    notebook.wait_for("w.cursor", [11, 9])
    notebook.press("ArrowDown", "ArrowRight")  # the edge
    notebook.wait_for("w.cursor", [11, 9])


def test_arrow_keys_walk_through_layers_and_heads(notebook):
    reset(notebook)
    notebook.page.get_by_role("radio").first.focus()
    notebook.press("ArrowRight", "ArrowDown")
    notebook.wait(f"document.querySelector('{WIDGET} .lta-facts').textContent.includes('head 2')")
    notebook.wait_for("w.map", 5)
    facts = notebook.page.locator(".lta-facts").inner_text()
    assert facts.startswith("cross, layer 2, head 2 · 12 queries × 10 keys")
    notebook.press("End")
    notebook.wait_for("w.map", 7)


def test_each_kind_of_attention_can_be_chosen(notebook):
    reset(notebook)
    menu = notebook.page.get_by_role("combobox", name="which attention")
    menu.select_option(label="decoder")
    facts = notebook.page.locator(".lta-facts")
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('decoder')")
    notebook.wait_for("w.group", 2)
    assert "12 queries × 12 keys" in facts.inner_text()
    assert notebook.page.locator(".lta-link").count() == 0
    cell(notebook, 0, 5)
    notebook.wait("document.querySelector('.lta-status').textContent.includes('0.000')")


def test_the_lines_view_shows_the_same_weights(notebook):
    reset(notebook)
    notebook.page.get_by_role("button", name="as lines").click()
    options = notebook.page.locator(".lta [role=option]")
    options.first.wait_for()
    notebook.wait_for("w.view", "lines")
    assert options.count() == 12 + 10
    options.nth(3).hover()
    best = notebook.ask("w._maps[0].map(0)[3].max().item()")
    assert f"{best:.3f}" in status(notebook)
    notebook.page.locator(".lta-bar").first.hover()
    options.first.focus()
    notebook.press("ArrowDown", "ArrowDown")
    notebook.wait("document.activeElement.textContent === 'que'")
    notebook.wait_for("w.cursor", [2, -1])
    assert notebook.violations() == []


def test_zoom_keeps_the_words_readable(notebook):
    reset(notebook)
    width = "document.querySelector('.lta-cells').clientWidth"
    fitting = notebook.page.evaluate(width)
    notebook.page.get_by_role("button", name="smaller").click()
    notebook.page.get_by_role("button", name="smaller").click()
    assert notebook.page.evaluate(width) < fitting
    assert notebook.smallest_text() >= 10
    notebook.page.get_by_role("button", name="as large as").click()
    assert notebook.page.evaluate(width) == fitting


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [700, 1400])
def test_accessible_and_inside_the_page_in_both_themes_at_both_widths(notebook, theme, width):
    reset(notebook)
    notebook.page.set_viewport_size({"width": width, "height": 1100})
    notebook.set_theme(theme)
    notebook.wait("document.querySelector('.lta').clientWidth > 0")
    notebook.page.wait_for_timeout(200)  # two frames for the new width
    assert notebook.violations() == []
    assert notebook.overflow() == []
    assert notebook.smallest_text() >= 10
    notebook.picture(f"explorer_{theme}_{width}")
    notebook.page.set_viewport_size({"width": 1400, "height": 1100})
    notebook.set_theme("light")


def saved(notebook, kind: str) -> bytes:
    with notebook.page.expect_download() as waiting:
        notebook.page.get_by_role("button", name=f"save as {kind}").first.click()
    return waiting.value.path().read_bytes()


def test_saved_pictures_hold_the_words_and_the_weights(notebook):
    reset(notebook)
    image = Image.open(io.BytesIO(saved(notebook, "PNG")))
    assert image.format == "PNG"
    assert min(image.size) > 400
    svg = ElementTree.fromstring(saved(notebook, "SVG"))
    space = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in svg.iter(f"{space}text")]
    assert set(notebook.ask("[*w._maps[0].keys, *w._maps[0].queries]")) <= set(words)
    gold = [r for r in svg.iter(f"{space}rect") if r.get("stroke") == "#d55e00"]
    assert len(gold) == notebook.ask("len(pair.alignment)")
    notebook.page.get_by_role("button", name="as lines").click()
    notebook.page.locator(".lta [role=option]").first.wait_for()
    lines = ElementTree.fromstring(saved(notebook, "SVG"))
    assert len(list(lines.iter(f"{space}path"))) > 10


def open_page(browser, path) -> Notebook:
    page = browser.new_context().new_page()
    opened = Notebook(page, path)
    opened.elsewhere = []
    page.on("request", lambda r: opened.elsewhere.append(r.url) if r.url.startswith("http") else 0)
    page.goto(path.as_uri())
    page.wait_for_selector(WIDGET)
    return opened


def test_the_saved_page_works_from_disk_without_a_kernel(notebook, browser, tmp_path):
    reset(notebook)
    path = tmp_path / "page.html"
    path.write_bytes(saved(notebook, "an interactive page"))
    page = open_page(browser, path)
    assert page.page.get_by_role("radio").count() == 8
    page.page.get_by_role("radio").nth(6).click()
    assert "layer 2, head 3" in page.page.locator(".lta-facts").inner_text()
    cell(page, 3, 2)
    weight = notebook.ask("w._maps[0].map(6)[3, 2].item()")
    said = float(re.search(r"weight ([\d.]+)", status(page))[1])
    assert said == pytest.approx(weight, abs=0.01)
    page.page.get_by_role("combobox").select_option(label="encoder")
    assert "encoder" in page.page.locator(".lta-facts").inner_text()
    page.page.get_by_role("button", name="as lines").click()
    assert page.page.locator(".lta [role=option]").count() == 20
    assert page.violations() == []
    problems = [p for p in page.errors + page.elsewhere if not p.startswith("file:")]
    assert problems == []
    assert page.page.get_by_role("button", name="an interactive page").count() == 0


def test_tokens_are_text_and_never_run(lab, browser, tmp_path):
    tokens = [EVIL, "</script><script>window.hacked=1</script>", "{{evil}}", "a&amp;b", "]]>"]
    notebook = lab.open(SETUP, PLAIN, f"w = plain({tokens}, {tokens}, title={EVIL!r})\nw")
    notebook.run()
    assert EVIL in notebook.page.locator(".lta-title").inner_text()
    cell(notebook, 0, 1)
    assert EVIL in status(notebook)
    assert "</script>" in status(notebook)
    svg = ElementTree.fromstring(saved(notebook, "SVG"))
    assert not [node for node in svg.iter() if node.tag.endswith(("img", "script"))]
    path = tmp_path / "evil.html"
    path.write_bytes(saved(notebook, "an interactive page"))
    page = open_page(browser, path)
    assert EVIL in page.page.locator(".lta-title").inner_text()
    for opened in (notebook, page):
        assert opened.page.evaluate("window.hacked") is None
        assert opened.page.locator(".lta img").count() == 0
        assert [p for p in opened.problems() if not p.startswith("file:")] == []


def test_any_script_emoji_and_right_to_left_words_stay_readable(lab):
    tokens = ["שלום", "مرحبا", "你好", "🙂", "e\u0301tude", "", " ", "x" * 60]
    notebook = lab.open(SETUP, PLAIN, f"w = plain({tokens}, {tokens})\nw")
    notebook.run()
    labels = notebook.page.locator(".lta-queries span")
    shown = [labels.nth(at).inner_text() for at in range(len(tokens))]
    assert shown[:5] == tokens[:5]
    assert all(text.strip() for text in shown)
    assert len(shown[7]) == 18
    cell(notebook, 7, 0)
    assert "x" * 60 in status(notebook)
    assert notebook.overflow() == []
    notebook.picture("explorer_scripts")
    assert notebook.violations() == []
    assert notebook.problems() == []


def test_shown_twice_both_follow_and_two_widgets_are_strangers(lab):
    other = "v = plain(['a', 'b'], ['c', 'd'], title='other')\nv"
    notebook = lab.open(SETUP + PLAIN, TRANSFORMER.replace(SETUP, ""), "w", other)
    notebook.run(3)
    roots = notebook.page.locator(WIDGET)
    roots.nth(0).get_by_role("radio").nth(3).click()
    notebook.wait(
        f"[...document.querySelectorAll('{WIDGET} .lta-facts')].slice(0, 2)"
        ".every((n) => n.textContent.includes('layer 1, head 4'))"
    )
    notebook.wait_for("[w.map, v.map]", [3, 0])
    assert roots.nth(2).locator(".lta-facts").inner_text() == "2 queries × 2 keys"
    assert notebook.violations() == []
    assert notebook.problems() == []


def test_after_a_restart_of_the_kernel_it_still_answers_and_can_be_run_again(lab):
    notebook = lab.open(TRANSFORMER)
    notebook.run()
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    notebook.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    notebook.wait_for_kernel()
    cell(notebook, 2, 2)
    assert "with weight" in status(notebook)
    notebook.page.get_by_role("radio").nth(5).click()
    cell(notebook, 3, 3)
    assert "with weight" in status(notebook)
    notebook.run()
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    assert notebook.page.locator(WIDGET).count() == 1
    assert notebook.problems() == []


@pytest.fixture(scope="module")
def saved_notebook(lab):
    """A notebook that was run, saved and closed."""
    notebook = lab.open(TRANSFORMER)
    notebook.run()
    notebook.page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    notebook.wait("!jupyterapp.shell.currentWidget.context.model.dirty")
    lab.close_all()
    return notebook.path


def test_opened_again_it_answers_before_anything_is_run(lab, saved_notebook):
    notebook = lab.show(saved_notebook)
    notebook.page.locator(WIDGET).wait_for()
    notebook.page.get_by_role("radio").nth(6).click()
    cell(notebook, 3, 2)
    assert "with weight" in status(notebook)
    notebook.run()
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    assert notebook.page.locator(WIDGET).count() == 1
    assert notebook.problems() == []


def test_a_notebook_that_nobody_has_trusted_shows_the_picture(lab, saved_notebook):
    path = saved_notebook.with_name("cloned.ipynb")
    text = saved_notebook.read_text(encoding="utf-8")
    path.write_text(text.replace("test[5]", "test[5] "), encoding="utf-8")
    notebook = lab.show(path)
    picture = notebook.page.locator(".jp-OutputArea-output img")
    picture.wait_for()
    assert picture.evaluate("n => n.naturalWidth") > 300
    assert notebook.page.locator(WIDGET).count() == 0
    notebook.picture("untrusted", ".jp-OutputArea-output")


@pytest.mark.parametrize(("layers", "tokens"), [(12, 128), (2, 512)])
def test_large_maps_travel_when_they_are_looked_at(lab, layers, tokens):
    code = f"""
torch.manual_seed(0)
weights = (3 * torch.randn({layers}, 12, {tokens}, {tokens})).softmax(-1)
w = AttentionExplorer(weights, [f"token{{i}}" for i in range({tokens})])
w"""
    notebook = lab.open(SETUP, code, width=700)
    notebook.run()
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    assert 0 < sum(notebook.received) <= 3_000_000
    notebook.page.get_by_role("radio").nth(17).click()
    notebook.wait("document.querySelector('.lta-facts').textContent.startsWith('layer 2, head 6')")
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    cell(notebook, 5, 2)
    assert re.search(r"weight \d\.\d{3}", status(notebook))
    query, key = (int(re.findall(r"token(\d+)", status(notebook))[at]) for at in (0, 1))
    weight = notebook.ask(f"weights[1, 5, {query}, {key}].item()")
    assert f"{weight:.3f}" in status(notebook)
    assert notebook.overflow() == []
    assert notebook.smallest_text() >= 10
    notebook.page.get_by_role("button", name="larger").click()
    frame = "document.querySelector('.lta-frame')"
    assert notebook.page.evaluate(f"{frame}.scrollWidth > {frame}.clientWidth")
    notebook.picture(f"explorer_{tokens}_tokens")
    assert notebook.problems() == []
