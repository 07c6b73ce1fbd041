/**
 * The composer's keys and buttons. They work before Python is there and stay here after:
 * input methods and growing fields are too quick and too subtle to wait for another language.
 */

import { make } from "./elements.js";

const GROWS_ITSELF = CSS.supports("field-sizing", "content");
const BUSY = new Set(["submitted", "streaming"]);

export class Composer {
  /** Texts that were sent before Python could take them, oldest first. */
  #pending = [];

  constructor(shell) {
    this.shell = shell;
    const { textarea, composer, stop, send } = shell;
    textarea.addEventListener("keydown", (event) => this.#key(event));
    textarea.addEventListener("input", () => {
      this.update();
      if (shell.status === "booting") this.keepDraft();
    });
    composer.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    composer.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button, textarea")) return;
      event.preventDefault();
      textarea.focus();
    });
    stop.addEventListener("click", () => shell.hooks.stop());
    send.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  #key(event) {
    // 229: the key belongs to the input method (Safari says so only this way).
    const composing = event.isComposing || event.keyCode === 229;
    if (event.key !== "Enter" || event.shiftKey || event.altKey || composing) return;
    event.preventDefault();
    this.submit();
  }

  /** Takes what is written, if anything is, and hands it on. */
  submit() {
    const text = this.shell.textarea.value;
    if (!text.trim()) return;
    this.setText("");
    this.shell.hooks.submit(text);
  }

  setText(text) {
    this.shell.textarea.value = text;
    this.update();
  }

  /** Keeps a text until Python takes it, and shows it as already said. */
  hold(text) {
    this.#pending.push(text);
    this.shell.pending.append(make("div", { class: "ph-pending-message" }, text));
    this.shell.thread.scrollTop = this.shell.thread.scrollHeight;
    this.keepDraft();
    this.update();
  }

  /** Everything held so far, which then is the caller's. */
  takePending() {
    const texts = this.#pending;
    this.#pending = [];
    this.shell.pending.replaceChildren();
    this.update();
    return texts;
  }

  /** Keeps all that is not yet said over a reload, where Python looks for the draft. */
  keepDraft() {
    const { shell } = this;
    const name = shell.attribute("thread") ?? "default";
    const text = [...this.#pending, shell.textarea.value].filter(Boolean).join("\n");
    try {
      if (name && text) sessionStorage.setItem(`pagehand:draft:${name}`, text);
      else if (name) sessionStorage.removeItem(`pagehand:draft:${name}`);
    } catch { /* storage may be denied */ }
  }

  /** Which buttons show, and how tall the field is. */
  update() {
    const { shell } = this;
    const { textarea, send, stop } = shell;
    const empty = !textarea.value.trim();
    const busy = BUSY.has(shell.status);
    stop.hidden = !busy;
    send.hidden = busy && empty;
    send.disabled = empty;
    send.title = shell.say(busy ? "queue" : "send");
    send.setAttribute("aria-label", send.title);
    shell.root.toggleAttribute("data-pending", this.#pending.length > 0);
    if (!GROWS_ITSELF) {
      textarea.style.height = "auto";
      textarea.style.height = `${textarea.scrollHeight}px`;
    }
    const early = shell.status === "booting";
    textarea.placeholder = shell.say(early ? "placeholderBoot" : "placeholder");
  }

  applyLanguage() {
    this.shell.textarea.setAttribute("aria-label", this.shell.say("placeholder"));
    this.update();
  }
}
