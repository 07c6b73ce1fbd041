/**
 * The shell: everything a person sees before Python is there, and the frame Python draws in.
 *
 * Plain DOM calls only (no markup from strings), so that pages with Trusted Types or a strict
 * style policy can hold it. All addresses come from `import.meta.url`: any origin will do.
 */

import { Composer } from "./composer.js";
import { icon, make } from "./elements.js";
import { Panel } from "./panel.js";
import { languageOf, word } from "./words.js";

const SHELL_STYLES = ["tokens", "base", "shell", "composer", "boot"];
/** One per view, beside those of the shell. */
const VIEW_STYLES = ["thread", "message", "markdown", "tool", "asking", "notice"];

export class Shell {
  /**
   * @param {HTMLElement} element the `<page-hand>` this shell lives in
   * @param {object} first what stands already: `{shadow, root, panel, footer, composer, textarea}`
   */
  constructor(element, hooks, first) {
    this.element = element;
    this.hooks = hooks;
    Object.assign(this, first);
    this.status = "booting";
    this.error = null;
    this.#labels = [];
    this.#build();
    this.panelControl = new Panel(this);
    this.composerControl = new Composer(this);
    this.#loadStyles();
    this.applyLanguage();
    this.setTalking(this.#mayBeKept());
  }

  #labels;

  /** Whether Python will bring a conversation back: then the welcome would only flash. */
  #mayBeKept() {
    try {
      return localStorage.getItem(`pagehand:kept:${this.attribute("thread") ?? "default"}`) !== null;
    } catch {
      return false;
    }
  }

