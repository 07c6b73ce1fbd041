/**
 * `<page-hand>`: an assistant with hands in this page, its tools written in Python.
 *
 *     <script type="module" src="https://host/static/pagehand.js"></script>
 *     <page-hand endpoint="/chat" toolkit="./my_tools.py"></page-hand>
 *
 * Attributes, properties, methods and events are described in docs/embedding.md.
 */

// No imports up here: this file alone puts a field to type into before the browser's first paint.
// The parts come after it, and what Python's start asks for first: all at once, not level by level.
const PARTS = ["shell", "boot", "clicks", "composer", "elements", "panel", "words"];
let parts = null;
const painted = new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, 100); // a hidden tab paints nothing
});
painted.then(() => import("./vendor/manifest.js")).catch(() => {});
const loading = painted.then(() => Promise.all(PARTS.map((name) => import(`./${name}.js`))))
  .then(([shell, boot]) => (parts = { ...shell, ...boot }));

const shells = new WeakMap();
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/** How the first field looks until the sheets of the shell are there; static/css/ has the rest. */
const FIRST_SHEET = `
:host { display: block; height: var(--pagehand-height, 640px); color-scheme: light dark }
:host([theme="light"]) { color-scheme: light }
:host([theme="dark"]) { color-scheme: dark }
.ph-root { all: initial; color-scheme: inherit; display: block; height: 100% }
.ph-root:not([data-mode="inline"], [data-early]) { visibility: hidden }
.ph-root[data-early] [data-part="panel"] { position: fixed; inset: 0 0 0 auto; z-index: 2147483646; margin: 0;
  padding: 10px; border-width: 0 0 0 1px; border-radius: 0; width: var(--pagehand-side-width, 420px) }
[data-part="panel"] { box-sizing: border-box; height: 100%; display: flex; flex-direction: column;
  justify-content: flex-end; padding: 16px; border: 1px solid light-dark(#e7e4df, #333331);
  border-radius: 14px; background: light-dark(#ffffff, #191918) }
[data-part="panel"] > :not([data-part="footer"]), [data-part="footer"] > :not([data-part="composer"]),
[data-part="composer"] > :not(textarea) { display: none }
textarea { box-sizing: border-box; display: block; width: 100%; height: 86px; padding: 12px 14px;
  border: 1px solid light-dark(#cfcbc4, #4a4a47); border-radius: 14px; resize: none; outline-width: 1px;
  font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1f1e1c, #ecebe8); background: light-dark(#ffffff, #262625) }
`;

/** Whether it stands open at the window's edge from the start; panel.js knows more. */
function isDocked(element) {
  if (element.getAttribute("mode") !== "side" || innerWidth < 900) return false;
  try {
    return sessionStorage.getItem(`pagehand:panel:${element.getAttribute("thread") ?? "default"}`) !== "closed";
  } catch {
    return true; // storage may be denied
  }
}

/**
 * The field and the boxes around it, in the element's new shadow root. The shell is built around
 * them and moves none: what was typed, the focus and an open input method stay.
 */
function firstComposer(element) {
  const box = (tag, part, ...children) => {
    const made = document.createElement(tag);
    made.setAttribute("data-part", part);
    made.append(...children);
    return made;
  };
  const shadow = element.attachShadow({ mode: "open" });
  const textarea = box("textarea", "textarea");
  textarea.rows = 1;
  const composer = box("form", "composer", textarea);
  const footer = box("div", "footer", composer);
  const panel = box("section", "panel", footer);
  const root = box("div", "root", panel);
  root.className = "ph-root";
  root.dataset.mode = element.getAttribute("mode") || "inline";
  root.toggleAttribute("data-early", isDocked(element));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(FIRST_SHEET);
  shadow.adoptedStyleSheets = [sheet];
  shadow.append(root);
  return { shadow, root, panel, footer, composer, textarea };
}

/** The page makes room at once, not when the shell comes, which does so from then on: nothing jumps. */
function makeRoom({ root, panel }, stands) {
  if (!root.hasAttribute("data-early")) return;
  document.documentElement.style.setProperty("--pagehand-side-space", stands ? `${panel.offsetWidth}px` : "0px");
}

/** What the connected Python answers to; one function, so that one proxy is all there is. */
class Link {
  call = null;

  /** Asks Python; its answer is JSON text, an error is thrown as a plain `Error`. */
  ask(verb, ...values) {
    if (!this.call) return null;
    const answer = this.call(verb, ...values);
    if (answer === undefined || answer === null) return null;
    const { value, error } = JSON.parse(answer);
    if (error !== undefined) throw new Error(error);
    return value;
  }
}

