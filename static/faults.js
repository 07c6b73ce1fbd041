/** Says what is wrong with a file of the runtime. Loaded only when something has failed. */

const PATIENCE = 15_000;
const TYPES = { mjs: /javascript/, js: /javascript/, wasm: /^application\/wasm/ };

/**
 * Fetches a file once more and looks at it; null if nothing is wrong.
 * `file` has `path`, and `size` and `integrity` if its content is known.
 */
export async function faultIn(url, file) {
  const { path } = file;
  let response, bytes;
  try {
    // Not from the cache: it may hold the very fault, and another try must not find it there.
    response = await fetch(url, { cache: "reload", signal: AbortSignal.timeout(PATIENCE) });
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    const text = cause.name === "TimeoutError"
      ? `${path} could not be fetched: its server does not answer.`
      : `${path} could not be fetched: no connection, or forbidden by the page's Content-Security-Policy or by the other origin (CORS).`;
    return { code: "blocked", text, cause };
  }
  if (!response.ok) return { code: "missing-file", text: `${path} is missing (HTTP ${response.status}).` };
  const type = response.headers.get("content-type") ?? "";
  const wanted = TYPES[path.split(".").pop()];
  if (wanted ? !wanted.test(type) : /text\/html/.test(type)) {
    return { code: "bad-type", text: `${path} was served as "${type}": the server must give it its own type.` };
  }
  if (file.size === undefined || (await verified(bytes, file))) return null;
  return { code: "bad-hash", text: `${path} is not the file that was built: it is cut short or was changed.` };
}

async function verified(bytes, { size, integrity }) {
  if (bytes.length !== size) return false;
  // Browsers offer hashing only to secure pages.
  if (!globalThis.crypto?.subtle) return true;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return integrity === `sha256-${btoa(String.fromCharCode(...hash))}`;
}
