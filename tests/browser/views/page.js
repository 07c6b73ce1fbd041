/* The real shell and the real runtime; the conversation is a fake that stage.py plays. */
import { isRealClick, lastTyped } from "../../../static/clicks.js";
import * as markdown from "../../../static/markdown.js";
import { optionalPackages, registerModule, startRuntime } from "../../../static/runtime.js";
import { seal } from "../../../static/seal.js";
import { Shell } from "../../../static/shell.js";

/* The boxes that pagehand.js makes before it has the shell. */
function firstParts(element) {
  const [root, panel, footer, composer, textarea] = ["div", "section", "div", "form", "textarea"]
    .map((tag) => document.createElement(tag));
  const names = { root, panel, footer, composer, textarea };
  for (const [name, box] of Object.entries(names)) box.dataset.part = name;
  const shadow = element.attachShadow({ mode: "open" });
  shadow.append(root);
  root.className = "ph-root";
  root.append(panel);
  panel.append(footer);
  footer.append(composer);
  composer.append(textarea);
  return { shadow, ...names };
}

class StageHost extends HTMLElement {
  connectedCallback() {
    const hooks = { submit() {}, stop() {}, retry() {}, opened() {}, failed() {} };
    this.shell = new Shell(this, hooks, firstParts(this));
    this.shell.wanted = true;
    this.shell.connect = () => (this.shell.connected = true);
    this.shell.disconnect = () => (this.shell.connected = false);
    this.shell.showReady();
  }
}

customElements.define("stage-host", StageHost);
registerModule("pagehand_shell", { shellOf: (element) => element.shell, optionalPackages, isRealClick, lastTyped, seal });
registerModule("pagehand_markdown", markdown);

const pyodide = await startRuntime();
await optionalPackages();
const source = await (await fetch(new URL("stage.py", import.meta.url))).text();
const names = pyodide.globals.get("dict")();
names.set("__name__", "stage");
pyodide.runPython(source, { globals: names, filename: "stage.py" });

/* Runs Python on the stage: `run` for statements, `ask` for an expression that gives JSON text;
   `rest` ends when the tasks that Python had waiting have run. */
window.stage = {
  pyodide,
  run: (code) => void pyodide.runPython(code, { globals: names, filename: "test" }),
  rest: () => pyodide.runPythonAsync("import asyncio\nfor _ in range(3): await asyncio.sleep(0)"),
  ask: (code) => JSON.parse(pyodide.runPython(`import json\njson.dumps(${code})`, { globals: names })),
};
document.documentElement.dataset.staged = "";
