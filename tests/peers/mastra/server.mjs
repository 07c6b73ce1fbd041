// A real Mastra server with a scripted model: what our page and our backend must work with.
//
//   /chat                 a `/chat` as an integrator writes it: validates the declarations, then agent.stream
//   /handle/:agent        the library's own handler (`?version=v5|v6|v7`)
//   /chat-library/:agent  the library's own route, with heartbeats
//   /api/...              Mastra's own HTTP API
//   /test/...             helpers: see ../shared/server.mjs

import { serve } from "@hono/node-server";
import { chatRoute, handleChatStream, toAISdkStream } from "@mastra/ai-sdk";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MastraServer } from "@mastra/hono";
import { Memory } from "@mastra/memory";
import { createUIMessageStreamResponse } from "ai";
import { Hono } from "hono";
import { z } from "zod";

import { ScriptedModel } from "../shared/model.mjs";
import { prepare, start } from "../shared/server.mjs";
import { clientToolsOf } from "./declarations.mjs";

const model = new ScriptedModel();

const tools = {
  "get-weather": createTool({
    id: "get-weather",
    description: "Weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, tempC: 21 }),
  }),
  "fail-tool": createTool({
    id: "fail-tool",
    description: "Always fails",
    inputSchema: z.object({}),
    execute: async () => {
      throw new Error("server tool exploded");
    },
  }),
  "delete-record": createTool({
    id: "delete-record",
    description: "Deletes a record; a person must approve",
    inputSchema: z.object({ id: z.string() }),
    requireApproval: true,
    execute: async ({ id }) => ({ deleted: id }),
  }),
  "ask-city": createTool({
    id: "ask-city",
    description: "Asks a person for a city",
    inputSchema: z.object({ topic: z.string() }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ city: z.string() }),
    execute: async ({ topic }, { agent }) => {
      if (agent.resumeData) return { topic, city: agent.resumeData.city };
      return agent.suspend({ question: `Which city for ${topic}?` });
    },
  }),
  // A Tool UI of document 004: the suspend payload is tagged, the answer is the state's choice.
  "pick-colour": createTool({
    id: "pick-colour",
    description: "Lets a person pick a colour",
    inputSchema: z.object({ of: z.string() }),
    suspendSchema: z.object({ _tag: z.string(), state: z.any() }),
    resumeSchema: z.enum(["red", "blue"]),
    execute: async ({ of }, { agent }) => {
      if (agent.resumeData) return { of, colour: agent.resumeData };
      return agent.suspend({ _tag: "pick_colour", state: { of, colours: ["red", "blue"] } });
    },
  }),
  // Cards of the stream: presented, updated, and once only in passing.
  "show-progress": createTool({
    id: "show-progress",
    description: "Shows a card",
    inputSchema: z.object({}),
    execute: async (_, { writer }) => {
      const card = (text, more = {}) =>
        writer.custom({
          type: "data-mastra-effect-block",
          data: { _tag: "status", id: "card-1", state: { text } },
          ...more,
        });
      await card("Working");
      await card("Half way", { transient: true });
      await card("All done");
      return { shown: true };
    },
  }),
};

const agents = {
  plain: new Agent({ id: "plain", name: "plain", instructions: "You are a test agent.", model, tools }),
  memo: new Agent({
    id: "memo",
    name: "memo",
    instructions: "You are a test agent that remembers.",
    model,
    tools,
    memory: new Memory({ options: { lastMessages: 50 } }),
  }),
};

let ids = 0;
const mastra = new Mastra({
  agents,
  logger: false,
  storage: new InMemoryStore(),
  idGenerator: () => `id-${++ids}`,
  server: {
    apiRoutes: [chatRoute({ path: "/chat-library/:agentId", version: "v6", heartbeatMs: 200 })],
  },
});

const app = new Hono();
prepare(app, model, { onReset: () => (ids = 0) });

app.post("/chat", async (context) => {
  const body = await context.req.json();
  let clientTools;
  try {
    clientTools = clientToolsOf(body);
  } catch (error) {
    return context.json({ message: error.message }, 400);
  }
  const last = body.messages.at(-1);
  const result = await agents.plain.stream(body.messages, {
    clientTools,
    abortSignal: context.req.raw.signal,
  });
  const stream = toAISdkStream(result, {
    from: "agent",
    version: "v6",
    sendReasoning: true,
    lastMessageId: last?.role === "assistant" ? last.id : undefined,
  });
  return createUIMessageStreamResponse({ stream });
});

app.post("/handle/:agent", async (context) => {
  const params = await context.req.json();
  const stream = await handleChatStream({
    mastra,
    agentId: context.req.param("agent"),
    version: context.req.query("version") ?? "v6",
    params: { ...params, abortSignal: context.req.raw.signal },
    sendReasoning: true,
    sendSources: true,
  });
  return createUIMessageStreamResponse({ stream });
});

await new MastraServer({ app, mastra }).init();
start(serve, app);
