/** Style sheets that are not needed at the start. */

/** Puts a sheet of ours into a shadow root, once; resolves when it is there, or cannot be had. */
export function addSheet(shadow, name) {
  const id = `ph-sheet-${name}`;
  if (shadow.getElementById(id)) return Promise.resolve();
  const link = document.createElement("link");
  link.id = id;
  link.rel = "stylesheet";
  link.href = new URL(`./css/${name}.css`, import.meta.url).href;
  const there = new Promise((done) => (link.onload = link.onerror = () => done()));
  shadow.append(link);
  return there;
}
