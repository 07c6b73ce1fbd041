// Tables, grids and lists as plain cells. Spans, headers, types and filters are Python's work.

import { refOf, walk } from "./eyes.js";
import { allText, drawnText, enter, holdsUntold, limits, standing, told } from "./eyes-scope.js";
import { fold, kids, name, role, visible } from "./eyes-names.js";

const isLayout = (table) => {
  const given = table.getAttribute("role");
  if (given === "presentation" || given === "none") return true;
  const rows = table.rows?.length ?? 0;
  if (table.querySelector(":scope > caption, :scope > thead, th")) return false;
  return rows < 2 || (table.rows[0]?.cells.length ?? 0) < 2 || Boolean(table.querySelector("table"));
};

const shape = (element) => {
  const kind = role(element);
  if (kind === "table" || kind === "grid" || kind === "treegrid") return "table";
  if (element.localName === "dl") return "terms";
  return kind === "list" || kind === "listbox" || kind === "feed" ? "list" : "";
};

/** Everything on the page that holds records: JSON list without the records themselves. */
export function tables(root, wantLists) {
  const found = [];
  walk(root, (element) => {
    const what = shape(element);
    if (!what || !visible(element) || (what === "table" && element.localName === "table" && isLayout(element))) return true;
    if (what !== "table" && (!wantLists || element.closest("nav"))) return true;
    found.push(element);
    return what !== "table";
  });
  return found;
}

const BOTH = new Set(["number", "search", "text", "email", "tel", "url", "date", "time", "month", "week", "datetime-local", "range"]);

/**
 * One cell: `[text, colspan, rowspan, header (0 no, 1 column, 2 row), value or name | null]`; of a
 * cell that is nothing but a text, just that.
 */
function readCell(cell) {
  if (cell.localName === "td" && !cell.firstElementChild && !cell.hasAttributes() && !cell.shadowRoot) return fold(cell.textContent);
  const told = toldCell(cell);
  return told[1] === 1 && told[2] === 1 && told[3] !== 1 && told[4] === null ? told[0] : told;
}

function toldCell(cell) {
  const header = cell.localName === "th" || /header$/.test(cell.getAttribute("role") ?? "");
  const row = header && (cell.getAttribute("scope") ?? cell.getAttribute("role") ?? "").startsWith("row");
  // What programs call a column goes with its header: people's words change with the language.
  if (header) {
    const known = cell.dataset.column ?? cell.dataset.field ?? cell.dataset.key ?? cell.getAttribute("abbr");
    return [cellText(cell), spanOf(cell, "col"), spanOf(cell, "row"), row ? 2 : 1, known ?? null];
  }
  const sort = cell.getAttribute("data-sort-value") ?? cell.getAttribute("data-order") ?? cell.getAttribute("data-value") ??
    lone(cell, "time[datetime]")?.getAttribute("datetime") ?? lone(cell, "data[value]")?.getAttribute("value") ?? null;
  return [cellText(cell), spanOf(cell, "col"), spanOf(cell, "row"), 0, sort];
}

/** The same within a scope: of a cell that may not be seen only its place is told. */
const seenCell = (cell) =>
  enter(cell, true) === null ? ["", spanOf(cell, "col"), spanOf(cell, "row"), cell.localName === "th" ? 1 : 0, null] : readCell(cell);

const spanOf = (cell, way) => cell[`${way}Span`] ?? (Number(cell.getAttribute(`aria-${way}span`)) || 1);

const lone = (cell, selector) => {
  if (!cell.childElementCount) return null;
  const all = cell.querySelectorAll(selector);
  return all.length === 1 ? all[0] : null;
};

