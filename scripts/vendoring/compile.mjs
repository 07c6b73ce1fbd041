// Compiles Python sources to .pyc with Pyodide's own CPython, so that the bytecode fits.
// Reads from standard input: {engine, stdlib, jobs: [[source, target, filename, optimize], ...]}.
import { readFileSync, writeFileSync } from "node:fs";
import { main, startEngine } from "./engine.mjs";

const COMPILE = `
import importlib.util, marshal

def to_pyc(source, filename, optimize):
    source = source.to_bytes()
    code = compile(source, filename, "exec", dont_inherit=True, optimize=optimize)
    # Flags 1: named by its source's hash, and nobody checks it.
    head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")
    return head + importlib.util.source_hash(source) + marshal.dumps(code)

to_pyc
`;

await main(async ({ engine, stdlib, jobs }) => {
  const pyodide = await startEngine(engine, stdlib);
  const toPyc = pyodide.runPython(COMPILE);
  for (const [source, target, filename, optimize] of jobs) {
    const made = toPyc(new Uint8Array(readFileSync(source)), filename, optimize);
    writeFileSync(target, made.toJs());
    made.destroy();
  }
});
