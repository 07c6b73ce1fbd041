/**
 * From the shell to the running interface: starts Python (or waits for the page's own), hands it
 * the shell, and fetches the integrator's tools at the same time.
 */

import { isRealClick, lastTyped } from "./clicks.js";
import { seal } from "./seal.js";

const failures = new Map(); // how often a module of ours failed, by name
let runtimeModule = null;
let findShell = null;

/**
 * Modules of ours that Python may ask for by name, relative to this folder. A browser remembers a
 * module that failed: another try needs another address.
 */
async function load(name) {
  const url = new URL(`./${name}`, import.meta.url);
  if (failures.has(name)) url.searchParams.set("retry", failures.get(name));
  try {
    return await import(url.href);
  } catch (error) {
    failures.set(name, (failures.get(name) ?? 0) + 1);
    throw error;
  }
}

/** The runtime's module: one per page, however many elements there are. */
function runtime() {
  runtimeModule ??= loadRuntime().catch((error) => {
    runtimeModule = null;
    throw Object.assign(new Error(String(error)), { code: "blocked", file: "runtime.js" });
  });
  return runtimeModule;
}

async function loadRuntime() {
  const module = await load("runtime.js");
  const own = { shellOf: (element) => findShell?.(element), load, optionalPackages, prepareFor, isRealClick, lastTyped, seal };
  module.registerModule("pagehand_shell", own);
  // Without it the views show plain text.
  load("markdown.js").then((markdown) => module.registerModule("pagehand_markdown", markdown), () => {});
  return module;
}

/**
 * Lets Python find the shell of an element without putting it where page scripts look. Each load
 * of the runtime registers it, so one that failed is made good by the next start.
 */
export async function registerShells(shellOf) {
  findShell ??= shellOf;
  await runtime();
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

/** Runs a host's function on plain data and gives plain data back, as text. */
export async function runHostTool(execute, json, toolCallId) {
  try {
    return JSON.stringify((await execute(JSON.parse(json), { toolCallId })) ?? null);
  } catch (error) {
    // Python waits for ever for a promise that is rejected with anything but an Error.
    throw error instanceof Error ? error : new Error(String(error?.message ?? error ?? ""));
  }
}

/** For an assistant that nobody has opened yet. */
export function whenIdle(start) {
  if (window.requestIdleCallback) requestIdleCallback(start, { timeout: 3000 });
  else setTimeout(start, 200);
}
