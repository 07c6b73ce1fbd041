/**
 * `<page-hand>`: an assistant with hands in this page, its tools written in Python.
 *
 *     <script type="module" src="https://host/static/pagehand.js"></script>
 *     <page-hand endpoint="/chat" toolkit="./my_tools.py"></page-hand>
 *
 * Attributes, properties, methods and events are described in docs/embedding.md.
 */

// Parts of the shell, named here too: so the browser asks for all at once, not level by level.
import "./clicks.js";
import "./composer.js";
import "./elements.js";
import "./panel.js";
import "./words.js";
import { awaitPage, fetchToolkit, registerShells, startOwn } from "./boot.js";
import { Shell } from "./shell.js";

const shells = new WeakMap();
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** What the connected Python answers to; one function, so that one proxy is all there is. */
class Link {
  #call = null;

  attach(call) {
    this.#call = call;
  }

  detach() {
    this.#call = null;
  }

  /** Asks Python; its answer is JSON text, an error is thrown as a plain `Error`. */
  ask(verb, ...values) {
    if (!this.#call) return null;
    const answer = this.#call(verb, ...values);
    if (answer === undefined || answer === null) return null;
    const { value, error } = JSON.parse(answer);
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

export class PageHand extends HTMLElement {
  static observedAttributes = [
    "endpoint", "protocol", "tools-field", "toolkit", "fallback", "lang", "theme", "mode",
    "runtime", "thread",
  ];

  #shell = null;
  #link = null;
  #started = false;
  #ready = Promise.withResolvers?.() ?? resolvers();
  #isReady = false;
  #ending = null;
  #hostTools = new Set();
  #kept;

  // --- life ------------------------------------------------------------------------------

  connectedCallback() {
    if (!this.#shell) this.#makeShell();
    this.#upgrade();
    this.#shell.wanted = true;
    this.#shell.panelControl.apply();
    this.#watch();
    if (this.#started) return;
    this.#started = true;
    const later = this.#shell.panelControl.mode === "modal" && !this.#shell.panelControl.open;
    if (later) this.#whenIdle(() => this.#start());
    else if (this.getAttribute("runtime") === "page") this.#start();
    else this.#afterPaint(() => this.#start());
  }

  disconnectedCallback() {
    this.#ending?.abort();
    // A move takes an element out and puts it in again at once: only a real leave ends things.
    queueMicrotask(() => {
      if (!this.isConnected) this.#leave();
    });
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#shell || before === after) return;
    if (name === "lang") this.#shell.applyLanguage();
    if (name === "mode") this.#shell.panelControl.apply();
    if (name === "toolkit") this.#fetchToolkit();
    this.#link.ask("attribute", name, after ?? undefined);
  }

  #makeShell() {
    const hooks = {
      submit: (text) => this.#submit(text),
      stop: () => this.#link.ask("stop"),
      retry: () => this.#retry(),
      opened: () => this.#start(),
      failed: (error) => this.#fail(error),
    };
    const shell = new Shell(this, hooks);
    this.#shell = shell;
    this.#link = new Link();
    shells.set(this, shell);
    Object.assign(shell, {
      wanted: false,
      connected: false,
      toolkit: undefined,
      connect: (call) => this.#connect(call),
      disconnect: () => this.#link.detach(),
      ready: () => this.#becomeReady(),
      hostTools: () => [...this.#hostTools],
      kept: () => this.#kept && JSON.stringify(this.#kept),
      fail: (error) => this.#fail(error),
    });
  }

  /** Properties set before the class was known would hide the accessors. */
  #upgrade() {
    for (const name of ["status", "messages", "error", "tools", "log"]) {
      if (Object.hasOwn(this, name)) delete this[name];
    }
  }

  #watch() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const observer = new MutationObserver(() => this.#languageMayHaveChanged());
    observer.observe(document.documentElement, { attributeFilter: ["lang"] });
    signal.addEventListener("abort", () => observer.disconnect());
    addEventListener("resize", () => this.#shell.panelControl.apply(), { signal });
    if (this.getAttribute("runtime") === "page") {
      awaitPage(this.#shell, signal).catch((error) => this.#fail(error));
    }
  }

  #languageMayHaveChanged() {
    if (this.hasAttribute("lang")) return;
    this.#shell.applyLanguage();
    this.#link.ask("attribute", "lang");
  }

  /** Parsing the runtime would hold up the first paint, and with it the composer. */
  #afterPaint(start) {
    let begun = false;
    const begin = () => {
      if (!begun) start();
      begun = true;
    };
    requestAnimationFrame(() => setTimeout(begin));
    setTimeout(begin, 250); // a hidden tab paints nothing
  }

  #whenIdle(start) {
    if (window.requestIdleCallback) requestIdleCallback(start, { timeout: 3000 });
    else setTimeout(start, 200);
  }

  #starting = false;

  async #start() {
    if (this.#starting || this.#shell.connected || !this.isConnected) return;
    this.#shell.showBooting();
    if (this.getAttribute("runtime") === "page") return;
    this.#starting = true;
    this.#fetchToolkit();
    try {
      await startOwn(this.#shell);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#starting = false;
    }
  }

  #fetchToolkit() {
    const toolkit = this.getAttribute("toolkit");
    this.#shell.toolkit = toolkit ? fetchToolkit(toolkit) : undefined;
  }

  /** After a failed start: again from where it failed. */
  #retry() {
    const shell = this.#shell;
    if (shell.connected) {
      shell.showBooting();
      this.#link.ask("restart");
    } else if (this.getAttribute("runtime") === "page") {
      // The page's own PyScript starts once per page load.
      shell.composerControl.keepDraft();
      location.reload();
    } else this.#start();
  }

  #fail(error) {
    if (!this.#shell.wanted || this.#isReady) return;
    this.#shell.showBootError(error);
    this.#ready.promise.catch(() => {});
    this.#ready.reject(new Error(this.#shell.error.message));
    this.#ready = resolvers();
  }

  #connect(call) {
    this.#link.attach(call);
    this.#shell.connected = true;
  }