function cellText(cell) {
  if (holdsUntold(cell)) return drawnText(cell);
  if (!cell.childElementCount && !cell.shadowRoot) return fold(cell.textContent);
  const control = lone(cell, "input, select, textarea");
  if (control) {
    if (control.type === "checkbox" || control.type === "radio") return control.checked ? "✓" : "✗";
    if (control.type === "password") return "•••";
    if (control.localName === "select") return [...control.selectedOptions].map((option) => fold(option.label)).join(", ");
    if (control.localName === "textarea" || BOTH.has(control.type)) return fold(control.value);
  }
  const text = fold(cell.innerText ?? cell.textContent);
  if (text) return text;
  return [...cell.querySelectorAll("img, [aria-label]")].map((one) => fold(one.alt || one.getAttribute("aria-label") || "")).join(" ").trim();
}

/** Rows of an HTML table or an ARIA grid: `[section, hidden, cells, hint]`, section h, b or f. */
function rowsOf(table) {
  if (table.rows) {
    const every = Array.from(table.rows, (row) => [sectionOf(row), row, cellsOf(row)]);
    return limits === null ? every : every.filter(([, row]) => standing(row) !== null);
  }
  const rows = [];
  walk(table, (node) => {
    if (role(node) !== "row") return true;
    const cells = [];
    const take = (cell) => {
      const isCell = /^(cell|gridcell|columnheader|rowheader)$/.test(role(cell));
      if (isCell) cells.push(cell);
      return !isCell;
    };
    walk(node, take, take);
    const heads = cells.length && cells.every((cell) => role(cell) === "columnheader");
    rows.push([heads ? "h" : "b", node, cells]);
    return false;
  });
  return rows;
}

/** The cells of an HTML row; quicker than asking the row for its own list of them. */
function cellsOf(row) {
  const cells = [];
  for (let at = row.firstElementChild; at; at = at.nextElementSibling) {
    if (at.localName === "td" || at.localName === "th") cells.push(at);
  }
  return cells;
}

/** Whether a row is drawn; one that has a height is, and asking for that is quicker. */
const isDrawn = (row) => row.offsetHeight > 0 || row.checkVisibility();

const sectionOf = (row) => ({ thead: "h", tfoot: "f" })[row.parentElement.localName] ?? "b";

const reachesDown = (cell) => typeof cell !== "string" && cell[2] !== 1;

const WORTH_PACKING = 50;
const MOST_LEADING = 5; // rows of headers that stand in the body

/**
 * Takes the body's rows out of `rows` where all are plain texts: `{size, columns}`, of each column one
 * text with a line for each row (a cell's text has no line breaks). Far quicker to hand over and to
 * search than cells; null where spans or values make it another matter.
 */
function pack(rows) {
  const body = rows.filter(([section]) => section === "b");
  const plain = ([, cells, index]) => !index && cells.every((cell) => typeof cell === "string");
  const first = body.findIndex(plain);
  if (body.length < WORTH_PACKING || first < 0 || first > MOST_LEADING) return null;
  const lead = body.slice(0, first);
  const rest = body.slice(first);
  if (!rest.every(plain) || lead.some(([, cells, index]) => index || cells.some(reachesDown))) return null;
  const width = rest.reduce((most, [, cells]) => Math.max(most, cells.length), 0);
  if (!width) return null;
  const columns = Array.from({ length: width }, (_, at) => rest.map(([, cells]) => cells[at] ?? "").join("\n"));
  const kept = new Set(rest);
  return { rows: rows.filter((row) => !kept.has(row)), size: rest.length, columns };
}

/** JSON of one table: caption, declared sizes, language, and the rows as cells; `packed`: see `pack`. */
function readTable(table, limit, packed = false) {
  const rows = [];
  let hidden = 0;
  let cut = 0;
  for (const [section, row, cells] of rowsOf(table)) {
    if (rows.length >= limit) cut += 1;
    else if (!isDrawn(row)) hidden += 1;
    else {
      const total = row.className && /\b(total|subtotal|summary|footer)\b/i.test(row.className) ? "f" : section;
      rows.push([total, cells.map(limits === null ? readCell : seenCell), Number(row.getAttribute("aria-rowindex")) || 0]);
    }
  }
  const parcel = packed ? pack(rows) : null;
  return JSON.stringify({
    ...about(table), rows, hidden, cut, language: table.closest("[lang]")?.lang ?? "",
    declared: table.hasAttribute("aria-rowcount") ? Number(table.getAttribute("aria-rowcount")) : null,
    scrolls: scrollsFurther(table), pager: pagerText(table), ...parcel,
  });
}

