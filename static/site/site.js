// The shop's own script: language, theme, account corner and shift note. It knows nothing of the
// assistant, except that it hands its theme on to it, as any site would.

import { drawOrders, wireOrders } from "./desk.js";
import { wireForm } from "./form.js";
import { keep, kept } from "./kept.js";
import { words } from "./words.js";

const root = document.documentElement;
const $ = (id) => document.getElementById(id);

/** The text for a key in the page's language, with {name} filled in. */
export function t(key, values = {}) {
  const [english, chinese] = words[key] ?? [key, key];
  const text = root.lang === "zh-CN" ? chinese : english;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

function translate() {
  document.title = t("title");
  for (const element of document.querySelectorAll("[data-t]")) {
    const text = t(element.dataset.t);
    // The page comes in English: the same words again would only be laid out again.
    if (element.textContent !== text) element.textContent = text;
  }
  for (const element of document.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
  }
  for (const element of document.querySelectorAll("[data-t-placeholder]")) {
    element.setAttribute("placeholder", t(element.dataset.tPlaceholder));
  }
  showAccount();
  showThemeName();
  drawOrders(t);
}

function showAccount() {
  const account = $("account");
  account.dataset.name = t("user_name");
  account.dataset.department = t("user_department");
}

function setLanguage(lang) {
  root.lang = lang;
  keep("desk.lang", lang);
  translate();
}

function isDark() {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showThemeName() {
  $("theme").setAttribute("aria-label", t(isDark() ? "to_light" : "to_dark"));
  $("theme").title = t(isDark() ? "to_light" : "to_dark");
}

function setTheme(theme) {
  root.dataset.theme = theme;
  keep("desk.theme", theme);
  document.querySelector("page-hand")?.setAttribute("theme", theme);
  showThemeName();
}

function wireNote() {
  const note = $("shift-note");
  const state = $("note-state");
  note.value = kept("desk.note") ?? "";
  note.addEventListener("input", () => {
    keep("desk.note", note.value);
    state.textContent = t("note_saved");
  });
  // Another tab, or the assistant, may write the same key.
  const refresh = () => {
    if (document.activeElement !== note) note.value = kept("desk.note") ?? "";
  };
  addEventListener("storage", refresh);
  addEventListener("focus", refresh);
}

function start() {
  const asked = new URLSearchParams(location.search).get("lang");
  const lang = asked ?? kept("desk.lang") ?? navigator.language;
  root.lang = lang.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
  const theme = kept("desk.theme");
  if (theme === "dark" || theme === "light") setTheme(theme);
  keep("desk.session", JSON.stringify({ user: "wei.zhang", accessToken: "demo-not-a-real-token" }));
  $("language").addEventListener("click", () => setLanguage(root.lang === "zh-CN" ? "en" : "zh-CN"));
  $("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  wireNote();
  wireOrders(t);
  wireForm(t);
  translate();
}

start();
