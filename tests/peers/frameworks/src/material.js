import "@material/web/checkbox/checkbox.js";
import "@material/web/radio/radio.js";
import "@material/web/select/outlined-select.js";
import "@material/web/select/select-option.js";
import "@material/web/slider/slider.js";
import "@material/web/switch/switch.js";
import "@material/web/textfield/outlined-text-field.js";

export async function mount(root) {
  root.innerHTML = `<form>
    <md-outlined-text-field name="name" label="Name"></md-outlined-text-field>
    <md-outlined-text-field name="note" label="Note" type="textarea"></md-outlined-text-field>
    <md-outlined-select name="fruit" label="Fruit">
      <md-select-option value="apple"><div slot="headline">Apple</div></md-select-option>
      <md-select-option value="pear"><div slot="headline">Pear</div></md-select-option></md-outlined-select>
    <label><md-checkbox name="agree" value="yes"></md-checkbox> Agree</label>
    <label>Dark <md-switch name="dark" value="yes"></md-switch></label>
    <div role="radiogroup" aria-label="Plan">
      <label><md-radio name="plan" value="free" checked></md-radio> Free</label>
      <label><md-radio name="plan" value="pro"></md-radio> Pro</label></div>
    <md-slider name="volume" aria-label="Volume" max="10" step="5" value="0"></md-slider>
  </form>`;
  await Promise.all([...root.querySelectorAll("form *")].map((one) => one.updateComplete));
  return { state: () => Object.fromEntries(new FormData(root.firstElementChild)) };
}
