// The page as an indented outline of roles, names and states, within a budget of characters.

import { face, refOf } from "./eyes.js";
import { drawnText, enter, limits, optionsOf, standing } from "./eyes-scope.js";
import { addressOf, clip, fold, innerDocument, INTERACTIVE, kids, name, role, states, valueOf, visible } from "./eyes-names.js";

const QUIET = new Set(["generic", "paragraph", "listitem", "cell", "gridcell", "row", "definition", "term", "list"]);
const LEAF = new Set(["button", "link", "heading", "option", "tab", "menuitem", "columnheader", "rowheader", "img"]);
const quote = (text) => JSON.stringify(text.length > 160 ? `${clip(text, 159)}…` : text);

class Outline {
  constructor(limit, depth, rows) {
    Object.assign(this, { limit, depth, rows, size: 0, left: 0, lines: [], known: new Map() });
  }

  /** `visible`, asked once for each element. */
  sees(node) {
    let seen = this.known.get(node);
    if (seen === undefined) this.known.set(node, (seen = visible(node)));
    return seen;
  }

  add(level, text) {
    const length = text.length + level * 2 + 3;
    if (this.size + length > this.limit) {
      this.left += 1;
      return;
    }
    this.size += length;
    this.lines.push(`${"  ".repeat(level)}- ${text}`);
  }

  /** One element and what is inside it; `around`: whether what is around it may be told. */
  element(node, level, spoken, around) {
    const tag = node.localName;
    if (/^(script|style|template|noscript|head|page-hand)$/.test(tag)) return;
    const told = enter(node, around);
    if (told === null) return;
    if (this.left > 200 || level > this.depth) {
      this.left += 1;
      return;
    }
    const seen = this.sees(node) || ((tag === "input" || tag === "textarea") && face(node) !== null);
    // A hidden parent may hold a visible child; what is not rendered at all may not.
    if (!seen && !node.checkVisibility({ visibilityProperty: false })) return;
    if (node.getAttribute("aria-hidden") === "true" && !node.querySelector("a[href], button, input")) return;
    if (!told) {
      this.inside(node, level, "", false); // it may hold a part that may be seen
      return;
    }
    const kind = seen ? role(node) : "generic";
    if (kind === "row" && this.row(node, level)) return;
    if (shutInside(node)) {
      this.add(level, `${tag} [ref=${refOf(node, kind)}] (closed inside: cannot be read)`);
      return;
    }
    const plain = QUIET.has(kind) || (kind === "columnheader" && node.querySelector("button"));
    if (plain && !node.hasAttribute("aria-label")) this.inside(node, level, spoken);
    else this.named(node, kind, level);
  }

  named(node, kind, level) {
    if (INTERACTIVE.has(kind) && outOfSight(node)) return;
    const label = name(node, kind);
    const value = valueOf(node, kind);
    const marks = states(node, kind);
    if (kind === "heading") marks.push(`level=${node.getAttribute("aria-level") ?? node.localName.slice(1)}`);
    const ref = refOf(node, kind, label);
    let line = label ? `${kind} ${quote(label)}` : kind;
    line += marks.length ? ` [${marks.join(", ")}]` : "";
    line += ` [ref=${ref}]`;
    if (kind === "link") line += ` ${quote(addressOf(node))}`;
    if (value) line += `: ${quote(fold(value))}`;
    if (kind === "frame" && !innerDocument(node)) line += " (another origin: cannot be read)";
    this.add(level, line);
    if (node.localName === "select") this.options(node, level + 1);
    else if (!/^(textarea|input)$/.test(node.localName) && kind !== "textbox") {
      this.inside(node, level + 1, LEAF.has(kind) ? label : "");
    }
  }

  options(node, level) {
    const every = optionsOf(node);
    const labels = every.slice(0, 30).map((option) => fold(option.label) || option.value);
    const more = every.length > 30 ? `, … ${every.length - 30} more` : "";
    this.add(level, `options: ${labels.map(quote).join(", ")}${more}`);
  }

  /** A row without anything to press becomes one line. Returns whether it did. */
  row(node, level) {
    if (node.querySelector("a[href], button, input, select, textarea, [role], [tabindex]")) return false;
    const cells = [...(node.cells ?? node.children)].filter((cell) => visible(cell) && enter(cell, true) !== null).map((cell) => fold(drawnText(cell)));
    this.add(level, `row: ${cells.join(" | ")}`);
    return true;
  }

  /** Text and elements inside a node; text that the node's own name already says is left out. */
  inside(node, level, spoken, told = true) {
    let text = "";
    let rows = 0;
    const flush = () => {
      const said = fold(text);
      text = "";
      if (said && !spoken) this.add(level, `text: ${quote(said)}`);
    };
    for (const kid of kids(node)) {
      if (kid.nodeType === 3) {
        if (told && this.sees(node)) text += kid.data;
        continue;
      }
      if (kid.nodeType !== 1) continue;
      if (isPlainInline(kid)) {
        if ((limits === null || enter(kid, told)) && this.sees(kid)) text += ` ${kid.innerText ?? kid.textContent}`;
        continue;
      }
      flush();
      if (kid.localName === "tr" && told && enter(kid, true) !== null && ++rows > this.rows) continue;
      if (told && isLabel(kid)) {
        if (enter(kid, true) !== null) this.inside(kid, level, "label");
      } else if (!told || !/^(legend|caption|figcaption)$/.test(kid.localName)) this.element(kid, level, spoken, told);
    }
    flush();
    if (rows > this.rows) this.add(level, `… ${rows - this.rows} more rows: use query_data`);
  }
}

const INLINE = /^(abbr|b|bdi|bdo|cite|code|data|dfn|em|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr|br|font)$/;
const isPlainInline = (node) =>
  INLINE.test(node.localName) && !node.childElementCount && !node.hasAttribute("role") &&
  !node.shadowRoot && node.tabIndex < 0 && node.getAttribute("aria-hidden") !== "true";

/** A label: its text is the name of its control and is not said twice. */
const isLabel = (node) => node.localName === "label" && node.control;

/** An element of the page's own that shows something which nobody outside can look into. */
function shutInside(node) {
  if (!node.localName.includes("-") || node.shadowRoot || node.childNodes.length) return false;
  const box = node.getBoundingClientRect();
  const made = node.ownerDocument.defaultView?.customElements.get(node.localName);
  return Boolean(made) && box.width > 0 && box.height > 0 && !node.hasAttribute("role");
}

/** Moved off the page: a trap for programs, or a link that only shows when focused. */
function outOfSight(node) {
  const box = node.getBoundingClientRect();
  const view = node.ownerDocument.defaultView;
  return box.width > 0 && (box.right + view.scrollX <= 0 || box.bottom + view.scrollY <= 0);
}

/** JSON `{lines, left}`: `left` counts what did not fit. */
export function outline(root, limit, depth, rows) {
  const out = new Outline(limit, depth, rows);
  const told = limits === null || standing(root);
  if (root.localName !== "body" && told) out.element(root, 0, "", true);
  else if (told !== null) out.inside(root, 0, "", told);
  return JSON.stringify({ lines: out.lines, left: out.left });
}
