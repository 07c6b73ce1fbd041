// What the pages made with React widgets share: a state that widgets change by key, and its drawing.

import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

/** `draw(state, change)` gives the elements; `change(key)(value)` keeps a value. */
export function page(root, start, draw) {
  let now = start;
  const Page = () => {
    const [state, set] = useState(start);
    now = state;
    return draw(state, (key) => (value) => set((old) => ({ ...old, [key]: value })));
  };
  const shown = createRoot(root);
  shown.render(h(Page));
  return { state: () => now, close: () => shown.unmount() };
}

export const fruits = ["Apple", "Pear", "Plum"];
