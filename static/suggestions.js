/**
 * What an empty conversation offers to say, from the element's `suggestions`. Fetched only for
 * elements that have some; works before Python is there, as typing does.
 */

import { make } from "./elements.js";

const SHAPE = `<page-hand>: suggestions must be a JSON list of texts, such as ["What is on this page?"],`
  + ` or one such list for each language: {"en": [...], "zh-CN": [...]}`;

/** Draws the suggestions of the language in force, or none. */
export function drawSuggestions(shell) {
  let texts = [];
  try {
    texts = textsFor(shell.attribute("suggestions") || "[]", shell.lang);
  } catch {
    console.warn(SHAPE);
  }
  const box = shell.suggestions;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", shell.say("suggestions"));
  box.replaceChildren(...texts.map((text) => suggestion(shell, text)));
}

/** A language without a list of its own gets the English one, or the first there is. */
function textsFor(json, lang) {
  const given = JSON.parse(json);
  const lists = Array.isArray(given) ? { en: given } : given;
  const texts = lists[lang] ?? lists[lang.split("-")[0]] ?? lists.en ?? Object.values(lists)[0] ?? [];
  const fits = typeof given === "object" && texts.every((text) => typeof text === "string" && text.trim());
  if (!fits) throw new TypeError(SHAPE);
  return texts;
}

function suggestion(shell, text) {
  const button = make("button",
    { type: "button", class: "ph-suggestion", "data-action": "suggest", dir: "auto" }, text);
  // A press leaves the focus where it is; by key it goes to the field, as the button goes away.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", (event) => {
    if (event.detail > 1) return; // a double click says it once
    if (shell.textarea.value.trim()) add(shell.textarea, text);
    else shell.hooks.submit(text);
    if (event.detail === 0) shell.textarea.focus();
  });
  return button;
}

/** What is typed is neither sent nor lost: the suggestion stands below it, to be sent by the person. */
function add(textarea, text) {
  textarea.value = `${textarea.value.trimEnd()}\n${text}`;
  textarea.dispatchEvent(new InputEvent("input", { bubbles: true }));
  textarea.focus();
}
