// Compiled in the page (JIT). Angular rewrites the values of options ("0: 'a'").

import "@angular/compiler";
import { Component } from "@angular/core";
import { FormControl, FormGroup, ReactiveFormsModule } from "@angular/forms";
import { createApplication } from "@angular/platform-browser";
import { plans, sizes, start, tags } from "./form.js";

const Form = Component({
  selector: "app-form",
  imports: [ReactiveFormsModule],
  template: `<form [formGroup]="form">
    <label>Name <input formControlName="name"></label>
    <label>Message <textarea formControlName="message"></textarea></label>
    <label>Amount <input type="number" formControlName="amount"></label>
    <label>Day <input type="date" formControlName="day"></label>
    <label>Volume <input type="range" min="0" max="10" step="5" formControlName="volume"></label>
    <label><input type="checkbox" formControlName="agree">Agree</label>
    <fieldset><legend>Plan</legend>
      @for (one of plans; track one[0]) {
        <label><input type="radio" formControlName="plan" [value]="one[0]">{{ one[1] }}</label>
      }
    </fieldset>
    <label>Size <select formControlName="size">
      @for (one of sizes; track one[0]) { <option [ngValue]="one[0]">{{ one[1] }}</option> }
    </select></label>
    <label>Tags <select multiple formControlName="tags">
      @for (one of tags; track one[0]) { <option [ngValue]="one[0]">{{ one[1] }}</option> }
    </select></label>
    <label>Lazy <input formControlName="lazy"></label>
  </form>`,
})(class {
  form = new FormGroup(Object.fromEntries(Object.entries(start()).map(([key, value]) =>
    [key, new FormControl(value, { updateOn: key === "lazy" ? "blur" : "change" })])));
  plans = plans;
  sizes = sizes;
  tags = tags;
});

export async function mount(root) {
  const place = root.appendChild(document.createElement("app-form"));
  const application = await createApplication();
  const shown = application.bootstrap(Form, place);
  return { state: () => shown.instance.form.value };
}
