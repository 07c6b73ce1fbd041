// What the running tool may see of the page: the parts that the site's developer chose. Every function
// of the eyes that a toolkit calls runs inside its scope; without one all but the assistant is open.

import { around, textOf } from "./eyes-names.js";

const OWN = "page-hand";

/** The scope of the function that runs: `{root, include, exclude}`, selectors or "" each; null: none. */
export let limits = null;

/** The eyes, with every function bound to a scope. Selectors; an empty text for none. */
export function bind(eyes, root, include, exclude) {
  if (!root && !include && !exclude) return eyes;
  const scope = { root, include, exclude };
  const run = (work) => (...given) => {
    const outer = limits;
    limits = scope;
    try {
      return work(...given);
    } finally {
      limits = outer;
    }
  };
  const bound = Object.entries(eyes).map(([key, work]) => [key, typeof work === "function" ? run(work) : work]);
  return Object.fromEntries(bound);
}

/**
 * Whether what is inside an element may be seen: null where nothing of it may, else whether it lies
 * in one of the chosen regions. `inside` says the same of what is around it.
 */
export function enter(element, inside) {
  if (element.localName === OWN) return null;
  if (limits === null) return true;
  if (limits.exclude && element.matches(limits.exclude)) return null;
  return inside || element.matches(limits.include);
}

/** The same, found from everything around it. */
export function standing(element) {
  let inside = !limits?.include;
  for (let at = element; at; at = around(at)) {
    if (enter(at, true) === null) return null;
    inside ||= at.matches(limits.include);
  }
  return inside;
}

/** Is an element this one or inside of it, as a person sees it? */
export function within(element, outer) {
  for (let at = element; at; at = around(at)) if (at === outer) return true;
  return false;
}

/** May words of an element be told beside another one: its label, its heading, its group? */
export function told(element) {
  if (limits === null) return true;
  if (standing(element) !== true) return false;
  return !limits.root || within(element, document.querySelector(limits.root));
}

/** Holds it parts that may not be seen? */
export const holdsUntold = (element) => limits !== null && Boolean(limits.exclude) && element.querySelector(limits.exclude) !== null;

/** What is drawn of an element's text, without the parts that may not be seen. */
export const drawnText = (element) => (holdsUntold(element) ? textOf(element, Infinity) : element.innerText ?? element.textContent);

/** All its text, without the parts that may not be seen. */
export const allText = (element) => (holdsUntold(element) ? textOf(element, Infinity) : element.textContent);

/** The choices of a native list that may be seen. */
export function optionsOf(select) {
  const every = [...select.options];
  return limits === null ? every : every.filter((one) => standing(one) === true);
}

const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[[^\]"']*\]/g;
const LOOKS_AROUND = /[>+~:\\]|[^\s,]\s+[^\s,]/;

/**
 * Whether an element answers to a selector. Inside a scope nothing around it counts: a selector could
 * else be used to ask about attributes that may not be seen.
 */
export function matcher(selector) {
  if (limits === null || !LOOKS_AROUND.test(selector.replace(QUOTED, "").trim())) return (element) => element.matches(selector);
  const copies = new Map(); // outermost element of a region -> the elements of it that answer
  return (element) => {
    const top = outermost(element);
    if (!copies.has(top)) copies.set(top, answering(top, selector));
    return copies.get(top).has(element);
  };
}

/** The outermost element around it in the same tree that may be seen. */
function outermost(element) {
  let top = element;
  for (let at = element.parentElement; at && told(at); at = at.parentElement) top = at;
  return top;
}

/** What answers to a selector in a copy that holds nothing but what may be seen. */
function answering(top, selector) {
  const inert = document.implementation.createHTMLDocument("");
  const real = new Map();
  const copy = (node) => {
    const made = inert.importNode(node, false);
    if (node.nodeType === 1) {
      real.set(made, node);
      for (const kid of node.childNodes) if (kid.nodeType !== 1 || enter(kid, true) !== null) made.append(copy(kid));
      if (node.localName === "input") made.checked = node.checked;
      if (node.localName === "option") made.selected = node.selected;
    }
    return made;
  };
  inert.body.replaceWith(copy(top));
  return new Set([...inert.querySelectorAll(selector)].map((one) => real.get(one)).filter(Boolean));
}

/** What of a selection may be seen, and the element it begins in: `[text, element | null]`. */
export function selected(selection) {
  const anchor = selection.anchorNode;
  if (limits === null) return [selection.toString(), anchor?.nodeType === 1 ? anchor : anchor?.parentElement ?? null];
  const parts = [];
  let owner = null;
  for (let index = 0; index < selection.rangeCount; index += 1) {
    const range = selection.getRangeAt(index);
    for (const node of textsIn(range)) {
      const parent = node.parentElement;
      if (!parent || !told(parent) || !parent.checkVisibility({ visibilityProperty: true })) continue;
      const to = node === range.endContainer ? range.endOffset : node.length;
      parts.push(node.data.slice(node === range.startContainer ? range.startOffset : 0, to));
      owner ??= parent;
    }
  }
  return [parts.join(""), owner];
}

function textsIn(range) {
  const common = range.commonAncestorContainer;
  if (common.nodeType === 3) return [common];
  const found = [];
  const texts = common.ownerDocument.createTreeWalker(common, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (range.intersectsNode(texts.currentNode)) found.push(texts.currentNode);
  return found;
}
