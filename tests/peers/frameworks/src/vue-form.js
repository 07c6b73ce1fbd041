import { plans, sizes, start, tags } from "./form.js";

export const form = {
  data: () => ({ ...start(), plans, sizes, choices: tags }),
  methods: {
    read() {
      return JSON.parse(JSON.stringify(Object.fromEntries(Object.keys(start()).map((key) => [key, this[key]]))));
    },
  },
  template: `<form>
    <label>Name <input v-model="name"></label>
    <label>Message <textarea v-model="message"></textarea></label>
    <label>Amount <input type="number" v-model.number="amount"></label>
    <label>Day <input type="date" v-model="day"></label>
    <label>Volume <input type="range" min="0" max="10" step="5" v-model.number="volume"></label>
    <label><input type="checkbox" v-model="agree">Agree</label>
    <fieldset><legend>Plan</legend>
      <label v-for="[value, label] in plans"><input type="radio" name="plan" :value="value" v-model="plan">{{ label }}</label>
    </fieldset>
    <label>Size <select v-model="size"><option v-for="[value, label] in sizes" :value="value">{{ label }}</option></select></label>
    <label>Tags <select multiple v-model="tags"><option v-for="[value, label] in choices" :value="value">{{ label }}</option></select></label>
    <label>Lazy <input v-model.lazy="lazy"></label>
  </form>`,
};
