// The eyes of the page tools: finds elements, gives them references that live as long as their role
// and name do, and describes them. Python (pagehand/tools) decides and acts. Nothing here writes to
// the page, and nothing here ever looks into the assistant's own element.

import { above, addressOf, around, fold, INTERACTIVE, innerDocument, kids, name, role, secret, states, textOf, valueOf, visible } from "./eyes-names.js";
import { withoutLists } from "./eyes-lists.js";
import { bind, enter, limits, matcher, optionsOf, standing, told, within as inside } from "./eyes-scope.js";
import * as eyes from "./eyes.js";

export { entries, face, fellows, marked, oneGroup, scroller, shownChoice } from "./eyes-lists.js";
export { outline } from "./eyes-outline.js";
export { optionsOf, selected } from "./eyes-scope.js";
export { readRecords, tables, tellTable } from "./eyes-tables.js";
export { fold, name, role, secret, textOf, visible };

/** These eyes for one toolkit: a root, regions and exceptions, as selectors; an empty text for none. */
export const scoped = (root, include, exclude) => bind(eyes, root, include, exclude);

const known = new WeakMap(); // element -> {ref, role, name}
const remembered = new Map(); // ref -> {place: WeakRef, role, name}
let next = 1;

/** Whether tools may touch it: inside the root and a region, not excluded, never in the assistant. */
export const reachable = (element, root) => standing(element) === true && inside(element, root);

const skip = () => {};

/**
 * Calls `visit(element)` for each element that a person could meet and tools may see; `false` skips
 * what is inside. `shun(element)` is called for what is there and may not be seen.
 */
export function walk(root, visit, shun = skip) {
  const from = limits === null || standing(root);
  if (from !== null) descend(root, from, visit, shun);
}

function descend(root, seen, visit, shun) {
  for (const node of kids(root)) {
    if (node.nodeType !== 1) continue;
    const here = enter(node, seen);
    if (here === null) shun(node);
    else if (!here || visit(node) !== false) descend(node, here, visit, shun);
  }
}

/** The element's reference: the same one while its role and name stay the same. */
export function refOf(element, kind = role(element), label = name(element, kind)) {
  const old = known.get(element);
  if (old && old.role === kind && old.name === label) return old.ref;
  const ref = `e${next++}`;
  known.set(element, { ref, role: kind, name: label });
  remembered.set(ref, { place: new WeakRef(element), role: kind, name: label });
  return ref;
}

/** The element of a reference: `[element, "ok"]`, or `[null, "unknown" | "gone" | "changed"]`. */
export function recall(ref, root) {
  const memory = remembered.get(ref);
  if (!memory) return [null, "unknown"];
  const element = memory.place.deref();
  if (element?.isConnected) {
    const same = role(element) === memory.role && name(element) === memory.name;
    return same ? [element, "ok"] : [null, "changed"];
  }
  // Drawn anew by a framework: it is the same thing if exactly one has its role and name.
  const twins = [];
  walk(root, (other) => {
    if (role(other) === memory.role && name(other) === memory.name && visible(other)) twins.push(other);
  });
  if (twins.length !== 1 || !memory.name) return [null, "gone"];
  memory.place = new WeakRef(twins[0]);
  known.set(twins[0], { ref, role: memory.role, name: memory.name });
  return [twins[0], "ok"];
}

const FILLABLE = new Set(["textbox", "searchbox", "spinbutton", "slider", "checkbox", "radio", "switch", "combobox", "listbox", "file", "color", "date"]);

function fits(element, kind, want) {
  if (want === "control") {
    const opens = kind === "button" && element.getAttribute("aria-haspopup") === "listbox";
    return (FILLABLE.has(kind) || opens) && element.localName !== "datalist";
  }
  if (want === "click") return INTERACTIVE.has(kind) || element.tabIndex >= 0 || element.localName === "label";
  return want === "any" || kind === want;
}

/** Names under which a person or a program knows an element: how close `wanted` comes to them. */
function closeness(element, kind, wanted, low) {
  const exact = [element.getAttribute("name"), element.id, element.getAttribute("data-field"), element.getAttribute("data-testid")];
  const label = name(element, kind);
  if (label === wanted) return 1;
  if (exact.includes(wanted)) return 2;
  const said = label.toLowerCase();
  if (said === low || exact.some((one) => one?.toLowerCase() === low)) return 3;
  if (groupName(element, kind).toLowerCase() === low) return 4;
  if (said.replace(/[\s*:：()（）]+$/g, "") === low) return 4;
  return low.length > 1 && said.includes(low) ? 5 : 0;
}

