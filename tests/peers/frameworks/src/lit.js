// Fields inside an open shadow root, their values bound as properties.

import { html, LitElement } from "lit";
import { plans, sizes, start, tags } from "./form.js";

class LitForm extends LitElement {
  static properties = { state: { state: true } };

  constructor() {
    super();
    this.state = start();
  }

  on(key, read = (field) => field.value) {
    return (event) => { this.state = { ...this.state, [key]: read(event.target) }; };
  }

  render() {
    const { state } = this;
    return html`<form>
      <label>Name <input .value=${state.name} @input=${this.on("name")}></label>
      <label>Message <textarea .value=${state.message} @input=${this.on("message")}></textarea></label>
      <label>Amount <input type="number" .value=${state.amount} @input=${this.on("amount", (field) => field.valueAsNumber)}></label>
      <label>Day <input type="date" .value=${state.day} @change=${this.on("day")}></label>
      <label>Volume <input type="range" min="0" max="10" step="5" .value=${state.volume} @input=${this.on("volume", (field) => field.valueAsNumber)}></label>
      <label><input type="checkbox" .checked=${state.agree} @change=${this.on("agree", (field) => field.checked)}>Agree</label>
      <fieldset><legend>Plan</legend>${plans.map(([value, label]) => html`
        <label><input type="radio" name="plan" value=${value} .checked=${state.plan === value} @change=${this.on("plan")}>${label}</label>`)}
      </fieldset>
      <label>Size <select @change=${this.on("size")}>${sizes.map(([value, label]) => html`
        <option value=${value} ?selected=${state.size === value}>${label}</option>`)}</select></label>
      <label>Tags <select multiple @change=${this.on("tags", (field) => [...field.selectedOptions].map((one) => one.value))}>
        ${tags.map(([value, label]) => html`<option value=${value}>${label}</option>`)}</select></label>
      <label>Lazy <input .value=${state.lazy} @change=${this.on("lazy")}></label>
    </form>`;
  }
}
customElements.define("lit-form", LitForm);

export async function mount(root) {
  const shown = root.appendChild(document.createElement("lit-form"));
  await shown.updateComplete;
  return { state: () => shown.state };
}
