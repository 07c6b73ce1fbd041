// The order table: search, filter, sort, and the numbers above it.

import { keep, kept } from "./kept.js";
import { orders, STATUSES } from "./orders.js";

const view = { status: "all", search: "", column: "date", direction: "descending" };
const COLUMNS = ["id", "customer", "city", "date", "items", "amount", "status"];
const NUMERIC = new Set(["items", "amount"]);

const $ = (id) => document.getElementById(id);
const lang = () => document.documentElement.lang;
const formats = {}; // by language: to make one takes far longer than to use it
const format = () => (formats[lang()] ??= {
  money: new Intl.NumberFormat(lang(), { style: "currency", currency: "CNY", currencyDisplay: "narrowSymbol" }),
  day: new Intl.DateTimeFormat(lang(), { dateStyle: "medium", timeZone: "UTC" }),
});
const money = (value) => format().money.format(value);
const day = (iso) => format().day.format(new Date(iso));
const local = (pair) => pair[lang() === "zh-CN" ? 1 : 0];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function shown(t) {
  const needle = view.search.trim().toLowerCase();
  const text = (order) =>
    [order.id, local(order.customer), local(order.city), t(order.status)].join(" ").toLowerCase();
  const value = (order) => {
    const raw = order[view.column];
    return Array.isArray(raw) ? local(raw) : view.column === "status" ? STATUSES.indexOf(raw) : raw;
  };
  const sign = view.direction === "ascending" ? 1 : -1;
  const compare = (a, b) =>
    typeof a === "number" ? a - b : a.localeCompare(b, lang(), { numeric: true });
  return orders
    .filter((order) => view.status === "all" || order.status === view.status)
    .filter((order) => !needle || text(order).includes(needle))
    .sort((a, b) => sign * compare(value(a), value(b)) || b.id.localeCompare(a.id));
}

function drawRow(order, t) {
  return make("tr", { "data-id": order.id, "data-status": order.status },
    make("th", { scope: "row" }, order.id),
    make("td", {}, local(order.customer)),
    make("td", {}, local(order.city)),
    make("td", {}, make("time", { datetime: order.date }, day(order.date))),
    make("td", { class: "number" }, String(order.items)),
    make("td", { class: "number" }, money(order.amount)),
    make("td", {}, make("span", { class: `status status-${order.status}` }, t(order.status))));
}

function drawHead(t) {
  const cells = COLUMNS.map((column) => {
    const button = make("button", { type: "button" }, t(`col_${column}`));
    button.addEventListener("click", () => {
      const turned = view.direction === "ascending" ? "descending" : "ascending";
      view.direction = view.column === column ? turned : "ascending";
      view.column = column;
      drawOrders(t);
      $("orders-head").querySelector(`[data-column="${column}"] button`)?.focus();
    });
    const sort = view.column === column ? view.direction : "none";
    const shape = NUMERIC.has(column) ? { class: "number" } : {};
    return make("th", { scope: "col", "data-column": column, "aria-sort": sort, ...shape }, button);
  });
  $("orders-head").replaceChildren(make("tr", {}, ...cells));
}

function drawFilters(t) {
  const buttons = ["all", ...STATUSES].map((status) => {
    const pressed = String(view.status === status);
    const count = status === "all"
      ? orders.length : orders.filter((order) => order.status === status).length;
    const button = make("button", { type: "button", class: "chip", "aria-pressed": pressed },
      t(status), make("span", { class: "count" }, String(count)));
    button.addEventListener("click", () => {
      view.status = status;
      keep("desk.preferences", JSON.stringify({ filter: status, pageSize: 24 }));
      drawOrders(t);
    });
    return button;
  });
  $("orders-filter").replaceChildren(...buttons);
}

/** Draws the table and the tiles anew, in the page's present language. */
export function drawOrders(t) {
  const list = shown(t);
  drawHead(t);
  drawFilters(t);
  $("orders-body").replaceChildren(...list.map((order) => drawRow(order, t)));
  const items = list.reduce((sum, order) => sum + order.items, 0);
  const amount = list.reduce((sum, order) => sum + order.amount, 0);
  $("orders-foot").replaceChildren(make("tr", {},
    make("th", { scope: "row", colspan: "4" }, t("total")),
    make("td", { class: "number" }, String(items)),
    make("td", { class: "number" }, money(amount)), make("td")));
  $("orders-none").hidden = list.length > 0;
  for (const status of ["pending", "packing", "shipped"]) {
    $(`stat-${status}`).textContent = orders.filter((order) => order.status === status).length;
  }
  const sales = orders.filter((order) => order.status !== "cancelled");
  $("stat-sales").textContent = money(sales.reduce((sum, order) => sum + order.amount, 0));
}

export function wireOrders(t) {
  try {
    const filter = JSON.parse(kept("desk.preferences") ?? "{}").filter;
    if (STATUSES.includes(filter)) view.status = filter;
  } catch {
    // A preference that cannot be read is no preference.
  }
  $("orders-search").addEventListener("input", (event) => {
    view.search = event.target.value;
    drawOrders(t);
  });
}

/** Adds an order to the book and shows it. Returns its number. */
export function addOrder(order, t) {
  const id = `HP-${2052 + orders.filter((known) => known.added).length}`;
  orders.unshift({ ...order, id, status: "pending", added: true });
  drawOrders(t);
  return id;
}
