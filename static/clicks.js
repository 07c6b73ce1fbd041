/**
 * Whether the person really clicked, and there.
 *
 * A browser also calls a click trusted that the person made on something else: a label hands it
 * on to its control, a form to its default button, an access key to its element, a pointer that
 * was captured to whoever captured it. A script of the page can arrange each of these. So what is
 * pressed is noted in the moment of the press, and a click counts where the press was.
 *
 * The listeners stand first on the window and the browser's own getters are taken when this is
 * loaded: a script that comes later can neither keep an event from us nor change what it says.
 * One that ran before could.
 */

const { apply } = Reflect;
const getterOf = (object, name) => Object.getOwnPropertyDescriptor(object, name).get;
const reader = (object, name) => {
  const get = getterOf(object, name);
  return (from) => apply(get, from, []);
};
const caller = (object, name) => {
  const method = object[name];
  return (from, a, b) => apply(method, from, [a, b]);
};

const trusted = reader(new Event("probe"), "isTrusted");
const typeOf = reader(Event.prototype, "type");
const currentTargetOf = reader(Event.prototype, "currentTarget");
const timeOf = reader(Event.prototype, "timeStamp");
const pathOf = caller(Event.prototype, "composedPath");
const detailOf = reader(UIEvent.prototype, "detail");
const xOf = reader(MouseEvent.prototype, "clientX");
const yOf = reader(MouseEvent.prototype, "clientY");
const keyOf = reader(KeyboardEvent.prototype, "key");
const repeats = reader(KeyboardEvent.prototype, "repeat");
const composes = reader(KeyboardEvent.prototype, "isComposing");
const [withCtrl, withAlt, withMeta] = ["ctrlKey", "altKey", "metaKey"].map((name) => reader(KeyboardEvent.prototype, name));
const nameOf = reader(Element.prototype, "localName");
const boxOf = caller(Element.prototype, "getBoundingClientRect");
const [leftOf, topOf, rightOf, bottomOf] = ["left", "top", "right", "bottom"].map((name) => reader(DOMRectReadOnly.prototype, name));
const rootOf = caller(Node.prototype, "getRootNode");
const contains = caller(Node.prototype, "contains");
const inputTypeOf = reader(HTMLInputElement.prototype, "type");
const LABELLED = {
  __proto__: null,
  button: reader(HTMLButtonElement.prototype, "labels"),
  input: reader(HTMLInputElement.prototype, "labels"),
  select: reader(HTMLSelectElement.prototype, "labels"),
  textarea: reader(HTMLTextAreaElement.prototype, "labels"),
};
const FORMS = {
  button: reader(HTMLButtonElement.prototype, "form"),
  input: reader(HTMLInputElement.prototype, "form"),
};
const countOf = reader(NodeList.prototype, "length");
const hitIn = [caller(Document.prototype, "elementFromPoint"), caller(ShadowRoot.prototype, "elementFromPoint")];
const firstIn = [caller(Document.prototype, "querySelector"), caller(DocumentFragment.prototype, "querySelector")];

const set = (...names) => Object.assign(Object.create(null), Object.fromEntries(names.map((name) => [name, true])));
const MODIFIERS = set("Shift", "Control", "Alt", "AltGraph", "Meta", "OS", "Fn", "CapsLock", "NumLock", "Dead");
const BUTTONS = set("submit", "image", "button", "reset");
const TYPING = 500; // milliseconds in which a key that follows a character is still typing
const AT_ONCE = 300; // milliseconds in which a click is a key's doing

let pressed = []; // where the pointer went down, inside out
let key = { name: "", path: [], at: -Infinity }; // the key that went down last, and where
let stirred = -Infinity; // when any key but a modifier moved
let typing = -Infinity; // when a character was typed, unless the person left that place by a key
let typed = -Infinity; // when a character was typed, or a key held down
let click = null; // the trusted click that is on its way

function onPress(event) {
  if (trusted(event)) pressed = pathOf(event);
}

