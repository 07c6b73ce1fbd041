import { mount as draw } from "svelte";
import Form from "./Form.svelte";

export function mount(root) {
  const shown = draw(Form, { target: root });
  return { state: () => shown.read() };
}
