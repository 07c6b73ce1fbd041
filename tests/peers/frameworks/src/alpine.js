import Alpine from "alpinejs";
import { plans, sizes, start, tags } from "./form.js";

Alpine.data("page", () => ({ state: start(), plans, sizes, tags }));
let started = false;

export function mount(root) {
  root.innerHTML = `<form x-data="page">
    <label>Name <input x-model="state.name"></label>
    <label>Message <textarea x-model="state.message"></textarea></label>
    <label>Amount <input type="number" x-model.number="state.amount"></label>
    <label>Day <input type="date" x-model="state.day"></label>
    <label>Volume <input type="range" min="0" max="10" step="5" x-model.number="state.volume"></label>
    <label><input type="checkbox" x-model="state.agree">Agree</label>
    <fieldset><legend>Plan</legend><template x-for="one in plans">
      <label><input type="radio" name="plan" :value="one[0]" x-model="state.plan"><span x-text="one[1]"></span></label>
    </template></fieldset>
    <label>Size <select x-model="state.size"><template x-for="one in sizes"><option :value="one[0]" x-text="one[1]"></option></template></select></label>
    <label>Tags <select multiple x-model="state.tags"><template x-for="one in tags"><option :value="one[0]" x-text="one[1]"></option></template></select></label>
    <label>Lazy <input x-model.lazy="state.lazy"></label>
  </form>`;
  if (!started) Alpine.start();
  started = true;
  return { state: () => JSON.parse(JSON.stringify(Alpine.$data(root.firstElementChild).state)) };
}
