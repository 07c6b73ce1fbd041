// A real AI SDK 7 server with a scripted model: what our page must work with.
//
//   POST /chat             validates what the page posts (validateUIMessages), then streamText
//   GET  /chat/:id/stream  the running answer of that chat from its first byte, or 204
//   /resumable             the same two; its answers go on when the page has gone
//   /test/...              helpers: see ../shared/server.mjs

import { serve } from "@hono/node-server";
import {
  convertToModelMessages,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
  validateUIMessages,
} from "ai";
import { Hono } from "hono";
import { z } from "zod";

import { ScriptedModel } from "../shared/model.mjs";
import { prepare, start } from "../shared/server.mjs";
import { Replays } from "./replays.mjs";

const model = new ScriptedModel();
const replays = new Replays();

const serverTools = {
  "get-weather": tool({
    description: "Weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, tempC: 21 }),
  }),
  "fail-tool": tool({
    description: "Always fails",
    inputSchema: z.object({}),
    execute: async () => {
      throw new Error("server tool exploded");
    },
  }),
  "delete-record": tool({
    description: "Deletes a record; a person must approve",
    inputSchema: z.object({ id: z.string() }),
    needsApproval: true,
    execute: async ({ id }) => ({ deleted: id }),
  }),
  "count-up": tool({
    description: "Counts, with preliminary results",
    inputSchema: z.object({ to: z.number() }),
    async *execute({ to }) {
      for (let count = 1; count <= to; count += 1) yield { count };
    },
  }),
};

// The page's tools: no execute, so the SDK hands their calls to the page.
function clientToolsOf(body) {
  const entries = Object.entries(body.clientTools ?? body.tools ?? {});
  return Object.fromEntries(
    entries.map(([name, { description, inputSchema, parameters }]) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema ?? parameters) }),
    ]),
  );
}

const app = new Hono();
prepare(app, model, { onReset: () => replays.clear() });

for (const path of ["/chat", "/resumable"]) {
  app.post(path, answer);
  app.get(`${path}/:id/stream`, running);
}

async function answer(context) {
  const body = await context.req.json();
  const tools = { ...clientToolsOf(body), ...serverTools };
  let messages;
  try {
    messages = await validateUIMessages({ messages: body.messages, tools });
  } catch (error) {
    return context.json({ message: error.message }, 400);
  }
  const resumable = context.req.path === "/resumable";
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(messages, { tools }),
    stopWhen: isStepCount(5),
    abortSignal: resumable ? undefined : context.req.raw.signal,
    maxRetries: 0,
    onError: () => {}, // the stream carries it; nothing to print
  });
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    generateMessageId: () => `msg-${messages.length}`,
    sendReasoning: true,
    sendSources: true,
    onError: (error) => String(error?.message ?? error),
    consumeSseStream: resumable ? ({ stream }) => replays.record(body.id, stream) : undefined,
  });
}

function running(context) {
  const stream = replays.open(context.req.param("id"));
  if (stream === null) return context.body(null, 204);
  return context.body(stream, 200, {
    "content-type": "text/event-stream",
    "x-vercel-ai-ui-message-stream": "v1",
  });
}

start(serve, app);
