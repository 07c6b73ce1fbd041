import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { Form, told } from "./react-form.js";

export function mount(root) {
  const shown = createRoot(root);
  shown.render(createElement(Form));
  told.changes = 0;
  return { state: () => told.state, changes: () => told.changes, close: () => shown.unmount() };
}
