/*
 * Streaming Markdown for a model's text.
 *
 * marked's lexer reads, we draw: each token becomes elements and text nodes of our own choice, so
 * no HTML string ever exists, there is nothing to sanitise, and a page whose policy forbids
 * innerHTML (Trusted Types) changes nothing. HTML in the text is shown as text.
 *
 * Blocks that are complete are drawn once and then left alone. Only the last, open block is read
 * again, and its elements are patched in place. An open code block is not even read again: its
 * lines are appended.
 */
import { Lexer } from "./vendor/js/marked.js";
import { EastAsianTokenizer } from "./markdown-cjk.js";
import { Drawer, loadPicture, make, morph } from "./markdown-draw.js";
import remend from "./vendor/js/remend.js";

const GROWS_AFTER_BLANK = new Set(["list", "blockquote", "html", "def"]);
const FENCE = /^( {0,3})(`{3,}|~{3,})/;
const SLOW = 4; // ms: a drawing that takes longer is done less often

/** Puts text on the clipboard, also where the clipboard API is not to be had (plain http). */
export async function copyText(text, near) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea");
    field.value = text;
    field.setAttribute("readonly", "");
    field.style.cssText = "position:fixed;opacity:0;inset:0 auto auto 0";
    (near ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** An open code block: lines are appended until the closing fence comes. */
class OpenFence {
  constructor(token, drawer) {
    const [, indent, fence] = FENCE.exec(token.raw);
    this.closing = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}[ \\t]*$`);
    this.maybeClosing = new RegExp(`^ {0,3}\\${fence[0]}*[ \\t]*$`);
    this.indent = new RegExp(`^ {0,${indent.length}}`);
    this.node = drawer.code("", token.lang);
    this.text = this.node.querySelector("code").appendChild(document.createTextNode(""));
    this.line = ""; // the current line as far as it came
    this.shown = 0; // how much of it is drawn
    this.begun = true; // whether its line break is drawn; the first line needs none
    this.feed(token.raw.slice(token.raw.indexOf("\n") + 1));
  }

  /** Takes more text; returns what follows the closing fence, or null while open. */
  feed(text) {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; at = end + 1, end = text.indexOf("\n", at)) {
      this.line += text.slice(at, end);
      if (this.closing.test(this.line)) return text.slice(end + 1);
      this.draw(true);
    }
    this.line += text.slice(at);
    if (!this.maybeClosing.test(this.line)) this.draw(false);
    return null;
  }

  /** The stream is over: a last line without a line break may be the fence. */
  end() {
    if (!this.closing.test(this.line) && this.line) this.draw(false);
  }

  draw(complete) {
    const line = this.line.replace(this.indent, "");
    this.text.appendData((this.begun ? "" : "\n") + line.slice(this.shown));
    this.begun = !complete;
    this.shown = complete ? 0 : line.length;
    if (complete) this.line = "";
  }
}

class Markdown {
  constructor(container, labels) {
    this.container = container;
    this.drawer = new Drawer(labels);
    this.links = {};
    this.source = "";
    this.reset();
    this.onClick = (event) => this.click(event);
    container.addEventListener("click", this.onClick);
  }

  reset() {
    this.tail = ""; // the text of the open block
    this.open = []; // its drawing: {token, node}
    this.fence = null;
    this.late = false; // a link was defined after text that may use it
    this.cost = 0;
    this.last = 0;
  }

  /** Adds text and draws it; `final` if no more will come. */
  append(text, final) {
    const clean = text.replace(/\r\n?/g, "\n");
    this.source += clean;
    this.tail += clean;
    if (final) return this.finish();
    const now = performance.now();
    const rest = this.cost > SLOW ? this.last + this.cost * 3 - now : 0;
    if (rest <= 0) this.draw(false);
    else this.timer ??= setTimeout(() => this.draw(false), rest);
  }

  /** The text is complete: nothing stays half open. */
  finish() {
    this.draw(true);
    if (!this.late) return;
    this.container.replaceChildren();
    this.reset();
    this.tail = this.source;
    this.draw(true);
  }

  close() {
    clearTimeout(this.timer);
    this.container.removeEventListener("click", this.onClick);
  }

  draw(final) {
    clearTimeout(this.timer);
    this.timer = undefined;
    const begin = performance.now();
    if (this.fence) this.drawFence();
    if (!this.fence) this.drawBlocks(final);
    else if (final) this.fence.end();
    this.last = performance.now();
    this.cost = this.last - begin;
  }

