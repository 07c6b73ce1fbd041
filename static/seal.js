/**
 * A dialog that the page's scripts can reach but not disguise.
 *
 * The dialog and its words stand in the open tree, so people's tools and tests find them. Its
 * looks come from two closed shadow roots: an important rule from inside one beats every rule,
 * inline style and animation from outside, pseudo-elements included. Words are single texts in
 * direct children of the frame, where no rule of the page reaches past these. What a script
 * changes in the tree is noticed at once. The browser's own functions are taken when this is
 * loaded: a script that replaces them later changes nothing here.
 */

const { apply } = Reflect;
const { attachShadow, getAnimations } = Element.prototype;
const cancelAnimation = Animation.prototype.cancel;
const { observe, takeRecords, disconnect } = MutationObserver.prototype;
const Mutations = MutationObserver;
const Sheet = CSSStyleSheet;
const { replaceSync } = CSSStyleSheet.prototype;
const adopt = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "adoptedStyleSheets")?.set;
const Sights = globalThis.IntersectionObserver;
const SEES_COVERS = Sights !== undefined && "isVisible" in IntersectionObserverEntry.prototype;

const WATCHED = {
  subtree: true, childList: true, characterData: true, attributes: true,
  // Those that any rule or meaning here depends on; a page's or extension's own marks do nothing.
  // `id` and `for` say whose click a label makes, `accesskey` whose click a key makes, `aria-*` what is read out.
  attributeFilter: [
    "slot", "data-risk", "data-kind", "data-action", "data-variant", "type", "role", "for", "id", "dir", "title",
    "accesskey", "aria-label", "aria-labelledby", "aria-description", "aria-describedby", "aria-details",
    "aria-hidden", "aria-owns", "aria-roledescription", "aria-braillelabel", "aria-brailleroledescription",
  ],
};
const SHIELD = "M12 3 5 6v5c0 4.6 3 7.9 7 10 4-2.1 7-5.4 7-10V6z";