/** JSON of a list: `items` of one text each, or `terms` of name and value. */
function readList(list, limit) {
  const rows = [];
  let cut = 0;
  const terms = list.localName === "dl";
  const source = terms ? termRows(list) : [...kids(list)].filter((kid) => kid.nodeType === 1 && enter(kid, true) !== null && visible(kid)).map((kid) => [fold(drawnText(kid))]);
  for (const texts of source) {
    if (!texts.some(Boolean)) continue;
    if (rows.length >= limit) cut += 1;
    else rows.push(["b", texts, 0]);
  }
  return JSON.stringify({
    ...about(list), rows, hidden: 0, cut, heads: terms ? ["name", "value"] : ["text"],
    language: list.closest("[lang]")?.lang ?? "", declared: null, scrolls: scrollsFurther(list), pager: pagerText(list),
  });
}

/** JSON of a table or a list, whichever it is. */
export const readRecords = (element, limit, packed = false) =>
  shape(element) === "table" ? readTable(element, limit, packed) : readList(element, limit);

/** Name and value pairs: several names share a value, one name may have several. */
function termRows(list) {
  const rows = [];
  let names = [];
  let afterValue = true;
  for (const node of list.querySelectorAll("dt, dd")) {
    if (!visible(node) || standing(node) === null) continue;
    const text = fold(drawnText(node));
    if (node.localName === "dt") names = afterValue ? [text] : [...names, text];
    else for (const one of names) rows.push([one, text]);
    afterValue = node.localName === "dd";
  }
  return rows;
}

/** What `list_tables` tells of one, as JSON: reference, caption, shape. */
export const tellTable = (element) => JSON.stringify(about(element));

function about(element) {
  const kind = role(element);
  const label = name(element, kind);
  return { ref: refOf(element, kind, label), kind: shape(element), caption: label, id: element.id || null, heading: headingBefore(element) };
}

/** The heading under which it stands, as a name for tables without one. */
function headingBefore(element) {
  let last = "";
  for (const heading of element.ownerDocument.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")) {
    if (!(heading.compareDocumentPosition(element) & 4)) break;
    if (visible(heading) && told(heading)) last = fold(allText(heading));
  }
  return last;
}

/** Its scrolling box holds far more than is drawn: rows are made as one scrolls. */
function scrollsFurther(element) {
  for (let at = element; at && at.localName !== "body"; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (/(auto|scroll)/.test(style.overflowY) && at.scrollHeight > at.clientHeight + 1) {
      return at.scrollHeight > element.getBoundingClientRect().height + 40;
    }
  }
  return false;
}

const PAGER = /\b\d+\s*[–—-]\s*\d+\s+(of|von|de|sur|di)\s+([\d.,]+)|共\s*([\d,]+)\s*[条项行]|第\s*\d+\s*页\s*[,，/]?\s*共\s*(\d+)\s*页|\bpage\s+\d+\s+of\s+(\d+)/i;

/** What the page says near the table about further pages, or null. */
function pagerText(element) {
  const around = element.closest("section, article, main, form") ?? element.parentElement;
  const pager = around?.querySelector('nav[aria-label*="agin" i], nav[aria-label*="页"], .pagination, [role="navigation"][aria-label*="page" i]');
  const near = [pager, element.nextElementSibling, element.parentElement?.nextElementSibling].filter((node) => node && told(node));
  for (const node of near) {
    const match = PAGER.exec(fold(allText(node)).slice(0, 400));
    if (match) return match[0];
  }
  return pager && told(pager) && visible(pager) ? fold(allText(pager)).slice(0, 80) : null;
}