  drawFence() {
    const rest = this.fence.feed(this.tail);
    this.tail = rest ?? "";
    if (rest === null) return;
    this.fence = null;
    this.open = [];
  }

  drawBlocks(final) {
    const done = this.lex(this.tail);
    const keep = final ? done.length : firstOpen(done);
    const settled = done.slice(0, keep);
    if (settled.length) {
      this.define(settled);
      this.patch(settled);
      this.open = [];
      this.tail = this.tail.slice(settled.reduce((sum, token) => sum + token.raw.length, 0));
    }
    if (final) return;
    const token = done[keep];
    if (token?.type === "code" && FENCE.test(token.raw) && token.raw.includes("\n")) {
      this.fence = new OpenFence(token, this.drawer);
      this.patch([]);
      this.container.append(this.fence.node);
      this.tail = "";
    } else this.patch(this.lex(heal(this.tail)));
  }

  lex(text) {
    const lexer = new Lexer({ gfm: true, breaks: true, tokenizer: new EastAsianTokenizer() });
    Object.assign(lexer.tokens.links, this.links);
    try {
      return lexer.lex(text);
    } catch {
      // Nested deeper than the stack goes: shown as it came.
      return [{ type: "paragraph", raw: text, tokens: [{ type: "escape", text }] }];
    }
  }

  /** Remembers link definitions, once they are complete. */
  define(tokens) {
    for (const token of tokens) {
      if (token.type !== "def" || this.links[token.tag]) continue;
      this.links[token.tag] = { href: token.href, title: token.title };
      this.late ||= this.container.hasChildNodes();
    }
  }

  patch(tokens) {
    const drawn = [];
    for (const token of tokens) {
      const old = this.open[drawn.length];
      const node = old ? this.patchOne(old, token) : this.drawer.block(token);
      if (!node) continue;
      if (!old) this.container.append(node);
      drawn.push({ token, node });
    }
    for (const { node } of this.open.slice(drawn.length)) node.remove();
    this.open = drawn;
  }

  patchOne(old, token) {
    const before = old.token;
    if (before.raw === token.raw && before.type === token.type) return old.node;
    if (token.type === "list" && before.type === "list" && token.ordered === before.ordered && token.start === before.start) {
      this.drawer.items(old.node, token, before.items);
      return old.node;
    }
    if (token.type === "table" && before.type === "table" && sameHead(before, token)) {
      this.drawer.rows(old.node.querySelector("tbody"), token, before.rows);
      return old.node;
    }
    const made = this.drawer.block(token);
    return made && morph(old.node, made);
  }

  click(event) {
    const button = event.target.closest?.("button[data-action]");
    if (!button || !event.isTrusted) return;
    if (button.dataset.action === "copy-code") this.copy(button);
    if (button.dataset.action === "load-image") loadPicture(button);
  }

  async copy(button) {
    const code = button.closest(".md-code").querySelector("code").textContent;
    if (!(await copyText(code, this.container))) return;
    button.textContent = this.drawer.labels.copied;
    setTimeout(() => (button.textContent = this.drawer.labels.copy), 2000);
  }
}

function sameHead(one, other) {
  return one.header.length === other.header.length
    && one.header.every((cell, index) => cell.text === other.header[index].text)
    && String(one.align) === String(other.align);
}

/** The index of the first block that later text may still change. */
function firstOpen(tokens) {
  const last = tokens.length - 1;
  if (last < 1 || tokens[last].type !== "space") return Math.max(last, 0);
  const before = tokens[last - 1];
  const growing = GROWS_AFTER_BLANK.has(before.type) || (before.type === "code" && !FENCE.test(before.raw));
  return growing ? last - 1 : last;
}

function heal(text) {
  // A lone "-" or "=" under a line is about to be a list or a rule, not yet a heading.
  const quiet = text.replace(/\n[ \t]*(?:[-=+*]+|\d{1,3}[.)]?|#{1,6}|>|\|)[ \t]*$/, "");
  return remend(quiet, { katex: false });
}

/**
 * @param container the element that takes the blocks
 * @param copy, copied, code, image labels; `image` holds `{host}`
 * @returns an object with `append(text)`, `finish()`, `close()`
 */
export function createMarkdown(container, copy, copied, code, image) {
  return new Markdown(container, { copy, copied, code, image });
}
