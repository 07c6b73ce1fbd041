/**
 * Starts Python in the page: one start for both doors. `<page-hand>` calls `startRuntime`;
 * PyScript names this module as its interpreter and calls `loadPyodide`.
 *
 * Whatever is missing, blocked, mistyped or damaged gives a rejected `StartError` with a code and
 * the file's name, never a hang, and the next call starts anew.
 */

const VENDOR = new URL("./vendor/", import.meta.url);
const PLACES = {
  boot: "/lib/python314.zip",
  app: "/lib/pagehand.zip",
};
const placeOf = (archive) => `/lib/${archive}.zip`;
const SITE_PACKAGES = "/lib/python3.14/site-packages";

/** Tells of `progress`, `failed` and `ready`, whoever started the runtime. */
export const progress = new EventTarget();

/** The version of Pyodide, once the manifest is read; PyScript asks for it. */
export let version = "";

const modules = new Map();
const awaited = [];
let attempt = 0;
let starting = null;
let running = null;
let latest = null;
let later = {};

/**
 * A start that failed. `code` is one of `missing-file`, `blocked`, `bad-type`, `bad-hash`,
 * `no-wasm` and `python`; `file` is the path below static/vendor, or null.
 */
export class StartError extends Error {
  constructor(code, file, text, cause) {
    super(text, { cause });
    this.name = "StartError";
    this.code = code;
    this.file = file;
  }
}

/** Starts Python once per page; every call gets the same interpreter. */
export async function startRuntime({ onProgress, options } = {}) {
  const listener = onProgress && ((event) => onProgress(event.detail));
  if (listener) {
    if (latest) onProgress(latest);
    progress.addEventListener("progress", listener);
  }
  try {
    starting ??= start(options).catch((error) => {
      starting = running = latest = null;
      throw error;
    });
    const pyodide = await starting;
    await Promise.all(awaited);
    return pyodide;
  } finally {
    if (listener) progress.removeEventListener("progress", listener);
  }
}

/** Python is handed to nobody before this promise is settled. */
export function handOutAfter(promise) {
  awaited.push(promise.catch(() => {}));
}

/** What PyScript calls: the same start, with PyScript's own wishes about output. */
export async function loadPyodide(options = {}) {
  const { stdout, stderr } = options;
  const joins = starting !== null;
  const pyodide = await startRuntime({ options: { stdout, stderr } });
  if (joins && stdout) pyodide.setStdout({ batched: stdout });
  if (joins && stderr) pyodide.setStderr({ batched: stderr });
  return pyodide;
}

/**
 * Makes a JavaScript object importable from Python, now or as soon as Python is there. Who comes
 * first keeps the name: a page script cannot put its own in the place of ours.
 */
export function registerModule(name, object) {
  if (modules.has(name)) throw new Error(`registerModule: ${name} is registered already`);
  modules.set(name, object);
  running?.pyodide.registerJsModule(name, object);
}

/** Fetches pydantic, jsonschema and what they need, and puts them on Python's path. */
export function optionalPackages() {
  return once("packages", async () => {
    const { manifest, pyodide } = await started();
    report("packages", 0);
    const [packages, extension] = await fetchPackages(manifest);
    const folder = `${SITE_PACKAGES}/pydantic_core`;
    pyodide.FS.mkdirTree(folder);
    pyodide.FS.writeFile(`${folder}/${manifest.extension}`, extension, { canOwn: true });
    place("packages", packages);
    report("packages", 1);
  });
}

/**
 * Fetches what a Python text seems to import from the archives that a start leaves out. Without it
 * such an import works too, but the page stands still while its archive is fetched.
 */
export async function prepareFor(source) {
  const { manifest, boot } = await started();
  const names = boot.needed_archives(source).split(" ").filter(Boolean);
  await Promise.all(names.map((name) => {
    if (name === "packages") return optionalPackages();
    return once(name, async () => place(name, await fetchFile(manifest.files[name])));
  }));
}

function once(name, work) {
  later[name] ??= work().catch((error) => {
    later[name] = null;
    throw error;
  });
  return later[name];
}

async function started() {
  if (!starting) throw new StartError("python", null, "Python has not been started in this page.");
  await starting;
  return running;
}

// --- the start ---------------------------------------------------------------------------------

