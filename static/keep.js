/** Writing down what must survive the end of the page. */

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
