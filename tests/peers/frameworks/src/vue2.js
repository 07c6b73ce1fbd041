import Vue from "vue";
import { form } from "./vue-form.js";

export function mount(root) {
  const shown = new Vue(form).$mount();
  root.append(shown.$el);
  return { state: () => shown.read() };
}
