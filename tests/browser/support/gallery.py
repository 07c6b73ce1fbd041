"""Pages made with real frameworks and widgets (tests/peers/frameworks), and the page tools.

gallery = Gallery(browser)                 # one page, one Python, for all tests
gallery.draw("vue3")                       # tests/peers/frameworks/src/vue3.js, drawn afresh
gallery.call("fill_form_field", fields=[{"name": "Name", "value": "Mei"}])
gallery.state()                            # what the framework itself holds
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from browser.support.fake_server import FakeServer
from browser.support.watch import Watch
from browser.support.workbench import Workbench
from peers.peer import install
from scripts.node import find_node

FOLDER = Path(__file__).resolve().parents[2] / "peers" / "frameworks"

PAGE = """<meta charset="utf-8"><title>Gallery</title><base href="/tests/peers/frameworks/build/">
<style>body { margin: 24px; font: 16px sans-serif } label, fieldset { display: block }</style>
<h1>Gallery</h1><main id="place"></main>"""

SHOW = """async (name) => {
  window.shown?.close?.();
  window.shown = null;
  for (const old of [...document.body.children]) if (old.localName !== "h1") old.remove();
  document.querySelectorAll("link").forEach((link) => link.remove());
  document.body.removeAttribute("style");
  document.activeElement?.blur();
  const place = document.body.appendChild(document.createElement("main"));
  const root = place.appendChild(document.createElement("div"));
  if (window.styles.includes(name)) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: `${name}.css` });
    const loaded = new Promise((done, failed) => {
      Object.assign(link, { onload: done, onerror: failed });
    });
    document.head.append(link);
    await loaded;
  }
  window.shown = await (await import(new URL(`${name}.js`, document.baseURI).href)).mount(root);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


class Gallery(Workbench):
    """One page in which the demonstrations are drawn one after another."""

    def __init__(self, browser: Browser) -> None:
        build()
        self.context = browser.new_context(locale="en-US", viewport={"width": 1000, "height": 800})
        self.context.set_default_timeout(20_000)
        self.watch = Watch(self.context)
        super().__init__(self.context.new_page(), FakeServer())
        Workbench.show(self, PAGE)
        styles = sorted(path.stem for path in (FOLDER / "build").glob("*.css"))
        self.page.evaluate("styles => { window.styles = styles; }", styles)

    def draw(self, name: str) -> None:
        """Draws a demonstration afresh; the one before is gone."""
        self.page.evaluate(SHOW, name)
        self.python('set_up("{}")')

    def fill(self, *pairs: tuple[str, Any]) -> dict[str, Any]:
        """Fills fields through the real tool."""
        fields = [{"name": name, "value": value} for name, value in pairs]
        return self.call("fill_form_field", fields=fields)

    def state(self) -> Any:
        """What the framework holds."""
        return json.loads(self.page.evaluate("JSON.stringify(window.shown.state())"))

    def close(self) -> None:
        """Ends the page and its server."""
        self.context.close()
        self.server.close()


def build() -> None:
    """Installs the pinned packages and bundles the pages, unless that is done already."""
    node = find_node()
    install(FOLDER, node)
    sources = [
        *sorted((FOLDER / "src").iterdir()),
        FOLDER / "build.mjs",
        FOLDER / "package-lock.json",
    ]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    marker = FOLDER / "build" / ".built"
    with (FOLDER / "package.json").open(encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes wait here
        if not marker.exists() or marker.read_text(encoding="utf-8") != digest:
            node.run("build.mjs", cwd=FOLDER)
            marker.write_text(digest, encoding="utf-8")
