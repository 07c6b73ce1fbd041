/** Writing down what must survive the end of the page, and by whom. */

const GRACE = 500; // ms: a page or an element that goes lets go a little later

/**
 * Puts a text into an idb-keyval store. The transaction is closed at once: one that is still open
 * when the page goes is undone by the browser.
 */
export function setNow(store, key, text) {
  return store("readwrite", (table) => {
    table.put(text, key);
    table.transaction.commit();
  });
}

/**
 * Holds a name for this page: gives a function that lets go of it (the browser does so when the
 * page goes), or null if somebody else holds it. Where there are no locks nobody is in the way.
 */
export async function hold(name) {
  if (!navigator.locks) return () => {};
  return new Promise((resolve) => {
    const given = () => new Promise((release) => resolve(release));
    navigator.locks.request(name, { signal: AbortSignal.timeout(GRACE) }, given).catch((error) => {
      const taken = error.name === "TimeoutError" || error.name === "AbortError";
      resolve(taken ? null : () => {});
    });
  });
}
