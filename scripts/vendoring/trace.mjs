// Finds out which modules of the standard library an import needs, by doing it.
// Reads from standard input: {engine, stdlib, packages: folder, groups: {name: code}}.
// Prints JSON: for "start" and for each group the members of the library's zip that were new.
import { main, startEngine } from "./engine.mjs";

const LOADED = `
import sys

def loaded(archive="/lib/python%d%d.zip/" % sys.version_info[:2]):
    origins = (getattr(module.__spec__, "origin", None) for module in [*sys.modules.values()]
               if getattr(module, "__spec__", None) is not None)
    return sorted(origin.removeprefix(archive) for origin in origins
                  if origin and origin.startswith(archive))

loaded
`;

await main(async ({ engine, stdlib, packages, groups }) => {
  const pyodide = await startEngine(engine, stdlib);
  const loaded = pyodide.runPython(LOADED);
  const seen = new Set();
  const fresh = () => {
    const all = loaded().toJs();
    const added = all.filter((name) => !seen.has(name));
    added.forEach((name) => seen.add(name));
    return added;
  };
  const found = { start: fresh() };
  pyodide.mountNodeFS("/packages", packages);
  pyodide.pyimport("sys").path.append("/packages");
  for (const [name, code] of Object.entries(groups)) {
    await pyodide.runPythonAsync(code);
    found[name] = fresh();
  }
  process.stdout.write(JSON.stringify(found));
});
