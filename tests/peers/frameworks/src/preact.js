import { h, render } from "preact";
import { useState } from "preact/hooks";
import { plans, sizes, start, tags } from "./form.js";

let now;

function Form() {
  const [state, set] = useState(start);
  now = state;
  const on = (key, read = (field) => field.value) => (event) => {
    const value = read(event.currentTarget);
    set((old) => ({ ...old, [key]: value }));
  };
  const field = (label, tag, attributes, ...inside) => h("label", null, label, h(tag, attributes, ...inside));
  const options = (list) => list.map(([value, label]) => h("option", { value }, label));
  const figure = (element) => element.valueAsNumber;
  return h("form", null,
    field("Name", "input", { value: state.name, onInput: on("name") }),
    field("Message", "textarea", { value: state.message, onInput: on("message") }),
    field("Amount", "input", { type: "number", value: state.amount, onInput: on("amount", figure) }),
    field("Day", "input", { type: "date", value: state.day, onInput: on("day") }),
    field("Volume", "input", { type: "range", min: 0, max: 10, step: 5, value: state.volume, onInput: on("volume", figure) }),
    field("Agree", "input", { type: "checkbox", checked: state.agree, onChange: on("agree", (box) => box.checked) }),
    h("fieldset", null, h("legend", null, "Plan"), plans.map(([value, label]) =>
      field(label, "input", { type: "radio", name: "plan", value, checked: state.plan === value, onChange: on("plan") }))),
    field("Size", "select", { value: state.size, onChange: on("size") }, options(sizes)),
    field("Tags", "select", {
      multiple: true, onChange: on("tags", (list) => [...list.selectedOptions].map((one) => one.value)),
    }, options(tags)),
    field("Lazy", "input", { onBlur: on("lazy") }));
}

export function mount(root) {
  render(h(Form), root);
  return { state: () => now };
}
