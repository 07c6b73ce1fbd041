/**
 * Making elements and icons with plain DOM calls: no markup from strings anywhere.
 */

const ICONS = {
  mark: "M8 11V5.5a1.5 1.5 0 0 1 3 0V10m0-1V4a1.5 1.5 0 0 1 3 0v6m0-4.5a1.5 1.5 0 0 1 3 0V12m0-3a1.5 1.5 0 0 1 3 0v5c0 4-2.5 7-7 7-3.5 0-5-1.5-6.5-4L4.2 13.4a1.5 1.5 0 0 1 2.5-1.6L8 13.5",
  compose: "M12 20h8M16.5 4.5a2.1 2.1 0 0 1 3 3L8 19l-4 1 1-4Z",
  pause: "M9 5v14M15 5v14",
  collapse: "M6 9l6 6 6-6",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8Z",
};

/** An element with attributes and children. `null` attributes are left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A line icon of 20 pixels that screen readers skip. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  for (const [key, value] of Object.entries({
    viewBox: "0 0 24 24", width: "20", height: "20", fill: "none", stroke: "currentColor",
    "stroke-width": "1.75", "stroke-linecap": "round", "stroke-linejoin": "round",
    "aria-hidden": "true",
  })) svg.setAttribute(key, value);
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}
