"""Bare pages that start the runtime through one of its doors and keep what happened."""

from __future__ import annotations

from browser.support.fake_server import FakeServer

OWN = """<!doctype html><html lang="en"><meta charset="utf-8"><title>own door</title>{head}
<script type="module">
window.happened = {{ progress: [], events: [] }};
try {{
  const runtime = await import("{origin}/static/runtime.js");
  window.runtime = runtime;
  for (const name of ["failed", "ready"]) {{
    runtime.progress.addEventListener(name, () => happened.events.push(name));
  }}
  window.boot = async () => {{
    const onProgress = (told) => happened.progress.push(told);
    const pyodide = await runtime.startRuntime({{ onProgress }});
    {then}
    return pyodide;
  }};
  window.told = ({{ code, file, message, constructor }}) =>
    ({{ code, file, text: message, type: constructor.name }});
  window.pyodide = await boot();
  happened.ended = "ready";
}} catch (error) {{
  happened.error = window.told ? told(error) : {{ text: String(error) }};
  happened.ended = "failed";
}}
document.documentElement.dataset.ended = happened.ended;
</script>"""

PYSCRIPT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>PyScript's door</title>
<script type="module">
window.happened = {{ events: [] }};
const runtime = await import("/static/runtime.js");
window.runtime = runtime;
for (const name of ["failed", "ready"]) {{
  runtime.progress.addEventListener(name, (event) => {{
    happened.events.push(name);
    if (name === "ready") return;
    happened.error = {{ code: event.detail.code, file: event.detail.file }};
    document.documentElement.dataset.ended = "failed";
  }});
}}
addEventListener("unhandledrejection", (event) => event.preventDefault());
</script>
<script type="module" src="/static/vendor/{pyscript}/core.js"></script>
<mpy-config hidden>{{"plugins": {plugins}}}</mpy-config>
<script type="py" config='{{"interpreter": "/static/runtime.js", "plugins": {plugins}}}'>
{code}
</script>"""

PLUGINS = (
    '["!codemirror", "!deprecations-manager", "!donkey", "!error", "!py-editor", "!py-game", '
    '"!py-terminal"]'
)


def own_page(server: FakeServer, *, then: str = "", head: str = "", origin: str = "") -> str:
    """A page that starts the runtime itself; `then` is JavaScript run on `pyodide`."""
    return server.file("own.html", OWN.format(then=then, head=head, origin=origin))


def pyscript_page(server: FakeServer, pyscript: str, code: str) -> str:
    """A page whose PyScript uses the runtime as its interpreter and runs `code`."""
    text = PYSCRIPT.format(pyscript=pyscript, plugins=PLUGINS, code=code)
    return server.file("pyscript.html", text)
