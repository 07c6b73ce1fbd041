// Controls that scripts draw: which part of an invisible box people see, what a list offers and what
// it shows as chosen, which radio buttons belong together. Facts only: nothing here acts.

import { walk } from "./eyes.js";
import { standing, told } from "./eyes-scope.js";
import { above, around, fold, labelsOf, name, role, textOf, visible } from "./eyes-names.js";

const HIDEABLE = new Set(["checkbox", "radio", "range", "file"]);
const FIELDS = "input:not([type=hidden], [aria-hidden=true]), select, textarea, [role=combobox], [role=checkbox], [role=radio], [role=switch]";
const CONTROLS = `${FIELDS}, button`;

const roomy = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1;
};

/**
 * What people see of a control: itself; for a box that styles have made invisible, its label or what is
 * drawn in its place; null when there is nothing to see. A plain text field is never drawn by others:
 * an invisible one is a trap for programs.
 */
export function face(element) {
  if (visible(element) && (roomy(element) || element.localName !== "input")) return element;
  if (!/^(input|textarea)$/.test(element.localName)) return null;
  const host = element.getRootNode().host;
  if (host && visible(host) && roomy(host) && element.checkVisibility({ visibilityProperty: true }) && !others(host.shadowRoot, element)) {
    return host; // the only field of a custom element that is drawn itself
  }
  if (!HIDEABLE.has(element.type) && element.getAttribute("role") !== "combobox") return null;
  if (element.type !== "file" || element.checkVisibility()) {
    const label = labelsOf(element).find((one) => visible(one) && roomy(one));
    if (label) return label;
  }
  if (!element.checkVisibility({ visibilityProperty: true })) return null;
  let at = above(element);
  for (let level = 0; at && level < 4; level += 1, at = above(at)) {
    if (at.nodeType !== 1 || at.getBoundingClientRect().height > 200 || others(at, element)) return null;
    if (visible(at) && roomy(at) && at.localName !== "slot") return at;
  }
  return null;
}

/** Does it hold a control beside this one? */
const others = (box, element, what = CONTROLS) => [...box.querySelectorAll(what)].some((one) => one !== element && !one.contains(element));

const groupBox = (element) => {
  for (let at = element; at; at = around(at)) {
    if (at.matches('fieldset, [role="radiogroup"], [role="group"]')) return at;
  }
  return null;
};

/** The radio buttons that exclude each other: of one name in one form, else of one group. */
export function fellows(element) {
  if (element.localName === "input" && element.name) {
    const scope = element.form ?? element.getRootNode();
    const every = [...scope.querySelectorAll('input[type="radio"]')];
    const same = every.filter((one) => one.name === element.name && one.form === element.form && standing(one) === true);
    return same.length ? same : [element];
  }
  const box = groupBox(element);
  const found = [];
  if (box) {
    walk(box, (one) => {
      const theirs = role(one) === "radio";
      if (theirs && !(one.localName === "input" && one.name)) found.push(one);
      return !theirs;
    });
  }
  return found.includes(element) ? found : [element];
}

/** Are all of them boxes of one kind in one group? Then the group's name means them all. */
export function oneGroup(elements) {
  const kinds = new Set(elements.map((one) => role(one)));
  if (kinds.size !== 1 || !(kinds.has("radio") || kinds.has("checkbox"))) return false;
  const [first, ...rest] = elements;
  if (first.name && first.localName === "input") return rest.every((one) => one.name === first.name && one.form === first.form);
  const box = groupBox(first);
  return Boolean(box) && rest.every((one) => groupBox(one) === box);
}

/** The list that a control says it opens. */
function controlled(element) {
  const ids = `${element.getAttribute("aria-controls") ?? ""} ${element.getAttribute("aria-owns") ?? ""}`.trim().split(/\s+/);
  return ids.map((id) => id && element.getRootNode().getElementById?.(id)).find(Boolean) ?? null;
}

function optionsIn(root) {
  const found = [];
  walk(root, (one) => {
    const isOption = role(one) === "option" && one.localName !== "option";
    if (isOption) found.push(one);
    return !isOption && one.localName !== "select";
  });
  return found;
}

/** Drawn with a size of its own and not cut away by what is around it. */
function drawn(element) {
  if (!visible(element) || !roomy(element)) return false;
  const outer = around(element);
  return !outer || roomy(outer) || getComputedStyle(outer).overflow === "visible";
}

const labelOf = (option) => fold(option.getAttribute("aria-label") ?? "") || textOf(option, 200);
const chosen = (option) => ["selected", "checked"].some((key) => option.getAttribute(`aria-${key}`) === "true");

const entry = (option) => [labelOf(option), option, chosen(option), option.getAttribute("aria-disabled") !== "true" && !option.matches(":disabled")];

/**
 * What the open list of a control offers: `[label, element, chosen, enabled]` each. Some libraries keep
 * options for screen readers only and draw others: then what is drawn beside them is taken.
 */
export function entries(element, root) {
  const list = element.getAttribute("role") === "listbox" ? element : controlled(element);
  const own = list ? optionsIn(list) : [];
  const options = own.length ? own : optionsIn(root.ownerDocument.body);
  const seen = options.filter(drawn);
  if (seen.length || !own.length) return seen.map(entry);
  const outside = new Set();
  for (let at = element; at; at = around(at)) outside.add(at);
  let popup = own[0];
  while (popup && !drawn(popup) && !outside.has(popup)) popup = around(popup);
  const texts = [];
  if (!popup || outside.has(popup)) return texts;
  walk(popup, (one) => {
    if (!one.childElementCount && drawn(one) && textOf(one, 200)) {
      const label = textOf(one, 200);
      texts.push([label, one, own.some((option) => labelOf(option) === label && chosen(option)) || looksChosen(one, popup), true]);
    }
  });
  return texts;
}

/** Where only the looks tell: a style's name on the entry or what is close around it. */
function looksChosen(element, popup) {
  for (let at = element; at && at !== popup; at = above(at)) {
    if (/(^|[-_\s])(selected|checked)(\s|$)/.test(at.getAttribute("class") ?? "")) return true;
  }
  return false;
}

/** The labels that the list of a control marks as chosen, whether it is open or not. */
export function marked(element) {
  const list = controlled(element);
  return list ? optionsIn(list).filter(chosen).map(labelOf) : [];
}

/** The nearest box around an element that scrolls up and down, or null. */
export function scroller(element) {
  for (let at = element; at && at.localName !== "body"; at = around(at)) {
    if (/(auto|scroll|hidden)/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight + 4) return at;
  }
  return null;
}

/** What a list that scripts draw shows as chosen: its value, its text, or the text around its field. */
export function shownChoice(element) {
  if (element.localName !== "input") {
    const said = textOf(element);
    const label = name(element); // some draw the label inside, before the choice
    return label && said.startsWith(`${label} `) ? said.slice(label.length + 1) : said;
  }
  if (element.value && visible(element)) return fold(element.value);
  let at = above(element);
  for (let level = 0; at && level < 5; level += 1, at = above(at)) {
    if (at.nodeType !== 1 || /^(form|fieldset|body|label)$/.test(at.localName)) break;
    if (at.getBoundingClientRect().height > 200 || others(at, element, FIELDS)) break;
    const text = textOf(at, 2000, 'label, button, [role="listbox"], [aria-live]');
    if (text) return text;
  }
  return fold(element.value);
}

/** Without the lists that another of the elements opens: the field is meant, not its list. */
export function withoutLists(elements) {
  const lists = new Set(elements.map(controlled).filter(Boolean));
  return lists.size ? elements.filter((one) => !lists.has(one)) : elements;
}
