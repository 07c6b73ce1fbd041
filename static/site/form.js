// The order form: checks what the browser can check, then adds the order to the table.

import { addOrder } from "./desk.js";

const PRICES = { lamp: 149, kettle: 89, blanket: 129 };

export function wireForm(t) {
  const form = document.getElementById("order-form");
  const state = document.getElementById("order-state");
  const message = form.elements.namedItem("message");
  const left = document.getElementById("message-left");
  const count = () => {
    left.textContent = `${message.value.length} / ${message.maxLength}`;
  };
  message.addEventListener("input", count);
  form.addEventListener("reset", () => {
    state.textContent = "";
    setTimeout(count);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const name = String(data.get("username"));
    const items = Number(data.get("quantity"));
    const today = new Date().toISOString().slice(0, 10);
    const id = addOrder({
      customer: [name, name],
      city: ["—", "—"],
      date: String(data.get("date")) || today,
      items,
      amount: items * (PRICES[data.get("product")] ?? 0),
    }, t);
    form.reset();
    state.textContent = t("saved", { id });
  });
  count();
}
