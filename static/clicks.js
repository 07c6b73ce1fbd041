/**
 * Whether the person really clicked. The browser's own getters are taken when this is loaded:
 * a page script that replaces them later changes nothing here; one that ran before could.
 */

const { apply } = Reflect;
const getterOf = (object, name) => Object.getOwnPropertyDescriptor(object, name).get;
const trusted = getterOf(new Event("probe"), "isTrusted");
const type = getterOf(Event.prototype, "type");
const target = getterOf(Event.prototype, "currentTarget");

/**
 * True for a click or key press by the person on the element that listens for it. An object that
 * only claims to be an event is found out; an event caught elsewhere and handed on has another or
 * no current target.
 */
export function isRealClick(event) {
  try {
    return apply(trusted, event, []) === true && event.isTrusted === true
      && apply(type, event, []) === "click" && apply(target, event, []) !== null;
  } catch {
    return false;
  }
}
