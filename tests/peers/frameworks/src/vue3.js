import { createApp } from "vue";
import { form } from "./vue-form.js";

export function mount(root) {
  const application = createApp(form);
  const shown = application.mount(root);
  return { state: () => shown.read(), close: () => application.unmount() };
}