const WORDS = "user-select: none; unicode-bidi: plaintext; overflow-wrap: anywhere; white-space: pre-wrap;";
const OUTER = important(`
  :host { all: initial; color-scheme: inherit; display: contents; }
  ::slotted(dialog[open]) {
    all: initial; color-scheme: inherit; position: fixed; display: block; box-sizing: border-box;
    margin: auto; overflow: hidden; border-radius: 20px; direction: ltr; height: fit-content;
    background: light-dark(#ffffff, #262625);
    border: 1px solid light-dark(#e7e4df, #4a4a47);
    box-shadow: 0 4px 12px rgb(0 0 0 / 0.12), 0 16px 48px rgb(0 0 0 / 0.16);
  }
  ::slotted(dialog:not([open])) { display: none; }
  ::slotted(dialog)::before, ::slotted(dialog)::after { content: none; }
`);
const INNER = important(`
  :host {
    all: initial; color-scheme: inherit; display: flex; flex-direction: column; direction: ltr;
    max-height: inherit; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1f1e1c, #ecebe8);
  }
  :host::before, :host::after { content: none; }
  ::slotted(*)::before, ::slotted(*)::after, ::slotted(*)::marker { content: none; }
  ::slotted(*) {
    all: initial; color-scheme: inherit; display: flex; box-sizing: border-box; direction: inherit;
    font: 13px/1.5 system-ui, sans-serif; color: light-dark(#1f1e1c, #ecebe8); ${WORDS}
  }
  .head { display: flex; align-items: center; gap: 8px; padding: 16px 20px 0; }
  .mark { flex: none; width: 30px; height: 30px; padding: 6px; box-sizing: border-box; border-radius: 10px;
    fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round;
    color: light-dark(#0b5f58, #7fdccf); background: light-dark(#e3f3f1, #16322f); }
  .body { display: flex; flex-direction: column; gap: 12px; min-height: 0; overflow: auto;
    padding: 8px 20px 16px; scrollbar-width: thin; }
  .body:focus-visible { outline: 2px solid light-dark(#0f766e, #4fd1c2); outline-offset: -4px; }
  .args { display: grid; grid-template-columns: minmax(72px, 34%) minmax(0, 1fr); gap: 4px 12px;
    flex: none; padding: 12px; border: 1px solid light-dark(#e7e4df, #333331); border-radius: 10px;
    background: light-dark(#f8f7f5, #20201f); }
  .remember { display: flex; align-items: center; gap: 8px; padding: 8px 20px 12px; }
  .foot { display: flex; flex-wrap: wrap; align-items: center; justify-content: flex-end; gap: 8px;
    padding: 12px 20px 16px; border-top: 1px solid light-dark(#e7e4df, #333331); }
  ::slotted([slot="kicker"]) { flex: 1; color: light-dark(#5c5954, #b3b0aa); }
  ::slotted([slot="queue"]) { font-size: 12px; color: light-dark(#716d67, #94918b); }
  ::slotted([slot="title"]) { padding: 12px 20px 0; font-size: 17px; font-weight: 600; line-height: 1.35; }
  ::slotted([slot="text"]) { flex: none; color: light-dark(#5c5954, #b3b0aa); }
  ::slotted([slot="risk"]) { flex: none; align-self: flex-start; padding: 1px 9px; border-radius: 99px;
    font-size: 12px; font-weight: 500; color: light-dark(#1a7347, #5cc98f); background: light-dark(#e5f4ec, #16301f); }
  ::slotted([slot="args"][data-kind="name"]) { grid-column: 1; color: light-dark(#5c5954, #b3b0aa); }
  ::slotted([slot="args"][data-kind="inner"]) { grid-column: 1; padding-inline-start: 12px;
    color: light-dark(#5c5954, #b3b0aa); }
  ::slotted([slot="args"][data-kind="value"]) { grid-column: 2; }
  ::slotted([slot="args"][data-kind="head"]) { grid-column: 1 / -1; font-weight: 500; }
  ::slotted(pre) { flex: none; padding: 8px 12px; border-radius: 6px; font: 12px/1.5 ui-monospace, monospace;
    background: light-dark(#f5f3f0, #222221); color: light-dark(#2a2927, #e4e2de); }
  ::slotted([slot="note"]) { padding: 0 20px 8px; color: light-dark(#b3261e, #f2938c); }
  ::slotted(label) { color: light-dark(#5c5954, #b3b0aa); cursor: pointer; }
  ::slotted(input) { appearance: auto; display: inline-block; margin: 0; width: 14px; height: 14px; flex: none;
    accent-color: light-dark(#0f766e, #2bb5a6); }
  ::slotted([slot="count"]) { flex: 1; min-width: 120px; font-size: 12px; color: light-dark(#716d67, #94918b); }
  ::slotted(button) { align-items: center; justify-content: center; min-height: 34px; padding: 0 14px; flex: none;
    border: 1px solid light-dark(#cfcbc4, #4a4a47); border-radius: 10px; cursor: pointer;
    font: 500 15px/1.2 system-ui, sans-serif; background: light-dark(#ffffff, #262625); }
  ::slotted(button[data-variant="primary"]) { border-color: transparent; color: light-dark(#ffffff, #06201d);
    background: light-dark(#0f766e, #2bb5a6); }
  ::slotted(button[data-variant="danger"]) { border-color: transparent; color: #ffffff;
    background: light-dark(#b3261e, #c9453c); }
  ::slotted(button[data-variant="quiet"]) { align-self: flex-start; min-height: 24px; padding: 0; border: 0;
    font-size: 12px; background: transparent; text-decoration: underline; color: light-dark(#5c5954, #b3b0aa); }
  ::slotted(button[aria-disabled="true"]) { cursor: default; color: light-dark(#716d67, #94918b);
    background: light-dark(#f1efec, #2e2e2c); border-color: light-dark(#e7e4df, #333331); }
  ::slotted(:focus-visible) { outline: 2px solid light-dark(#0f766e, #4fd1c2); outline-offset: 2px; }
  :host([data-risk="moderate"]) .mark { color: light-dark(#8a5a06, #e5b454); background: light-dark(#fdf3de, #35290f); }
  :host([data-risk="dangerous"]) .mark { color: light-dark(#b3261e, #f2938c); background: light-dark(#fceceb, #3a1a18); }
  ::slotted([slot="risk"][data-risk="moderate"]) { color: light-dark(#8a5a06, #e5b454); background: light-dark(#fdf3de, #35290f); }
  ::slotted([slot="risk"][data-risk="dangerous"]) { color: light-dark(#b3261e, #f2938c); background: light-dark(#fceceb, #3a1a18); }
`);

/**
 * Seals a dialog whose only child is the frame with the words and buttons.
 *
 * @param tampered Called (later, once for each change) when a script changed the tree.
 */
