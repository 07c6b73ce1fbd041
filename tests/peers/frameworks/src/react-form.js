// Controlled fields: React draws each value from the state, so what it did not notice is undone.

import { createElement as h, useState } from "react";
import { plans, sizes, start, tags } from "./form.js";

export const told = { state: null, changes: 0 };

const option = ([value, label]) => h("option", { key: value, value }, label);

export function Form() {
  const [state, set] = useState(start);
  told.state = state;
  const change = (key, value) => {
    if (key === "name") told.changes += 1;
    set((old) => ({ ...old, [key]: value }));
  };
  const text = (key, label, more = {}, read = (value) => value) =>
    h("label", null, label, h(more.tag ?? "input", {
      ...more, tag: undefined, value: state[key], onChange: (event) => change(key, read(event.target.value)),
    }));
  return h("form", null,
    text("name", "Name"),
    text("message", "Message", { tag: "textarea" }),
    text("amount", "Amount", { type: "number" }, Number),
    text("day", "Day", { type: "date" }),
    text("volume", "Volume", { type: "range", min: 0, max: 10, step: 5 }, Number),
    h("label", null, h("input", {
      type: "checkbox", checked: state.agree, onChange: (event) => change("agree", event.target.checked),
    }), "Agree"),
    h("fieldset", null, h("legend", null, "Plan"), plans.map(([value, label]) =>
      h("label", { key: value }, h("input", {
        type: "radio", name: "plan", value, checked: state.plan === value, onChange: () => change("plan", value),
      }), label))),
    text("size", "Size", { tag: "select", children: sizes.map(option) }),
    h("label", null, "Tags", h("select", {
      multiple: true, value: state.tags,
      onChange: (event) => change("tags", [...event.target.selectedOptions].map((one) => one.value)),
    }, tags.map(option))),
    h("label", null, "Lazy", h("input", { defaultValue: "", onBlur: (event) => change("lazy", event.target.value) })));
}
