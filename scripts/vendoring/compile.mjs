// Compiles Python sources to .pyc with Pyodide's own CPython, so that the bytecode fits.
// Reads from standard input: {engine, stdlib, jobs: [[source, target, filename, optimize], ...]}.
import { readFileSync, writeFileSync } from "node:fs";
import { main, startEngine } from "./engine.mjs";

const COMPILE = `
import ast, importlib.util, marshal

def to_pyc(source, filename, optimize):
    source = source.to_bytes()
    tree = ast.parse(source, filename)
    if optimize == 2:
        name_dataclasses(tree)
    code = compile(tree, filename, "exec", dont_inherit=True, optimize=optimize)
    # Flags 1: named by its source's hash, and nobody checks it.
    head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")
    return head + importlib.util.source_hash(source) + marshal.dumps(code)

def name_dataclasses(tree):
    # A dataclass without a docstring makes one from its signature, at ten times the cost of all
    # else that it does: one that lost its docstring gets a blank one.
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(map(is_dataclass, node.decorator_list)):
            blank = ast.parse("__doc__ = ' '").body[0]
            place = node.body[0]
            for part in ast.walk(blank):
                if hasattr(part, "lineno"):
                    ast.copy_location(part, place)
            node.body.insert(0 if not is_text(place) else 1, blank)

def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

def is_dataclass(decorator):
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] == "dataclass"

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