async function start(options) {
  attempt += 1;
  later = {};
  let manifest = null;
  try {
    requireWasm();
    report("download", 0);
    manifest = await readManifest();
    version = manifest.version;
    const pyodide = await boot(manifest, options);
    report("start", 1);
    progress.dispatchEvent(new CustomEvent("ready"));
    return pyodide;
  } catch (error) {
    const failure = await explain(error, manifest);
    progress.dispatchEvent(new CustomEvent("failed", { detail: failure }));
    throw failure;
  }
}

function requireWasm() {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    if (!WebAssembly.instantiateStreaming) throw new TypeError("no instantiateStreaming");
  } catch (error) {
    throw new StartError(
      "no-wasm",
      null,
      "WebAssembly is not available: the browser is too old, or the page's Content-Security-Policy lacks 'wasm-unsafe-eval' in script-src.",
      error,
    );
  }
}

async function readManifest() {
  const path = "manifest.js";
  try {
    return (await import(again(new URL(path, VENDOR)))).default;
  } catch (error) {
    throw await faultOf({ path }, error);
  }
}

async function boot(manifest, options) {
  const { files } = manifest;
  const arrived = counter(files);
  const broken = Promise.withResolvers();
  const library = fetchFile(files.boot).then(arrived("boot"));
  const app = fetchFile(files.app).then(arrived("app"));
  const asm = importFile(files.asm).then(arrived("asm"));
  const engine = importFile(files.module).then(arrived("module"));
  const wasmArrived = () => {
    arrived("wasm")();
    report("start", 0);
    // The line is free now, and Python's own start keeps only the processor busy.
    Promise.all([app, library]).then(() => fetchPackages(manifest)).catch(() => {});
  };
  const load = async () => {
    const { loadPyodide: load } = await engine;
    return load({
      ...settings(manifest, options),
      createPyodideModule: async (settings) => {
        guardWasm(settings, broken.reject, wasmArrived);
        giveLibrary(settings, library);
        const { default: make } = await asm;
        return withoutStacks(() => make(settings));
      },
    });
  };
  // Whoever fails first decides, whatever the others are waiting for.
  for (const part of [library, app, asm, engine]) part.catch(broken.reject);
  const [pyodide, bytes] = await Promise.race([Promise.all([load(), app]), broken.promise]);
  finish(pyodide, manifest, bytes);
  return pyodide;
}

function settings(manifest, options = {}) {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const folder = new URL("./", new URL(manifest.files.wasm.path, VENDOR)).href;
  return {
    ...given,
    // There are no time zone files; without this, looking for them takes longer than all else.
    env: { PYTHONTZPATH: "" },
    indexURL: folder,
    packageBaseUrl: folder,
    stdLibURL: new URL(manifest.files.module.path, VENDOR).href,
    lockFileContents: { info: manifest.info, packages: {} },
  };
}

/** Pyodide makes errors that nobody reads; for their stacks V8 would parse the whole module again. */
function withoutStacks(work) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The interpreter is up: our archive, our modules, the finder of late modules. */
function finish(pyodide, manifest, app) {
  pyodide.FS.writeFile(PLACES.app, app, { canOwn: true });
  for (const [name, object] of modules) pyodide.registerJsModule(name, object);
  const boot = pyodide.pyimport("sitecustomize");
  boot.fetch_late_archives_with(placeAtOnce);
  boot.add_archive(PLACES.app);
  running = { pyodide, manifest, boot };
}

/** Pyodide waits for ever for a `.wasm` that fails: its own streaming call tells us of it. */
function guardWasm(settings, fail, received) {
  const instantiate = settings.instantiateWasm;
  settings.instantiateWasm = (imports, receive) => {
    const real = WebAssembly.instantiateStreaming;
    const restore = () => {
      if (WebAssembly.instantiateStreaming === watched) WebAssembly.instantiateStreaming = real;
    };
    function watched(...given) {
      const result = real.apply(WebAssembly, given);
      if (given[1] === imports) {
        restore();
        result.catch(fail);
      }
      return result;
    }
    WebAssembly.instantiateStreaming = watched;
    return instantiate(imports, (...instance) => {
      received();
      receive(...instance);
    });
  };
}

/**
 * Puts the library where Pyodide would: fetched by us, because a library that is missing, or cut
 * short, kills Pyodide with a riddle. What it fetches itself is a file that is there already.
 */
