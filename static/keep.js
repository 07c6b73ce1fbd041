/** Writing down what must survive the end of the page, and by whom. */

const GRACE = 500; // ms: a page or an element that goes lets go a little later

/**
 * Puts a text into an idb-keyval store. The transaction is closed at once: one that is still open
 * when the page goes is undone by the browser. Nobody waits for it: what fails is no error of the
 * page's, and the last words stay in `localStorage`.
 */
export function setNow(store, key, text) {
  return store("readwrite", (table) => {
    table.put(text, key);
    table.transaction.commit();
  }).catch(() => {});
}

/** All texts whose key begins so. */
export function texts(store, prefix) {
  return store("readonly", (table) => new Promise((resolve, reject) => {
    const asking = table.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
    asking.onsuccess = () => resolve(asking.result);
    asking.onerror = () => reject(asking.error);
  }));
}

/**
 * Holds a name for this page: gives a function that lets go of it (the browser does so when the
 * page goes), or null if somebody else holds it. Where there are no locks nobody is in the way.
 */
export async function hold(name) {
  // However busy the machine is: a name that is free is had.
  const now = await request(name, { ifAvailable: true });
  return now ?? request(name, { signal: AbortSignal.timeout(GRACE) });
}

/**
 * The same as soon as the name is free, however long that takes: gives `{held, giveUp}`, where
 * `held` is a promise of the function, or of null after `giveUp()`.
 */
export function holdLater(name) {
  const control = new AbortController();
  return { held: request(name, { signal: control.signal }), giveUp: () => control.abort() };
}

async function request(name, options) {
  if (!navigator.locks) return () => {};
  return new Promise((resolve) => {
    const given = (lock) => lock ? new Promise((release) => resolve(release)) : resolve(null);
    navigator.locks.request(name, options, given).catch((error) => {
      const taken = error.name === "TimeoutError" || error.name === "AbortError";
      resolve(taken ? null : () => {});
    });
  });
}

/** Talks to the other elements and tabs that use this name; what they say is text. */
export function channel(name, hear) {
  const open = new BroadcastChannel(name);
  open.onmessage = (event) => {
    if (typeof event.data === "string") hear(event.data);
  };
  return { say: (text) => open.postMessage(text), close: () => open.close() };
}