/** The name of the group a radio button or checkbox belongs to. */
function groupName(element, kind) {
  if (kind !== "radio" && kind !== "checkbox") return "";
  for (let at = element; at; at = around(at)) {
    if (at.matches('fieldset, [role="radiogroup"], [role="group"]')) return told(at) ? name(at) : "";
  }
  return "";
}

/** Elements that answer to `wanted` best. `want`: "control", "click", "any" or a role. */
export function lookup(root, wanted, want, limit = 25) {
  const low = fold(wanted).toLowerCase();
  let best = 9;
  let found = [];
  walk(root, (element) => {
    const kind = role(element);
    if (kind === "generic" && !element.id && want === "any") return true;
    if (!fits(element, kind, want)) return true;
    const rank = closeness(element, kind, fold(wanted), low);
    if (!rank || rank > best) return true;
    if (rank < best) [best, found] = [rank, []];
    if (found.length < limit) found.push(element);
    return true;
  });
  return want === "control" ? withoutLists(found) : found;
}

/** querySelectorAll through open shadow roots and same-origin frames. Throws on a bad selector. */
export function select(root, selector, limit = 25) {
  root.querySelector(selector);
  const answers = matcher(selector);
  const found = [];
  walk(root, (element) => {
    if (found.length < limit && answers(element)) found.push(element);
    return found.length < limit;
  });
  return found;
}

/** All controls of a form or region, in reading order. */
export function controls(root) {
  const found = [];
  walk(root, (element) => {
    if (fits(element, role(element), "control")) found.push(element);
  });
  for (const element of root.elements ?? []) {
    if (!found.includes(element) && told(element) && fits(element, role(element), "control")) found.push(element);
  }
  return found;
}

/** A property that a form's control of the same name may hide. */
const text = (value) => (typeof value === "string" && value ? value : undefined);

/** Facts about one element as JSON text; never the value of a secret. */
export function describe(element) {
  const kind = role(element);
  const label = name(element, kind);
  const facts = {
    ref: refOf(element, kind, label), role: kind, name: label, tag: element.localName,
    type: text(element.type), id: element.getAttribute("id") || undefined,
    field: element.getAttribute("name") ?? undefined, states: states(element, kind),
    value: valueOf(element, kind).slice(0, 2000) || undefined, group: groupName(element, kind) || undefined,
  };
  if (element.href) facts.url = addressOf(element);
  if (element.localName === "select") {
    facts.options = optionsOf(element).slice(0, 100).map((option) => fold(option.label) || option.value);
  }
  if (!visible(element)) facts.hidden = true;
  return JSON.stringify(facts);
}

/** Nothing may lie over the middle of an element (its own parts and labels may). Names what does. */
export function coveredBy(element) {
  const box = element.getBoundingClientRect();
  const view = element.ownerDocument.defaultView;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  if (!box.width || !box.height || x < 0 || y < 0 || x > view.innerWidth || y > view.innerHeight) return null;
  let top = element.getRootNode().elementFromPoint(x, y);
  if (top && limits !== null && element !== top && element.contains(top) && standing(top) === null) return top; // not to be touched
  if (!top || element.contains(top) || top.contains(element) || top.shadowRoot?.contains(element)) return null;
  if ([...(element.labels ?? [])].some((label) => label.contains(top))) return null;
  for (let at = top; at; at = around(at)) if (at === element) return null;
  return top;
}

const PRESSABLE = "a[href], area[href], svg a, button, input, select, textarea, summary, label, option, " +
  ["button", "link", "checkbox", "radio", "switch", "tab", "option", "treeitem", "menuitem", "menuitemcheckbox", "menuitemradio"]
    .map((kind) => `[role="${kind}"]`).join(", ");

/** All that a click on the element presses, the innermost first; for a label, its control. */
export function pressed(element) {
  const found = [];
  for (let at = element; at; at = above(at)) {
    if (!at.matches(PRESSABLE)) continue;
    const one = at.localName === "label" ? at.control : at;
    if (one && !found.includes(one)) found.push(one);
  }
  return found;
}

const BLOCK = new Set((
  "button select textarea address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 " +
  "h4 h5 h6 header hr label legend li main nav ol option p pre section summary table td th tr ul"
).split(" "));
const UNSAID = new Set(["page-hand", "script", "style", "template", "noscript"]);
const OPENED = new Set(["slot", "iframe", "frame"]);
const SPACED = /\s\s|[^\S ]/;

const [STEP, AHEAD, BEHIND] = [32, 96, 16];
const PATIENCE = 500; // ms for one search by a pattern

