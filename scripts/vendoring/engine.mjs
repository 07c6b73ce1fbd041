// Starts the fetched Pyodide under Node.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export async function startEngine(folder, stdlib) {
  const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
  const { info } = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`, "utf8"));
  const options = {
    indexURL: `${folder}/`,
    packageBaseUrl: `${folder}/`,
    lockFileContents: { info, packages: {} },
    // Without columns in tracebacks a .pyc is a third smaller; lines stay.
    env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1", PYTHONTZPATH: "" },
  };
  if (stdlib) options.stdLibURL = stdlib;
  return loadPyodide(options);
}

/** Runs the script's work; an error ends the process with one readable text. */
export async function main(work) {
  try {
    await work(JSON.parse(readFileSync(0, "utf8")));
  } catch (error) {
    // Pyodide's file is a single line of a megabyte: keep Node from printing it.
    process.stderr.write(`${String(error).slice(-4000)}\n`, () => process.exit(1));
  }
}
