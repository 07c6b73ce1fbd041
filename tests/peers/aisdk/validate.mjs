// Says of posted bodies what an AI SDK 7 server makes of them: one JSON line in, one out.
//
// A body is accepted when the SDK's validator takes its messages, with the declared tools, and
// streamText can begin a step with them. The answer is null, or the text of the error.
// `serverTools` beside the body names the tools that the server would have of its own.

import { createInterface } from "node:readline";

import { convertToModelMessages, jsonSchema, safeValidateUIMessages, streamText, tool } from "ai";

import { ScriptedModel } from "../shared/model.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
process.noDeprecation = true; // rawInput of a call that failed: its successor is sent as well

const model = new ScriptedModel();

function toolsOf({ clientTools = {}, serverTools = [] }) {
  const own = serverTools.map((name) => [
    name,
    tool({ inputSchema: jsonSchema({ type: "object" }), execute: async () => "done" }),
  ]);
  const declared = Object.entries(clientTools).map(([name, { description, inputSchema }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }),
  ]);
  return Object.fromEntries([...own, ...declared]);
}

async function complaint(body) {
  const tools = toolsOf(body);
  const validated = await safeValidateUIMessages({ messages: body.messages, tools });
  if (!validated.success) return `validateUIMessages: ${validated.error.message}`;
  let failure = null;
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(validated.data, { tools }),
    maxRetries: 0,
    onError: ({ error }) => void (failure = `streamText: ${error?.message ?? error}`),
  });
  await result.consumeStream();
  return failure;
}

for await (const line of createInterface({ input: process.stdin })) {
  model.reset();
  const answer = await complaint(JSON.parse(line)).catch((error) => String(error?.stack ?? error));
  console.log(JSON.stringify(answer));
}