  #build() {
    const part = (name, tag = "div", more = {}, ...children) =>
      (this[name] = make(tag, { "data-part": name, ...more }, ...children));
    part("mark", "span", { class: "ph-mark", "aria-hidden": "true" }, icon("mark"));
    part("title", "h2", { class: "ph-title" });
    this.pause = this.#button("pause", "pause",
      { role: "switch", "aria-checked": "false", disabled: "" });
    this.newChat = this.#button("new-chat", "compose", { disabled: "" });
    this.collapse = this.#button("collapse", "collapse");
    part("header", "header", {}, this.mark, this.title, this.pause, this.newChat, this.collapse);

    this.welcomeTitle = make("p", { class: "ph-welcome-title" });
    this.welcomeMore = make("p", { class: "ph-welcome-more" });
    part("suggestions");
    part("welcome", "div", {}, this.welcomeTitle, this.welcomeMore, this.suggestions);
    part("messages");
    part("pending");
    part("thread", "div", { role: "log", tabindex: "0" }, this.welcome, this.messages, this.pending);
    part("body", "div", {}, this.thread);
    part("notices");

    this.bootText = make("span", { class: "ph-boot-text" });
    this.bootBar = make("span", { class: "ph-boot-bar" });
    part("boot", "div", { role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100" },
      this.bootText, make("span", { class: "ph-boot-track" }, this.bootBar));
    part("bootError", "div", { "data-part": "boot-error", role: "alert", hidden: "" });

    this.textarea.enterKeyHint = "send";
    this.textarea.autocomplete = "off";
    this.stop = this.#button("stop", "stop", { type: "button", hidden: "" });
    this.send = this.#button("send", "send", { type: "submit", disabled: "" });
    part("hint", "span", { class: "ph-composer-hint" });
    part("overlay");
    this.launcher = make("button", { "data-part": "launcher", type: "button" }, icon("mark"));
    this.#labels.push([this.launcher, "open"]);

    this.composer.append(make("div", { class: "ph-composer-row" }, this.hint, this.stop, this.send));
    this.footer.prepend(this.notices, this.bootError, this.boot);
    this.panel.prepend(this.header, this.body);
    this.panel.append(this.overlay);
    this.root.prepend(this.launcher);
  }

  #button(part, name, attributes = {}) {
    const button = make("button",
      { type: "button", class: "ph-icon-button", "data-part": part, ...attributes }, icon(name));
    this.#labels.push([button, part === "new-chat" ? "newChat" : part]);
    return button;
  }

  /** Until its own sheets are there only the first field shows: no flash of bare controls. */
  #loadStyles() {
    const show = () => {
      this.shadow.adoptedStyleSheets = [];
      this.panelControl.apply(); // now that it has its width
    };
    const links = [...SHELL_STYLES, ...VIEW_STYLES].map((name) =>
      make("link", { rel: "stylesheet", href: new URL(`./css/${name}.css`, import.meta.url).href }));
    const waits = links.slice(0, SHELL_STYLES.length).map(
      (link) => new Promise((done) => (link.onload = link.onerror = done)));
    this.shadow.prepend(...links);
    Promise.all(waits).then(show);
    setTimeout(show, 1000);
  }

  get lang() {
    return languageOf(this.element);
  }

  say(key, values) {
    return word(this.lang, key, values);
  }

  /** Writes every word of the shell again; called when the language changes. */
  applyLanguage() {
    this.root.lang = this.lang;
    for (const [button, key] of this.#labels) {
      button.setAttribute("aria-label", this.say(key));
      button.title = this.say(key);
    }
    this.setPaused(this.pause.getAttribute("aria-checked") === "true");
    this.title.textContent = this.say("title");
    this.welcomeTitle.textContent = this.say("welcome");
    this.welcomeMore.textContent = this.say("welcomeMore");
    this.thread.setAttribute("aria-label", this.say("thread"));
    this.hint.textContent = this.say("composerHint");
    this.boot.setAttribute("aria-label", this.say("booting"));
    this.panel.setAttribute("aria-label", this.say("title"));
    this.composerControl.applyLanguage();
    this.panelControl.apply();
    this.showProgress(this.progress);
    this.suggest();
  }

  /** What an empty conversation offers to say; elements that offer nothing fetch nothing for it. */
  suggest() {
    if (!this.attribute("suggestions") && !this.suggestions.hasChildNodes()) return;
    import("./suggestions.js").then(({ drawSuggestions }) => drawSuggestions(this), () => {});
  }

  /** Shows how far the start is: `{stage, fraction, text}`, or nothing yet. */
  showProgress(progress) {
    this.progress = progress;
    const fraction = Math.min(Math.max(progress?.fraction ?? 0, 0), 1);
    const percent = Math.round(fraction * 100);
    const stage = progress?.stage ? `stage${progress.stage[0].toUpperCase()}${progress.stage.slice(1)}` : "booting";
    const words = this.say(stage);
    this.bootText.textContent = words === stage ? progress.text ?? this.say("booting") : words;
    this.boot.setAttribute("aria-valuenow", String(percent));
    this.boot.setAttribute("aria-valuetext", `${this.bootText.textContent} ${percent}%`);
    this.bootBar.style.transform = `scaleX(${Math.max(fraction, 0.02)})`;
  }

  /** The pause switch: its name stays, its description tells what is so now. */
  setPaused(paused) {
    this.pause.setAttribute("aria-checked", String(paused));
    this.pause.title = this.say(paused ? "paused" : "pause");
  }

  /** The start failed: says why, keeps what was typed, offers another try. */
  showBootError(error) {
    const code = error?.code ?? "python";
    const key = `failed-${code}`;
    const file = String(error?.file ?? "").split("/").pop();
    const told = this.say(key, { file });
    const text = told === key ? String(error?.message ?? error) : told;
    this.error = { code, message: `${this.say("failed")} ${text}` };
    const retry = make("button",
      { type: "button", class: "ph-button", "data-action": "retry" }, this.say("retry"));
    retry.addEventListener("click", () => this.hooks.retry(), { once: true });
    const body = make("div", { class: "ph-boot-error-text" },
      make("strong", {}, this.say("failed")), ` ${text}`);
    if (this.textarea.value || this.pending.childElementCount) body.append(` ${this.say("kept")}`);
    const detail = told === key ? null : error?.message;
    if (detail) {
      body.append(make("details", {}, make("summary", {}, this.say("details")),
        make("pre", {}, String(detail))));
    }
    this.bootError.replaceChildren(body, retry);
    this.bootError.hidden = false;
    this.boot.hidden = true;
    this.setStatus("error");
    this.emit("pagehand:error", JSON.stringify(this.error));
  }

  /** Back to the progress bar, for the first start or another try. */
  showBooting() {
    this.error = null;
    this.bootError.hidden = true;
    this.bootError.replaceChildren();
    this.boot.hidden = false;
    this.showProgress(null);
    this.setStatus("booting");
  }

  /** Whether the conversation has messages; without, the welcome shows. */
  setTalking(talking) {
    this.root.toggleAttribute("data-talking", talking);
  }

  /** The interface is there: no more progress to show. */
  showReady() {
    this.boot.hidden = true;
    this.bootError.hidden = true;
    this.pause.disabled = this.newChat.disabled = false;
  }

  setStatus(status) {
    if (this.status === status && this.root.dataset.status === status) return;
    this.status = status;
    this.root.dataset.status = status;
    this.composerControl?.update();
    this.emit("pagehand:status", JSON.stringify({ status }));
  }

  /** The attribute's text; undefined (Python's None) without it. */
  attribute(name) {
    return this.element.getAttribute(name) ?? undefined;
  }

  /** Tells the host page; `json` is text so that nothing but plain data can leave. */
  emit(type, json) {
    const detail = json === undefined ? null : JSON.parse(json);
    this.element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
