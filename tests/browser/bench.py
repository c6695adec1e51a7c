"""How fast the attention explorer answers, measured in the browser: `make bench ARGS=widgets`.

12 layers × 12 heads × 128 × 128 weights in JupyterLab. Each head switch alternates with a redraw
of the same view by matplotlib, so that a busy machine slows both.
"""

import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.lab import Lab, Notebook, chromium, jupyterlab

SETUP = """
import time, torch
from lib.plotting import heatmap
from lib.widgets.attention_explorer import AttentionExplorer
from lib.widgets.snapshot import png_of

torch.manual_seed(0)
weights = (3 * torch.randn(12, 12, 128, 128)).softmax(-1)
tokens = [f"token{i}" for i in range(128)]

def redraw(number):
    start = time.perf_counter()
    map = weights.flatten(0, 1)[number]
    png_of(lambda: heatmap(map, tokens, tokens, colorbar=True).figure)
    return 1000 * (time.perf_counter() - start)
"""
SHOW = "w = AttentionExplorer(weights, tokens)\nw"
FIRST_PAINT = """async () => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  let idle = null;
  kernel.statusChanged.connect((_, status) => { if (status === "idle") idle = performance.now(); });
  const painted = (async () => {
    while (!document.querySelector("[data-lta-ready]")) await new Promise(requestAnimationFrame);
    return performance.now();
  })();
  await jupyterapp.commands.execute("notebook:run-cell");
  const at = await painted;
  while (idle === null) await new Promise((done) => setTimeout(done, 5));
  return Math.max(0, at - idle);
}"""
HOVER = """() => {
  const cells = document.querySelector(".lta-cells");
  const status = document.querySelector(".lta-status");
  const box = cells.getBoundingClientRect();
  const times = [];
  for (let i = 0; i < 300; i++) {
    const [x, y] = [(37 * i) % 128, (53 * i + 11) % 128];
    const where = {
      bubbles: true,
      clientX: box.left + (box.width * (x + 0.5)) / 128,
      clientY: box.top + (box.height * (y + 0.5)) / 128,
    };
    const before = status.textContent;
    const start = performance.now();
    cells.dispatchEvent(new PointerEvent("pointermove", where));
    document.querySelector(".lta-grid").getBoundingClientRect();  // the new layout is part of it
    times.push(performance.now() - start);
    if (status.textContent === before) throw new Error("the status did not change");
  }
  return times;
}"""
SWITCH = """async (number) => {
  const root = document.querySelector("[data-lta-ready]");
  const button = root.querySelectorAll("[role=radio]")[number];
  const drawn = +root.dataset.ltaReady;
  const start = performance.now();
  button.click();
  while (+root.dataset.ltaReady === drawn) await null;
  const coarse = performance.now() - start;
  while (root.dataset.ltaExact !== "true") await new Promise((done) => setTimeout(done, 1));
  return [coarse, performance.now() - start];
}"""


def widgets(switches: int = 30) -> None:
    """First paint, hover, head switch, bytes; the switch beside a redraw by matplotlib."""
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as home,
        jupyterlab(Path(home)) as server,
    ):
        browser = chromium(playwright)
        if browser is None:
            raise SystemExit("no Chromium: apt-get install chromium")
        lab = Lab(browser, *server)
        _measure(lab.open(SETUP, SHOW), switches)
        lab.close_all()
        browser.close()


def _measure(notebook: Notebook, switches: int) -> None:
    page = notebook.page
    page.evaluate("jupyterapp.commands.execute('notebook:run-cell-and-select-next')")
    notebook.received.clear()
    paint = page.evaluate(FIRST_PAINT)
    notebook.wait("document.querySelector('[data-lta-exact=true]')")
    received = sum(notebook.received)
    print(f"widgets: first paint {paint:.0f} ms after the cell has ended, {received:,} bytes")
    hovers = page.evaluate(HOVER)
    print(f"widgets: hover {statistics.median(hovers):.1f} ms (median of {len(hovers)})")
    notebook.ask("redraw(0)")  # matplotlib's first picture is slower than its others
    rows = []
    for number in range(1, switches + 1):
        place = 7 * number % 144
        coarse, exact = page.evaluate(SWITCH, place)
        rows.append((coarse, exact, notebook.ask(f"redraw({place})")))
        time.sleep(0.1)
    coarse, exact, redraw = (statistics.median(column) for column in zip(*rows, strict=True))
    ratio = statistics.median(row[2] / row[1] for row in rows)
    print(
        f"widgets: head switch {coarse:.1f} ms, with the exact weights {exact:.0f} ms; the same "
        f"view by matplotlib {redraw:.0f} ms; ratio {ratio:.1f} (medians of {len(rows)})"
    )
