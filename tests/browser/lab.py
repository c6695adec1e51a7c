"""A real JupyterLab in a real browser, as a learner has it.

    notebook = lab.open("from lib.widgets… import …; w = …; w")   # one string per cell
    notebook.run()                # run all cells, wait for the widgets
    notebook.ask("w.map")         # what the kernel knows
    notebook.problems()           # errors on the console, requests elsewhere

Needs Chromium: `apt-get install chromium`, or `.venv/bin/playwright install chromium`.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import nbformat
from axe_playwright_python.sync_playwright import Axe
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Page, Playwright

ROOT = Path(__file__).parent.parent.parent
SECONDS = 90  # for JupyterLab to start
ACTION_SECONDS = 60
WIDGET = "[data-lta-ready]"
QUIET = [  # what Chromium would otherwise fetch or complain about
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


class Notebook:
    """One notebook, open in a tab of its own."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.path = page, path
        self.errors: list[str] = []
        self.elsewhere: list[str] = []
        self.received: list[int] = []  # bytes of each message from the kernel
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)
        page.on("websocket", lambda socket: socket.on("framereceived", self._count))

    def _note(self, request) -> None:
        local = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")
        if not request.url.startswith(local):
            self.elsewhere.append(request.url)

    def _count(self, frame: bytes | str) -> None:
        self.received.append(len(frame))

    def wait_for_kernel(self) -> None:
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(
            "jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )

    def run(self, widgets: int = 1, *, to_the_end: bool = True) -> None:
        """Run all cells and wait until so many widgets have drawn themselves."""
        self.wait_for_kernel()
        start = "jupyterapp.commands.execute('notebook:run-all-cells')"
        self.page.evaluate(start if to_the_end else f"void {start}")
        self.page.wait_for_function(f"document.querySelectorAll('{WIDGET}').length >= {widgets}")

    def ask(self, expression: str) -> object:
        """The value of an expression in the kernel, by way of JSON."""
        code = f"import json; print(json.dumps({expression}))"
        return json.loads(self.execute(code))

    def wait_for(self, expression: str, value: object) -> None:
        """Wait until an expression in the kernel has that value; the browser takes its time."""
        deadline = time.monotonic() + ACTION_SECONDS
        while (found := self.ask(expression)) != value:
            assert time.monotonic() < deadline, f"{expression} is {found!r}, not {value!r}"
            time.sleep(0.05)

    def execute(self, code: str) -> str:
        """Run code in the notebook's kernel, not in a cell; returns what it prints."""
        return self.page.evaluate(
            """async (code) => {
              const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({ code });
              let text = "";
              future.onIOPub = ({ content, header }) => {
                if (header.msg_type === "stream") text += content.text;
                if (header.msg_type === "error") text += content.traceback.join("\\n");
              };
              await future.done;
              return text;
            }""",
            code,
        )

    def wait(self, condition: str) -> None:
        """Wait for a JavaScript expression to hold."""
        self.page.wait_for_function(condition)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, where the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    def problems(self) -> list[str]:
        """Errors on the console and requests that left the machine."""
        return self.errors + self.elsewhere

    def set_theme(self, theme: str) -> None:
        self.page.evaluate(
            "name => jupyterapp.commands.execute('apputils:change-theme', {theme: name})",
            THEMES[theme],
        )
        light = json.dumps("true" if theme == "light" else "false")
        self.wait(f"document.body.dataset.jpThemeLight === {light}")

    def violations(self, selector: str = ".lta") -> list[str]:
        """What axe-core finds against WCAG 2.1 A and AA within the widget."""
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
        found = (
            Axe()
            .run(self.page, context={"include": [[selector]]}, options={"runOnly": rules})
            .response["violations"]
        )
        return [
            f"{v['id']}: {v['help']}: {[node['html'][:200] for node in v['nodes'][:3]]}"
            for v in found
        ]

    def overflow(self, selector: str = ".lta") -> list[str]:
        """Elements that stick out of the widget on the right, unless their frame scrolls."""
        return self.page.evaluate(
            """(selector) => [...document.querySelectorAll(selector)].flatMap((root) => {
              const right = root.getBoundingClientRect().right + 1;
              const frames = ["auto", "scroll", "hidden"];
              const scrolls = (node) => {
                const at = node.parentElement;
                if (!at || at === root.parentElement) return false;
                return frames.includes(getComputedStyle(at).overflowX) || scrolls(at);
              };
              return [...root.querySelectorAll("*")]
                .filter((n) => n.getBoundingClientRect().right > right && !scrolls(n))
                .map((n) => n.outerHTML.slice(0, 120));
            })""",
            selector,
        )

    def smallest_text(self, selector: str = ".lta") -> float:
        """The smallest size of text within the widget, in pixels."""
        return self.page.evaluate(
            """(selector) => Math.min(...[...document.querySelectorAll(`${selector} *`)]
              .filter((n) => [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
              .map((n) => parseFloat(getComputedStyle(n).fontSize)))""",
            selector,
        )

    def picture(self, name: str, selector: str = ".lta") -> None:
        """Keep a screenshot for the eye, if LTA_SCREENSHOTS names a folder for it."""
        if folder := os.environ.get("LTA_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.locator(selector).first.screenshot(path=f"{folder}/{name}.png")


class Lab:
    """A running JupyterLab and the folder that it shows."""

    def __init__(self, browser, folder: Path, port: int) -> None:
        self.browser, self.folder, self.url = browser, folder, f"http://127.0.0.1:{port}"
        self._names = count()
        self._contexts: list = []

    def write(self, *cells: str) -> Path:
        path = self.folder / f"notebook{next(self._names)}.ipynb"
        kernel = {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        }
        notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata=kernel)
        nbformat.write(notebook, path)
        return path

    def open(self, *cells: str, width: int = 1400, height: int = 1100) -> Notebook:
        """A new notebook of these cells, not yet run."""
        return self.show(self.write(*cells), width=width, height=height)

    def show(self, path: Path, width: int = 1400, height: int = 1100) -> Notebook:
        """A notebook that lies in the lab's folder."""
        context = self.browser.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(ACTION_SECONDS * 1000)
        self._contexts.append(context)
        notebook = Notebook(context.new_page(), path)
        notebook.page.goto(f"{self.url}/lab/tree/{path.relative_to(self.folder)}?reset")
        notebook.wait_for_kernel()
        notebook.page.evaluate(  # room for the notebook, and no list of kernels to look at
            "jupyterapp.commands.execute('application:toggle-left-area').catch(() => null)"
        )
        return notebook

    def close_all(self) -> None:
        while self._contexts:
            self._contexts.pop().close()
        request = urllib.request.Request(f"{self.url}/api/sessions")
        with urllib.request.urlopen(request) as answer:
            sessions = json.load(answer)
        for session in sessions:  # kernels would go on without their pages
            url = f"{self.url}/api/sessions/{session['id']}"
            with urllib.request.urlopen(urllib.request.Request(url, method="DELETE")):
                pass


def chromium(playwright: Playwright) -> Browser | None:
    """A headless Chromium: the system's, else playwright's own, else None."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    system = next(filter(None, map(shutil.which, names)), None)
    own = playwright.chromium.executable_path
    if system is None and not Path(own).exists():
        return None
    return playwright.chromium.launch(executable_path=system or own, args=QUIET)


@contextmanager
def jupyterlab(home: Path) -> Iterator[tuple[Path, int]]:
    """JupyterLab with settings of its own in `home`; yields the folder it shows, and its port."""
    folder = home / "course"
    folder.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    private = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime", "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
        f"--port={port}", f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True", f"--LabApp.app_settings_dir={ROOT / '.jupyter'}",
        "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    environment = os.environ | {name: str(home / path) for name, path in private.items()}
    environment |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_it_answers(f"http://127.0.0.1:{port}/api", process, home / "log")
            yield folder, port
        finally:
            process.terminate()
            process.wait()


def _wait_until_it_answers(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab does not answer:\n{log.read_text()[-3000:]}")