export function seal(dialog, frame, tampered) {
  const place = new Sheet();
  const element = document.createElement("div");
  const outer = closed(element, [sheet(OUTER), place]);
  outer.append(document.createElement("slot"));
  const inner = closed(frame, [sheet(INNER)]);
  inner.append(...layout(frame));
  dialog.replaceChildren(frame);
  element.append(dialog);

  const told = (records) => records.length > 0 && tampered();
  const watcher = new Mutations(told);
  apply(observe, watcher, [element, WATCHED]);
  let seen; // what the browser itself says of the dialog: uncovered and undistorted, or not
  const sights = SEES_COVERS && new Sights(
    (entries) => (seen = entries.at(-1).isVisible || (seen === undefined ? undefined : false)),
    { trackVisibility: true, delay: 100, threshold: [0.2, 0.6, 1] });
  if (sights) sights.observe(dialog);
  return {
    element,
    /** Changes of our own are made in here. */
    write(change) {
      told(apply(takeRecords, watcher, []));
      change();
      apply(takeRecords, watcher, []);
    },
    /** Where the dialog stands: edges in pixels, and the room it has. */
    place(top, right, bottom, left) {
      const [wide, high] = [innerWidth - left - right - 32, innerHeight - top - bottom - 32];
      apply(replaceSync, place, [important(`::slotted(dialog[open]) {
        inset: ${top}px ${right}px ${bottom}px ${left}px;
        width: ${Math.min(400, wide)}px; max-width: none; max-height: ${Math.min(560, high)}px; }`)]);
    },
    /** Whether nothing that a style cannot show lies over it. */
    clear() {
      told(apply(takeRecords, watcher, []));
      return seen !== false && stills(dialog) && sized(dialog) && !document.documentElement.matches(ACTIVE_TRANSITION) && !highlighted(dialog);
    },
    close() {
      apply(disconnect, watcher, []);
      if (sights) sights.disconnect();
      element.remove();
    },
  };
}

/** A snapshot of the page that a view transition shows lies above everything. */
const ACTIVE_TRANSITION = globalThis.CSS?.supports("selector(:active-view-transition)")
  ? ":active-view-transition" : ":not(*)";

/** Nothing here moves: an animation is a script's, and its compositor does not ask for importance. */
function stills(dialog) {
  const moving = apply(getAnimations, dialog, [{ subtree: true }]);
  for (const animation of moving) apply(cancelAnimation, animation, []);
  return moving.length === 0;
}

/** `zoom` on an ancestor reaches in. A page may zoom a little, not so much that nothing is read. */
function sized(dialog) {
  const zoom = dialog.currentCSSZoom ?? 1;
  return zoom > 0.65 && zoom < 1.7;
}

/** A custom highlight may give text any colour. */
function highlighted(dialog) {
  for (const highlight of globalThis.CSS?.highlights?.values() ?? []) {
    for (const range of highlight) {
      if (dialog.contains(range.startContainer) || dialog.contains(range.endContainer)) return true;
      if (around(range, dialog)) return true;
    }
  }
  return false;
}

function around(range, dialog) {
  try {
    return range.comparePoint(dialog, 0) === 0;
  } catch {
    return false; // it lies in another tree
  }
}

function layout(frame) {
  const box = (name, ...slots) => {
    const made = document.createElement("div");
    made.className = name;
    made.append(...slots);
    return made;
  };
  const slot = (name) => Object.assign(document.createElement("slot"), { name });
  const has = (name) => frame.querySelector(`[slot="${name}"]`) !== null;
  const body = box("body", slot("risk"), slot("text"), ...(has("args") ? [box("args", slot("args"))] : []), slot("raw"));
  body.tabIndex = 0;
  return [
    box("head", mark(), slot("kicker"), slot("queue")), slot("title"), body, slot("note"),
    ...(has("remember") ? [box("remember", slot("remember"))] : []),
    box("foot", slot("count"), slot("foot")),
  ];
}

function mark() {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "mark");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHIELD);
  svg.append(path);
  return svg;
}

function closed(host, sheets) {
  const root = apply(attachShadow, host, [{ mode: "closed" }]);
  apply(adopt, root, [sheets]);
  return root;
}

function sheet(text) {
  const made = new Sheet();
  apply(replaceSync, made, [text]);
  return made;
}

function important(text) {
  return text.replaceAll(";", " !important;");
}
