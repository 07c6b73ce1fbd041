/**
 * From the shell to the running interface: starts Python (or waits for the page's own), hands it
 * the shell, and fetches the integrator's tools at the same time.
 */

/** Modules of ours that Python may ask for by name, relative to this folder. */
function load(name) {
  return import(new URL(`./${name}`, import.meta.url).href);
}

let runtimeModule = null;

/** The runtime's module: one per page, however many elements there are. */
function runtime() {
  runtimeModule ??= import("./runtime.js").catch((error) => {
    runtimeModule = null;
    throw Object.assign(new Error(String(error)), { code: "blocked", file: "runtime.js" });
  });
  return runtimeModule;
}

/** Lets Python find the shell of an element without putting it where page scripts look. */
export async function registerShells(shellOf) {
  const { registerModule } = await runtime();
  registerModule("pagehand_shell", { shellOf, load, optionalPackages, prepareFor });
  try {
    registerModule("pagehand_markdown", await load("markdown.js"));
  } catch { /* without it the views show plain text */ }
}

/** The later packages; Python asks for them once the interface stands. */
export async function optionalPackages() {
  return (await runtime()).optionalPackages();
}

/** The rest of the standard library, if a Python text imports from it. */
export async function prepareFor(source) {
  return (await runtime()).prepareFor(source);
}

/** Fetches a toolkit file; never rejects, so that nobody has to catch it early. */
export async function fetchToolkit(address) {
  const url = new URL(address, document.baseURI).href;
  try {
    const response = await fetch(url);
    if (!response.ok) return { url, error: `HTTP ${response.status}` };
    return { url, text: await response.text() };
  } catch (error) {
    return { url, error: String(error?.message ?? error) };
  }
}

/** The element starts Python itself. */
export async function startOwn(shell) {
  const { startRuntime } = await runtime();
  const pyodide = await startRuntime({ onProgress: (progress) => shell.showProgress(progress) });
  if (!shell.wanted) return;
  shell.showProgress({ stage: "interface", fraction: 1 });
  const mount = pyodide.pyimport("pagehand.ui.mount");
  const start = mount.start_element;
  try {
    start(shell);
  } finally {
    start.destroy();
    mount.destroy();
  }
}

/** The page's own PyScript mounts into the element; this only shows how far it is. */
export async function awaitPage(shell, signal) {
  const { progress } = await runtime();
  const show = (event) => shell.showProgress(event.detail);
  const failed = (event) => {
    if (!shell.connected) shell.hooks.failed(event.detail);
  };
  const ended = () => {
    // PyScript says "done" after failures too, so look whether anybody mounted.
    setTimeout(() => {
      if (!shell.connected && shell.wanted) shell.hooks.failed({ code: "not-mounted" });
    }, 500);
  };
  progress.addEventListener("progress", show, { signal });
  progress.addEventListener("failed", failed, { signal });
  addEventListener("py:done", ended, { signal });
}