function onKey(event) {
  if (!trusted(event)) return;
  const name = keyOf(event);
  const at = timeOf(event);
  if (name in MODIFIERS) return;
  stirred = at;
  if (typeOf(event) === "keyup") return;
  const again = repeats(event);
  if (!again) key = { name, path: pathOf(event), at };
  const plain = !withCtrl(event) && !withAlt(event) && !withMeta(event);
  if (composes(event) || name === "Process" || (plain && name.length === 1 && name !== " ")) typed = typing = at;
  else if (again && presses(name)) typed = at;
  else if (!presses(name)) typing = -Infinity;
}

/** Runs before anything else hears of the click: afterwards a script may have tidied up. */
function onClick(event) {
  if (!trusted(event)) return;
  const path = pathOf(event);
  const target = path[0];
  const at = timeOf(event);
  click = { event, target, direct: false, byPointer: detailOf(event) > 0, byKey: false, alone: false };
  if (click.byPointer) {
    click.direct = has(pressed, target) && under(event, target);
  } else if (presses(key.name) && has(key.path, target)) {
    click.byKey = true;
    click.direct = at - typing >= TYPING;
  } else {
    click.byKey = at - stirred < AT_ONCE;
    // Neither pointer nor key: what a screen reader or a voice presses.
    click.alone = !click.byKey && inRoot(firstIn, rootOf(target), "[accesskey]") === null;
    click.direct = click.alone && labelCount(target) === 0;
  }
}

/**
 * True for a click, or a press of Enter or Space, by the person on the element that listens for it.
 *
 * An object that only claims to be an event is found out; an event caught elsewhere and handed on
 * has another or no current target.
 *
 * @param within Also takes a click on a field that a label in here handed on, or a form's button
 *   that the person's Enter in a field in here pressed.
 */
export function isRealClick(event, within = null) {
  try {
    return click?.event === event && trusted(event) && event.isTrusted === true && typeOf(event) === "click"
      && currentTargetOf(event) !== null && (click.direct || (within !== null && handedOn(within)));
  } catch {
    return false;
  }
}

/** When a character was last typed or a key held down, on the clock of events' time stamps. */
export function lastTyped() {
  return typed;
}

function handedOn(place) {
  const { target } = click;
  const name = nameOf(target);
  if (name === "button" || (name === "input" && inputTypeOf(target) in BUTTONS)) return sentIn(place, name);
  if (!(name in LABELLED)) return false;
  if (click.byPointer) return has(pressed, place);
  if (click.byKey) return has(key.path, place);
  if (!click.alone) return false;
  const labels = LABELLED[name](target);
  for (let n = 0; n < labelCount(target); n++) if (!contains(place, labels[n])) return false;
  return true;
}

/** Whether Enter in a field of the same form, in here, pressed the form's button. */
function sentIn(place, name) {
  const field = key.path[0];
  if (!click.byKey || key.name !== "Enter" || !has(key.path, place) || nameOf(field) !== "input") return false;
  const form = FORMS[name](click.target);
  return form !== null && FORMS.input(field) === form;
}

function presses(name) {
  return name === "Enter" || name === " ";
}

function has(path, node) {
  for (let n = 0; n < path.length; n++) if (path[n] === node) return true;
  return false;
}

function labelCount(element) {
  const name = nameOf(element);
  const labels = name in LABELLED ? LABELLED[name](element) : null; // a hidden input has none
  return labels === null ? 0 : countOf(labels);
}

/** Whether the pointer was on it when it went up, and not only when it went down. */
function under(event, element) {
  const x = xOf(event);
  const y = yOf(event);
  const box = boxOf(element);
  const inside = leftOf(box) - 1 <= x && x <= rightOf(box) + 1 && topOf(box) - 1 <= y && y <= bottomOf(box) + 1;
  if (inside) return true;
  const hit = inRoot(hitIn, rootOf(element), x, y);
  return hit !== null && contains(element, hit);
}

/** One of a pair of methods, for the document or for a shadow root. */
function inRoot(pair, root, a, b) {
  return pair[root === document ? 0 : 1](root, a, b);
}

const options = { capture: true, passive: true };
for (const name of ["pointerdown", "mousedown", "touchstart"]) addEventListener(name, onPress, options);
for (const name of ["keydown", "keyup"]) addEventListener(name, onKey, options);
addEventListener("click", onClick, options);
