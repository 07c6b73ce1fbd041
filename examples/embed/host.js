/*
 * The host page's own scripts: shortcuts on single keys, a click handler that swallows clicks,
 * and old-fashioned extensions of built-in objects.
 */

const seen = (window.hostSaw = { keys: [], clicks: 0, events: [] });

document.addEventListener("keydown", (event) => {
  seen.keys.push(event.key);
  if (event.key === "b") document.getElementById("basket").textContent = "emptied by a shortcut";
});

document.addEventListener("click", (event) => {
  seen.clicks += 1;
  if (event.target.closest("a")) event.preventDefault();
});

Array.prototype.last = function () {
  return this[this.length - 1];
};

String.prototype.contains = function (text) {
  return this.includes(text);
};

for (const type of ["ready", "status", "message", "toolcall", "error"]) {
  document.addEventListener(`pagehand:${type}`, (event) => seen.events.push([type, event.detail]));
}

/* A tool of the page's own JavaScript, beside those written in Python. */
document.addEventListener("pagehand:ready", (event) => {
  event.target.registerTool({
    name: "basket-total",
    description: "Returns how many records are in the basket and what they cost together in euros.",
    parameters: { type: "object", properties: {} },
    execute: () => {
      const chosen = (document.getElementById("basket").dataset.ids ?? "").split(" ").filter(Boolean);
      const price = (id) => Number(document.querySelector(`[data-id="${id}"]`).dataset.price);
      return { records: chosen.length, euros: chosen.map(price).reduce((sum, one) => sum + one, 0) };
    },
  });
});
