import "@shoelace-style/shoelace/dist/themes/light.css";
import "@shoelace-style/shoelace/dist/components/checkbox/checkbox.js";
import "@shoelace-style/shoelace/dist/components/input/input.js";
import "@shoelace-style/shoelace/dist/components/option/option.js";
import "@shoelace-style/shoelace/dist/components/radio-group/radio-group.js";
import "@shoelace-style/shoelace/dist/components/radio/radio.js";
import "@shoelace-style/shoelace/dist/components/range/range.js";
import "@shoelace-style/shoelace/dist/components/select/select.js";
import "@shoelace-style/shoelace/dist/components/switch/switch.js";
import "@shoelace-style/shoelace/dist/components/textarea/textarea.js";

export async function mount(root) {
  root.innerHTML = `<form>
    <sl-input name="name" label="Name"></sl-input>
    <sl-textarea name="note" label="Note"></sl-textarea>
    <sl-select name="fruit" label="Fruit"><sl-option value="apple">Apple</sl-option><sl-option value="pear">Pear</sl-option></sl-select>
    <sl-select name="tags" label="Tags" multiple>
      <sl-option value="a">Alpha</sl-option><sl-option value="b">Beta</sl-option><sl-option value="c">Gamma</sl-option></sl-select>
    <sl-checkbox name="agree" value="yes">Agree</sl-checkbox>
    <sl-switch name="dark" value="yes">Dark</sl-switch>
    <sl-radio-group name="plan" label="Plan" value="free"><sl-radio value="free">Free</sl-radio><sl-radio value="pro">Pro</sl-radio></sl-radio-group>
    <sl-range name="volume" label="Volume" max="10" step="5"></sl-range>
  </form>`;
  const heard = [];
  for (const kind of ["sl-input", "sl-change"]) {
    root.addEventListener(kind, ({ target }) => heard.push(`${kind} ${target.name}`));
  }
  await Promise.all([...root.querySelectorAll("form > *")].map((one) => one.updateComplete));
  const state = () => {
    const form = new FormData(root.firstElementChild);
    return Object.fromEntries([...new Set(form.keys())].map((key) => [key, key === "tags" ? form.getAll(key) : form.get(key)]));
  };
  return { state, heard: () => heard };
}