/**
 * Matches of a pattern that may be slow: tried place by place, each with a short text around it, so
 * that no single try can take long. Throws a RangeError when the time is up.
 */
function* within(text, pattern, flags) {
  const sticky = new RegExp(pattern, `${flags}y`);
  const ends = performance.now() + PATIENCE;
  let free = 0; // where the last match ended
  for (let start = 0; start < text.length; start += STEP) {
    const from = Math.max(0, start - BEHIND);
    const piece = text.slice(from, start + STEP + AHEAD);
    for (let at = Math.max(start, free); at < Math.min(start + STEP, text.length); at = Math.max(at + 1, free)) {
      if (performance.now() > ends) throw new RangeError("time");
      sticky.lastIndex = at - from;
      const match = sticky.exec(piece);
      if (!match?.[0]) continue;
      // The end of the piece is no end of the text.
      if (pattern.includes("$") && sticky.lastIndex === piece.length && from + piece.length < text.length) continue;
      free = at + match[0].length;
      match.index = at;
      yield match;
    }
  }
}

/** Visible text that matches: JSON `{total, hits: [{ref, role, before, match, after}], complete}`. */
export function find(root, pattern, flags, limit, context, careful = false) {
  const pieces = [];
  const starts = [];
  const owners = [];
  let size = 0;
  let breaks = false; // a line ends before the next text
  const push = (text, owner) => {
    if (breaks) {
      pieces.push(" \n ");
      starts.push(size);
      owners.push(owner);
      size += 3;
      breaks = false;
    }
    starts.push(size);
    owners.push(owner);
    pieces.push(text);
    size += text.length;
  };
  const one = (node, parent, inside) => {
    if (node.nodeType === 3) {
      if (!inside) return;
      const said = node.data;
      push(SPACED.test(said) ? said.replace(/\s+/g, " ") : said, parent);
      return;
    }
    if (node.nodeType !== 1) return;
    const tag = node.localName;
    if (UNSAID.has(tag)) return;
    const here = limits === null || enter(node, inside);
    if (here === null) return;
    const block = here !== inside || BLOCK.has(tag);
    breaks ||= block;
    if (tag !== "textarea") visit(node, tag, here);
    else if (here) push(secret(node) ? "" : node.value.replace(/\s+/g, " "), node);
    breaks ||= block;
  };
  const visit = (parent, tag, inside) => {
    if (parent.shadowRoot || OPENED.has(tag)) for (const node of kids(parent)) one(node, parent, inside);
    else for (let node = parent.firstChild; node; node = node.nextSibling) one(node, parent, inside);
  };
  const inside = limits === null || standing(root);
  if (inside !== null) visit(root, root.localName, inside);
  const text = pieces.join("");
  const hits = [];
  let total = 0;
  let complete = true;
  const take = (match) => {
    if (!match[0]) return;
    const owner = owners[upper(starts, match.index) - 1];
    const element = owner.nodeType === 1 ? owner : owner.host ?? owner.body;
    if (!visible(element)) return;
    total += 1;
    if (hits.length >= limit) return;
    const end = match.index + match[0].length;
    const box = element.getBoundingClientRect();
    hits.push({
      ref: refOf(element), role: role(element), match: fold(match[0]), around: wholeWords(text, match.index, end, context + 40),
      before: fold(text.slice(Math.max(0, match.index - context), match.index)),
      after: fold(text.slice(end, end + context)),
      on_screen: box.bottom > 0 && box.top < innerHeight,
    });
  };
  try {
    const found = careful ? within(text, pattern, flags) : text.matchAll(new RegExp(pattern, `${flags}g`));
    for (const match of found) take(match);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    complete = false;
  }
  return JSON.stringify({ total, hits, complete });
}

/** The text from `start` to `end` with `context` around it, up to where words end: secrets stay whole. */
function wholeWords(text, start, end, context) {
  const from = Math.max(0, start - context);
  const before = /\S*$/.exec(text.slice(Math.max(0, from - 4096), from))[0];
  const after = /^\S*/.exec(text.slice(end + context, end + context + 4096))[0];
  return fold(before + text.slice(from, end + context) + after);
}

/** The first index whose start is past `offset`. */
function upper(starts, offset) {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Frames whose content another origin keeps shut: named, so that nobody takes them for empty. */
export function shutFrames(root) {
  const origins = [];
  walk(root, (element) => {
    if (element.localName === "iframe" && !innerDocument(element)) {
      origins.push(element.src ? new URL(element.src, location.href).origin : "unknown");
    }
  });
  return JSON.stringify(origins);
}
