// Roles, names and states of elements, as assistive technology would tell them (a working subset of
// the HTML-AAM and accname rules), and what a person can see. Facts only: nothing here acts.

import { allText, enter, limits, standing, told } from "./eyes-scope.js";

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
};
const TAG_ROLES = {
  article: "article", aside: "complementary", button: "button", datalist: "listbox",
  dd: "definition", dialog: "dialog", dl: "list", dt: "term", fieldset: "group", figure: "figure",
  footer: "contentinfo", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading",
  h6: "heading", header: "banner", hr: "separator", iframe: "frame", img: "img", li: "listitem",
  main: "main", menu: "list", meter: "meter", nav: "navigation", ol: "list", optgroup: "group",
  option: "option", output: "status", p: "paragraph", progress: "progressbar", search: "search",
  summary: "button", table: "table", td: "cell", textarea: "textbox", tr: "row", ul: "list",
};
const NAME_FROM_CONTENT = new Set([
  "button", "link", "heading", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "checkbox", "radio", "switch", "treeitem", "cell", "gridcell", "columnheader", "rowheader",
  "tooltip", "term",
]);
export const INTERACTIVE = new Set([
  "button", "link", "textbox", "searchbox", "spinbutton", "slider", "checkbox", "radio", "switch",
  "combobox", "listbox", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio",
  "treeitem", "file", "color", "date",
]);

export function fold(text) {
  const cut = text.trim();
  return PLAIN.test(cut) ? cut : folded(cut);
}

// Most texts: nothing in them to fold.
const PLAIN = /^(?:[^\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff]+(?: (?! )[^\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff]+)*)?$/;

const folded = (text) =>
  // Zero-width, bidi and tag characters and lone surrogates could hide words from people.
  text.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .toWellFormed().replace(/\s+/g, " ").trim();

/** At most so many characters, cut between words: half a secret would no longer look like one. */
export function clip(text, most) {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const space = text[most] === " " ? most : cut.lastIndexOf(" ");
  return space > 0 ? cut.slice(0, space) : cut;
}

/** The kids a person sees: shadow content, slotted nodes, same-origin frames. */
export function kids(node) {
  if (node.shadowRoot) return node.shadowRoot.childNodes;
  if (node.localName === "slot" && node.getRootNode().host) {
    const assigned = node.assignedNodes();
    return assigned.length ? assigned : node.childNodes;
  }
  if (node.localName === "iframe" || node.localName === "frame") {
    const inner = innerDocument(node);
    return inner?.body ? [inner.body] : [];
  }
  return node.childNodes;
}

/** The element around it as a person sees it, but not out of a frame: the way a click takes. */
export const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host;

/** The same, out of frames too. */
export const around = (node) => above(node) ?? node.ownerDocument.defaultView?.frameElement;

/** A frame's document, or null when another origin (or a sandbox) keeps it shut. */
export function innerDocument(frame) {
  try {
    return frame.contentDocument;
  } catch {
    return null;
  }
}

/** Rendered and not transparent. Off-screen by scrolling counts as visible; clipped away does not. */
export function visible(element) {
  const style = element.ownerDocument.defaultView.getComputedStyle(element);
  if (style.display === "contents") {
    // Without a box of its own, as a slot: what counts is what is around it.
    const outer = element.parentElement ?? element.getRootNode().host;
    return style.visibility === "visible" && (!outer || visible(outer));
  }
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  if (!element.firstElementChild && style.fontSize === "0px" && element.textContent.trim()) return false;
  if (style.position !== "absolute") return true;
  return style.clip === "auto" && style.clipPath !== "inset(50%)" && style.clipPath !== "inset(100%)";
}

export function role(element) {
  const given = element.getAttribute("role")?.trim().split(/\s+/)[0];
  if (given && given !== "presentation" && given !== "none") return given;
  if (given && element.tabIndex < 0) return "generic";
  const tag = element.localName;
  if (tag === "input") return inputRole(element);
  if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
  if (tag === "select") return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (tag === "th") return thRole(element);
  if (tag === "svg") return element.hasAttribute("aria-label") ? "img" : "generic";
  if (tag === "section" || tag === "form") {
    const named = element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");
    return named ? (tag === "form" ? "form" : "region") : "generic";
  }
  if ((tag === "header" || tag === "footer") && element.closest("article, aside, main, nav, section")) return "generic";
  if (tag === "img" && element.getAttribute("alt") === "") return "generic";
  if (tag.includes("-") && typeof element.checked === "boolean" && !element.shadowRoot?.querySelector("input")) {
    // A box of its own making, whose role only the browser knows.
    return tag.includes("radio") ? "radio" : tag.includes("switch") ? "switch" : "checkbox";
  }
  if (!(tag in TAG_ROLES) && element.isContentEditable && !element.parentElement?.isContentEditable) return "textbox";
  return TAG_ROLES[tag] ?? "generic";
}