function giveLibrary(settings, library) {
  const install = settings.preRun[0];
  settings.preRun[0] = async (module) => {
    module.addRunDependency("pagehand-library");
    await install(module);
    // If it cannot be had, the start has failed already, and the interpreter must not begin.
    const bytes = await library.catch(() => new Promise(() => {}));
    module.FS.writeFile(PLACES.boot, bytes, { canOwn: true });
    module.removeRunDependency("pagehand-library");
  };
}

// --- files -------------------------------------------------------------------------------------

async function importFile(file) {
  const url = again(new URL(file.path, VENDOR));
  // The only way to have a module checked against its hash: whoever imports it joins this request.
  const link = Object.assign(document.createElement("link"), {
    rel: "modulepreload", href: url, integrity: file.integrity,
  });
  document.head.append(link);
  try {
    return await import(url);
  } catch (error) {
    throw await faultOf(file, error);
  } finally {
    link.remove();
  }
}

async function fetchFile(file) {
  try {
    const response = await fetch(new URL(file.path, VENDOR), { integrity: file.integrity });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
  } catch { /* Found out below: the browser does not say why. */ }
  throw await faultOf(file);
}

/** Both files of the optional packages; asked for early, while Python itself starts. */
function fetchPackages({ files }) {
  later.fetched ??= Promise.all([fetchFile(files.packages), fetchFile(files.extension)]);
  later.fetched.catch(() => (later.fetched = null));
  return later.fetched;
}

/** A browser remembers a module that failed: another try needs another address. */
function again(url) {
  if (attempt > 1) url.searchParams.set("retry", attempt);
  return url.href;
}

/** Python imports something from a late archive and cannot wait. */
function placeAtOnce(name) {
  const file = running.manifest.files[name];
  const request = new XMLHttpRequest();
  request.open("GET", new URL(file.path, VENDOR), false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  const text = request.responseText;
  if (request.status !== 200 || text.length !== file.size) {
    throw new StartError("missing-file", file.path, `${file.path} could not be fetched.`);
  }
  place(name, Uint8Array.from(text, (char) => char.charCodeAt(0)));
}

/** Puts an archive on Python's path, unless an import was faster. */
function place(name, bytes) {
  const { pyodide, boot } = running;
  const path = placeOf(name);
  if (pyodide.FS.analyzePath(path).exists) return;
  pyodide.FS.writeFile(path, bytes, { canOwn: true });
  boot.add_archive(path);
}

// --- what went wrong ---------------------------------------------------------------------------

/** Turns any failure into a StartError: looks at the files of the start until one is at fault. */
async function explain(error, manifest) {
  if (error instanceof StartError) return error;
  for (const name of manifest ? ["wasm", "boot", "asm", "module", "app"] : []) {
    const fault = await look(manifest.files[name]);
    if (fault) return fault;
  }
  const text = String(error?.message ?? error);
  if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError) {
    return new StartError("no-wasm", manifest?.files.wasm.path ?? null, `WebAssembly failed: ${text}`, error);
  }
  return new StartError("python", null, `Python did not start: ${text}`, error);
}

/** What is wrong with a file that failed: always an error, if only that it failed. */
async function faultOf(file, error) {
  const why = error ? `: ${error.message}` : ".";
  return (await look(file)) ?? new StartError("blocked", file.path, `${file.path} could not be loaded${why}`, error);
}

async function look(file) {
  try {
    const { faultIn } = await import(again(new URL("./faults.js", import.meta.url)));
    const fault = await faultIn(new URL(file.path, VENDOR), file);
    return fault && new StartError(fault.code, file.path, fault.text, fault.cause);
  } catch (error) {
    return new StartError("blocked", file.path, `${file.path} could not be fetched: no connection to its server.`, error);
  }
}

// --- progress ----------------------------------------------------------------------------------

const SHARES = { download: [0, 0.6], start: [0.6, 0.9], packages: [0.9, 1] };

function report(stage, part, done, total) {
  const [from, to] = SHARES[stage];
  const fraction = from + (to - from) * part;
  latest = { stage, done, total, fraction, text: TEXTS[stage] };
  progress.dispatchEvent(new CustomEvent("progress", { detail: latest }));
}

const TEXTS = { download: "Loading Python", start: "Starting Python", packages: "Loading the tools" };

/** Counts bytes as files arrive: returns a function that makes a `then` for one file. */
function counter(files) {
  const total = ["module", "asm", "wasm", "boot", "app"].reduce((sum, name) => sum + files[name].size, 0);
  let done = 0;
  return (name) => (value) => {
    done += files[name].size;
    report("download", done / total, done, total);
    return value;
  };
}