  #becomeReady() {
    this.#isReady = true;
    this.#shell.showReady();
    if (this.#shell.status === "booting") this.#shell.setStatus("ready");
    this.#ready.resolve();
    this.#shell.emit("pagehand:ready");
    for (const text of this.#shell.composerControl.takePending()) this.#link.ask("send", text);
  }

  /** Ends everything that belongs to this element; coming back starts it anew. */
  #leave() {
    const shell = this.#shell;
    shell.wanted = false;
    this.#kept = this.#link.ask("close") ?? this.#kept;
    this.#link.detach();
    shell.connected = false;
    shell.panelControl.leave();
    if (this.#isReady) this.#ready = resolvers();
    this.#started = this.#isReady = false;
    shell.showBooting();
  }

  #submit(text) {
    if (this.#isReady) this.#link.ask("send", text);
    else {
      this.#shell.composerControl.hold(text);
      this.#start();
    }
  }

  // --- what a host page may read and do --------------------------------------------------

  get status() {
    return this.#shell?.status ?? "booting";
  }

  get messages() {
    return this.#link?.ask("messages") ?? [];
  }

  get error() {
    return this.#link?.ask("error") ?? structuredClone(this.#shell?.error ?? null);
  }

  get tools() {
    return this.#link?.ask("tools") ?? {};
  }

  get log() {
    return this.#link?.ask("log") ?? [];
  }

  /** Resolves when the assistant can answer; rejects when it could not start. */
  whenReady() {
    return this.#ready.promise;
  }

  /** Says `text` in the user's name; before the start has ended it is kept and sent then. */
  send(text) {
    if (typeof text !== "string" || !text.trim()) throw new TypeError("send(text) needs a text that is not empty");
    if (!this.#shell) throw new Error("put the element into the document before send(text)");
    this.#submit(text);
  }

  stop() {
    this.#link?.ask("stop");
  }

  regenerate() {
    this.#link?.ask("regenerate");
  }

  clear() {
    this.#link?.ask("clear");
  }

  /**
   * Adds a tool written in JavaScript: `{name, description, parameters, execute, ...options}`,
   * `parameters` a JSON Schema of an object. Returns a function that takes it away again.
   */
  registerTool(tool) {
    if (typeof tool?.name !== "string" || !TOOL_NAME.test(tool.name)) {
      throw new TypeError(`registerTool: the name ${JSON.stringify(tool?.name)} must start with a letter or _, and hold only letters, digits, _ and - (63 at most)`);
    }
    if (typeof tool.execute !== "function") throw new TypeError(`registerTool: ${tool.name} needs execute, a function`);
    const { execute, ...rest } = tool;
    const options = JSON.stringify(rest);
    const entry = { name: tool.name, options, execute: (json, toolCallId) => run(execute, json, toolCallId) };
    if ([...this.#hostTools].some((other) => other.name === entry.name)) {
      throw new Error(`registerTool: ${entry.name} is registered already; call the function that removes it first`);
    }
    this.#link?.ask("register", entry);
    this.#hostTools.add(entry);
    return () => {
      if (this.#hostTools.delete(entry)) this.#link?.ask("unregister", entry.name);
    };
  }
}

/** Runs a host's function on plain data and gives plain data back, as text. */
async function run(execute, json, toolCallId) {
  try {
    return JSON.stringify((await execute(JSON.parse(json), { toolCallId })) ?? null);
  } catch (error) {
    // Python waits for ever for a promise that is rejected with anything but an Error.
    throw error instanceof Error ? error : new Error(String(error?.message ?? error));
  }
}

function resolvers() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

registerShells((element) => shells.get(element)).catch(() => {});
if (!customElements.get("page-hand")) customElements.define("page-hand", PageHand);