function inputRole(element) {
  if (element.type === "hidden") return "generic";
  if (element.type === "file" || element.type === "color") return element.type;
  return INPUT_ROLES[element.type] ?? (element.list ? "combobox" : "textbox");
}

function thRole(element) {
  const scope = element.getAttribute("scope") ?? "";
  if (scope.startsWith("row")) return "rowheader";
  if (scope.startsWith("col") || element.closest("thead")) return "columnheader";
  return element.cellIndex === 0 && element.parentElement.cells.length > 1 &&
    element.parentElement.querySelector("td") ? "rowheader" : "columnheader";
}

/** Text a person can read inside an element: hidden parts left out, images by their alt. */
export function textOf(element, limit = 2000, without = "") {
  const parts = [];
  let size = 0;
  const visit = (node, inside) => {
    if (size > limit) return;
    if (node.nodeType === 3) {
      if (!inside) return;
      parts.push(node.data);
      size += node.data.length;
    } else if (node.nodeType === 1) visitElement(node, limits === null || enter(node, inside));
  };
  const visitElement = (node, inside) => {
    const tag = node.localName;
    if (inside === null || tag === "page-hand" || tag === "script" || tag === "style" || tag === "template" || tag === "noscript") return;
    if (tag === "br") parts.push(" ");
    else if (tag === "img") parts.push(inside ? ` ${node.alt} ` : " ");
    else if (node.getAttribute("aria-hidden") === "true" || !visible(node) || (without && node.matches(without))) return;
    else {
      const inline = /^inline/.test(node.ownerDocument.defaultView.getComputedStyle(node).display);
      if (!inline) parts.push(" ");
      for (const kid of kids(node)) visit(kid, inside);
      if (!inline) parts.push(" ");
    }
  };
  const inside = limits === null || standing(element);
  if (inside !== null) for (const kid of kids(element)) visit(kid, inside);
  return clip(fold(parts.join("")), limit);
}

const referenced = (element, attribute) =>
  (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean)
    .map((id) => element.getRootNode().getElementById?.(id)).filter((other) => other && told(other))
    .map((other) => fold(other.getAttribute("aria-label") ?? allText(other))).join(" ").trim();

/** The labels of a control; of one inside a custom element, else those of that element. */
export function labelsOf(element) {
  const own = [...(element.labels ?? [])];
  if (own.length) return own;
  const host = element.localName.includes("-") ? element : element.getRootNode().host;
  if (!host || !/^(input|textarea|select|button)$|-/.test(element.localName)) return own;
  const tied = host.id ? [...host.getRootNode().querySelectorAll("label[for]")].filter((one) => one.htmlFor === host.id) : [];
  const outer = host.closest("label");
  return tied.length || !outer ? tied : [outer];
}

/** What the labels of a control say, without the text of the control itself; `every`: also what may not be seen. */
function labelText(element, every = false) {
  const host = element.getRootNode().host;
  return labelsOf(element).filter((label) => every || told(label)).map((label) => {
    const copy = [];
    const visit = (node) => {
      if (node === element || node === host) return;
      if (node.nodeType === 3) copy.push(node.data);
      else if (node.nodeType !== 1 || /^(select|textarea|script|style)$/.test(node.localName)) return;
      else if (every || enter(node, true) !== null) kids(node).forEach(visit);
    };
    visit(label);
    return fold(copy.join(" "));
  }).join(" ").trim();
}

function nativeName(element, kind) {
  const tag = element.localName;
  if (tag === "fieldset") return textIn(element, ":scope > legend");
  if (tag === "table") return textIn(element, ":scope > caption");
  if (tag === "figure") return textIn(element, ":scope > figcaption");
  if (tag === "details") return textIn(element, ":scope > summary");
  if (tag === "optgroup" || (tag === "option" && element.label)) return fold(element.label);
  if (tag === "img" || tag === "area" || element.type === "image") return fold(element.alt ?? "");
  if (tag === "iframe") return fold(element.title ?? "");
  if (tag === "input" && kind === "button") return fold(element.value || element.type);
  return "";
}