export class PageHand extends HTMLElement {
  static observedAttributes = [
    "endpoint", "protocol", "tools-field", "toolkit", "fallback", "lang", "theme", "mode",
    "runtime", "thread", "suggestions",
  ];

  #first = null;
  #early = []; // said before there is a shell to show it
  #failure = null;
  #shell = null;
  #link = new Link();
  #started = false;
  #starting = false;
  #ready = Promise.withResolvers();
  #isReady = false;
  #ending = null;
  #hostTools = new Set();
  #kept;

  // --- life ------------------------------------------------------------------------------

  connectedCallback() {
    // Properties set before the class was known would hide the accessors.
    for (const name of ["status", "messages", "error", "tools", "log"]) delete this[name];
    if (Object.hasOwn(this, "suggestions")) {
      const { suggestions } = this;
      delete this.suggestions;
      this.suggestions = suggestions;
    }
    if (!this.#first) this.#showFirst();
    if (!this.#shell) makeRoom(this.#first, true);
    if (parts) this.#begin();
    else loading.then(() => this.isConnected && this.#begin(), (error) => this.#failEarly(error));
  }

  #showFirst() {
    this.#first = firstComposer(this);
    const { textarea, composer } = this.#first;
    const stop = new AbortController();
    this.#first.handOver = () => stop.abort();
    composer.addEventListener("submit", (event) => event.preventDefault(), { signal: stop.signal });
    textarea.addEventListener("keydown", (event) => {
      const composing = event.isComposing || event.keyCode === 229;
      if (event.key !== "Enter" || event.shiftKey || event.altKey || composing) return;
      event.preventDefault();
      if (this.#failure || !textarea.value.trim()) return;
      this.#early.push(textarea.value);
      textarea.value = "";
    }, { signal: stop.signal });
  }

  #begin() {
    if (!this.#shell) this.#makeShell();
    this.#shell.wanted = true;
    this.#shell.panelControl.apply();
    this.#watch();
    for (const text of this.#early.splice(0)) this.#submit(text);
    if (this.#started) return;
    this.#started = true;
    const { mode, open } = this.#shell.panelControl;
    if (mode === "modal" && !open) parts.whenIdle(() => this.#start());
    else this.#start();
  }

  /** A file of the shell did not come: says so where one would type, and loses nothing. */
  #failEarly(error) {
    if (this.#failure) return;
    const { textarea, panel, root } = this.#first;
    textarea.addEventListener("input", () => this.#takeBack());
    this.#takeBack();
    const chinese = (this.lang || document.documentElement.lang).toLowerCase().startsWith("zh");
    const said = chinese ? "助手没能加载。请重新加载页面；你写的内容已保留。"
      : "The assistant could not be loaded. Reload the page; what you wrote is kept.";
    this.#failure = { code: "blocked", message: `${said} ${error?.message ?? error}` };
    const alert = Object.assign(document.createElement("p"), { role: "alert", textContent: this.#failure.message });
    alert.dataset.part = "boot-error";
    panel.before(alert);
    root.dataset.mode = "inline"; // wherever it belongs: it must be seen
    this.#ready.promise.catch(() => {});
    this.#ready.reject(new Error(this.#failure.message));
    for (const [type, detail] of [["status", { status: "error" }], ["error", { ...this.#failure }]]) {
      this.dispatchEvent(new CustomEvent(`pagehand:${type}`, { detail, bubbles: true, composed: true }));
    }
  }

  /** What was said goes back into the field, and is kept over a reload. */
  #takeBack() {
    const { textarea } = this.#first;
    const name = this.getAttribute("thread") ?? "default";
    textarea.value = [...this.#early.splice(0), textarea.value].filter(Boolean).join("\n");
    try {
      if (name) sessionStorage.setItem(`pagehand:draft:${name}`, textarea.value);
    } catch { /* storage may be denied */ }
  }

  disconnectedCallback() {
    this.#ending?.abort();
    // A move takes an element out and puts it in again at once: only a real leave ends things.
    queueMicrotask(() => this.isConnected || this.#leave());
  }

  attributeChangedCallback(name, before, after) {
    if (!this.#shell || before === after) return;
    if (name === "lang") this.#shell.applyLanguage();
    if (name === "mode") this.#shell.panelControl.apply();
    if (name === "toolkit") this.#fetchToolkit();
    if (name === "suggestions") this.#shell.suggest();
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
    const { handOver, ...first } = this.#first;
    handOver();
    const shell = new parts.Shell(this, hooks, first);
    this.#shell = shell;
    shells.set(this, shell);
    Object.assign(shell, {
      wanted: false,
      connected: false,
      toolkit: undefined,
      connect: (call) => Object.assign(this.#link, { call }) && (shell.connected = true),
      disconnect: () => (this.#link.call = null),
      ready: () => this.#becomeReady(),
      hostTools: () => [...this.#hostTools],
      kept: () => this.#kept && JSON.stringify(this.#kept),
      fail: (error) => this.#fail(error),
    });
  }

  #watch() {
    this.#ending?.abort();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const observer = new MutationObserver(() => {
      if (this.hasAttribute("lang")) return;
      this.#shell.applyLanguage();
      this.#link.ask("attribute", "lang");
    });
    observer.observe(document.documentElement, { attributeFilter: ["lang"] });
    signal.addEventListener("abort", () => observer.disconnect());
    addEventListener("resize", () => this.#shell.panelControl.apply(), { signal });
    if (this.getAttribute("runtime") === "page") {
      parts.awaitPage(this.#shell, signal).catch((error) => this.#fail(error));
    }
  }

  async #start() {
    if (this.#starting || this.#shell.connected || !this.isConnected) return;
    this.#shell.showBooting();
    if (this.getAttribute("runtime") === "page") return;
    this.#starting = true;
    this.#fetchToolkit();
    try {
      await parts.startOwn(this.#shell);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#starting = false;
    }
  }

  #fetchToolkit() {
    const toolkit = this.getAttribute("toolkit");
    this.#shell.toolkit = toolkit ? parts.fetchToolkit(toolkit) : undefined;
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
    this.#ready = Promise.withResolvers();
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
    if (!shell) return makeRoom(this.#first, false);
    shell.wanted = false;
    this.#kept = this.#link.ask("close") ?? this.#kept;
    this.#link.call = null;
    shell.connected = false;
    shell.panelControl.leave();
    if (this.#isReady) this.#ready = Promise.withResolvers();
    this.#started = this.#isReady = false;
    shell.showBooting();
  }

  #submit(text) {
    if (this.#isReady) this.#link.ask("send", text);
    else if (!this.#shell) {
      this.#early.push(text);
      if (this.#failure) this.#takeBack();
    } else {
      this.#shell.composerControl.hold(text);
      this.#start();
    }
  }

  // --- what a host page may read and do --------------------------------------------------

  get status() {
    return this.#shell?.status ?? (this.#failure ? "error" : "booting");
  }

  get messages() { return this.#link.ask("messages") ?? []; }

  get error() {
    return this.#link.ask("error") ?? structuredClone(this.#shell?.error ?? this.#failure);
  }

  get tools() { return this.#link.ask("tools") ?? {}; }

  get log() { return this.#link.ask("log") ?? []; }

  /** What an empty conversation offers to say: texts, or such a list for each language. */
  get suggestions() {
    try {
      return JSON.parse(this.getAttribute("suggestions") ?? "[]");
    } catch {
      return []; // suggestions.js says on the console what is wrong
    }
  }

  set suggestions(value) { this.setAttribute("suggestions", JSON.stringify(value ?? [])); }

  /** Resolves when the assistant can answer; rejects when it could not start. */
  whenReady() { return this.#ready.promise; }

  /** Says `text` in the user's name; before the start has ended it is kept and sent then. */
  send(text) {
    if (typeof text !== "string" || !text.trim()) throw new TypeError("send(text) needs a text that is not empty");
    if (!this.#first) throw new Error("put the element into the document before send(text)");
    this.#submit(text);
  }

  stop() { this.#link.ask("stop"); }

  regenerate() { this.#link.ask("regenerate"); }

  clear() { this.#link.ask("clear"); }

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
    const options = JSON.stringify(rest, (key, value) => { if (typeof value === "function") throw new TypeError(`registerTool: ${tool.name}: ${key} is a function; only execute may be one`); return value; });
    const entry = { name: tool.name, options, execute: (...given) => parts.runHostTool(execute, ...given) };
    if ([...this.#hostTools].some((other) => other.name === entry.name)) {
      throw new Error(`registerTool: ${entry.name} is registered already; call the function that removes it first`);
    }
    this.#link.ask("register", entry);
    this.#hostTools.add(entry);
    return () => {
      if (this.#hostTools.delete(entry)) this.#link.ask("unregister", entry.name);
    };
  }
}

const known = loading.then(({ registerShells }) => registerShells((element) => shells.get(element))).catch(() => {});
// Python that was quicker than the shell's files waits for them: what it mounts into must be there.
painted.then(() => import("./runtime.js")).then(({ handOutAfter }) => handOutAfter(known)).catch(() => {});
if (!customElements.get("page-hand")) customElements.define("page-hand", PageHand);
