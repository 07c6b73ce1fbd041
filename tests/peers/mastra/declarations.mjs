// What a careful integrator's `/chat` does with the declarations before Mastra sees them.

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

// The `clientTools` for agent.stream. Throws an Error whose message is the answer's sentence.
export function clientToolsOf(body) {
  if (body.clientTools && body.tools) {
    throw new Error("clientTools and tools cannot be provided at the same time");
  }
  const entries = Object.entries(body.clientTools ?? body.tools ?? {});
  if (entries.length > 64) throw new Error("at most 64 tools may be declared");
  return Object.fromEntries(entries.map(([name, tool]) => [name, clientTool(name, tool)]));
}

function clientTool(name, tool) {
  if (!NAME.test(name)) throw new Error(`the tool name ${JSON.stringify(name.slice(0, 40))} is not allowed`);
  if (!isObject(tool)) throw new Error(`${name} must be an object`);
  if ("execute" in tool) throw new Error(`${name} must not hold execute`);
  const { description = "", inputSchema, parameters } = tool;
  if (typeof description !== "string" || description.length > 4096) {
    throw new Error(`${name}: description must be a text of at most 4096 characters`);
  }
  const schema = inputSchema ?? parameters ?? { type: "object", properties: {} };
  if (!isObject(schema)) throw new Error(`${name}: the schema must be a JSON Schema object`);
  return { id: name, description, inputSchema: schema };
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