const textIn = (element, selector) => {
  const inner = element.querySelector(selector);
  return inner ? textOf(inner, 200) : "";
};

/** The accessible name, at most 200 characters. */
export function name(element, kind = role(element)) {
  const found = referenced(element, "aria-labelledby") || fold(element.getAttribute("aria-label") ?? "") ||
    labelText(element) || nativeName(element, kind) ||
    (NAME_FROM_CONTENT.has(kind) ? textOf(element, 200) : "") ||
    fold(element.getAttribute("title") ?? "") || fold(element.getAttribute("placeholder") ?? "") ||
    fold(element.getAttribute("aria-placeholder") ?? "");
  return clip(found, 200);
}

/** Does its value belong to the person alone? Then no tool reads or writes it. */
export function secret(element) {
  if (element.type === "password") return true;
  // Some libraries keep browsers from suggesting by calling the field of a list a new password.
  const complete = element.getAttribute?.("role") === "combobox" ? "" : element.getAttribute?.("autocomplete") ?? "";
  if (/(current-password|new-password|one-time-code|\bcc-)/.test(complete)) return true;
  const words = [element.name, element.id, element.getAttribute?.("aria-label"), labelText(element, true)].join(" ");
  return SECRET_WORDS.test(words.replace(/([a-z])([A-Z])/g, "$1 $2"));
}
const SECRET_WORDS = /\b(pass(word|wd|code|phrase)|secret|cvv|cvc|iban|ssn|otp|pin code|social security|card[ _-]?(number|no)|credit card|security code)\b|密码|口令|验证码|卡号|安全码|身份证|社保号/i;

/** A link's address as the page has it; one that begins with a long mix as "./…", or it would pass for a key. */
export function addressOf(link) {
  const href = link.getAttribute("href") ?? "";
  return /^[^./?#:][^:]*$/.test(href) && /[\w-]{24}/.test(href) ? `./${href}` : href;
}

/** States worth a word, as `checked`, `expanded=false`. */
export function states(element, kind) {
  const out = [];
  const aria = (key) => element.getAttribute(`aria-${key}`);
  if (element.matches(":disabled") || aria("disabled") === "true") out.push("disabled");
  if (element.readOnly || aria("readonly") === "true") out.push("readonly");
  if (element.required || aria("required") === "true") out.push("required");
  const ticked = kind === "checkbox" || kind === "radio" || kind === "switch" ? element.checked ?? aria("checked") === "true" : aria("checked") === "true";
  if (element.indeterminate || aria("checked") === "mixed") out.push("mixed");
  else if (ticked) out.push("checked");
  if (kind === "option" ? element.selected || aria("selected") === "true" : aria("selected") === "true") out.push("selected");
  if (aria("pressed") === "true") out.push("pressed");
  const open = element.localName === "summary" ? String(element.parentElement.open) : aria("expanded");
  if (open === "true" || open === "false") out.push(open === "true" ? "expanded" : "collapsed");
  if (aria("current") && aria("current") !== "false") out.push("current");
  if (aria("invalid") === "true" || (element.willValidate && element.matches(":user-invalid"))) out.push("invalid");
  if (element === element.getRootNode().activeElement) out.push("active");
  return out;
}

/** The value to show: masked when secret, the chosen labels of a select. */
export function valueOf(element, kind) {
  const tag = element.localName;
  const own = tag === "input" || tag === "textarea" || tag === "select" || element.isContentEditable;
  if (!own && !element.hasAttribute("aria-valuenow") && !element.hasAttribute("aria-valuetext")) return "";
  if (secret(element)) return element.value ? "•••" : "";
  if (tag === "select") return [...element.selectedOptions].filter((option) => told(option)).map((option) => fold(option.label)).join(", ");
  if (tag === "input") {
    if (["checkbox", "radio", "button", "submit", "reset", "image"].includes(element.type)) return "";
    if (element.type === "file") return [...element.files].map((file) => file.name).join(", ");
    return element.value.toWellFormed();
  }
  if (tag === "textarea") return element.value.toWellFormed();
  if (element.isContentEditable && kind === "textbox") return textOf(element);
  return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? "";
}
