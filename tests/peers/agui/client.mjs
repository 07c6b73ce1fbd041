// AG-UI's own client, one conversation at a time, driven by JSON lines on standard input, as
// ../clients/client.mjs: each line is a command, the answer is one line with what the client holds
// once it rests: {status, error, messages, requests, ran, runs, asked}.
//
//   {do: "open", url, tools, outputs, headers}
//        a new conversation. `outputs` is what the page's tools give by name, {error: TEXT} for one
//        that fails. Calls that the run leaves to the client are answered all, then it goes on
//   {do: "say", text, parts}     runs until nothing is left to do
//   {do: "start", text, until}   runs; answers as soon as the events hold the text `until`
//   {do: "stop"}  {do: "look"}
//   {do: "answer", payload, status, input}   resumes each open interrupt; `input` alters its call first

import { createInterface } from "node:readline";

import { HttpAgent } from "@ag-ui/client";

const ROUNDS = 8;
let ids = 0;

class Client {
  status = "ready";
  error = null;
  requests = [];
  ran = [];
  runs = []; // of each run: the events as the client passed them on, and how it ended

  constructor({ url, tools = {}, outputs = {}, headers = {} }) {
    this.outputs = outputs;
    this.tools = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      parameters: inputSchema,
    }));
    this.agent = new HttpAgent({
      url,
      headers,
      threadId: "chat-1",
      fetch: (address, options) => {
        this.requests.push(JSON.parse(options.body));
        return fetch(address, options);
      },
    });
  }

  async say({ text, parts }) {
    this.agent.addMessage({ id: `u${++ids}`, role: "user", content: parts ?? text });
    await this.run();
  }

  // Runs, answers what is left to the client, and goes on.
  async run(resume) {
    this.status = "streaming";
    this.error = null;
    for (let round = 0; round < ROUNDS; round += 1) {
      const run = { events: [], outcome: null, finished: false, pending: null };
      this.runs.push(run);
      const subscriber = {
        onEvent: ({ event }) => void run.events.push(event),
        onRunFinishedEvent: ({ event, pendingToolCallIds }) => {
          Object.assign(run, { finished: true, outcome: event.outcome ?? null, pending: pendingToolCallIds });
        },
        onRunErrorEvent: ({ event }) => void (this.error = event.message),
      };
      try {
        await this.agent.runAgent({ runId: `run-${++ids}`, tools: this.tools, resume }, subscriber);
      } catch (error) {
        this.error ??= error.message;
      }
      resume = undefined;
      if (this.error !== null || !run.finished || !this.#answerCalls(run)) break;
    }
    this.status = this.error === null ? "ready" : "error";
  }

  // Answers the calls that the run left to the client; false if there is nothing to go on with.
  #answerCalls({ outcome, events, pending }) {
    if (outcome?.type === "cancelled") return false;
    const results = new Set(this.agent.messages.map(({ toolCallId }) => toolCallId));
    const asked = new Set((outcome?.interrupts ?? []).map(({ toolCallId }) => toolCallId));
    const started = events.filter(({ type }) => type === "TOOL_CALL_START").map((event) => event.toolCallId);
    const calls = this.agent.messages.flatMap((message) => message.toolCalls ?? []);
    let answered = 0;
    for (const id of pending ?? started) {
      const call = calls.find((each) => each.id === id);
      if (results.has(id) || asked.has(id) || !(call?.function.name in this.outputs)) continue;
      this.ran.push({ tool: call.function.name, input: JSON.parse(call.function.arguments) });
      const output = this.outputs[call.function.name];
      const failed = output?.error ? { error: output.error } : {};
      const content = output?.error ?? JSON.stringify(output);
      this.agent.addMessage({ id: `t${++ids}`, role: "tool", toolCallId: id, content, ...failed });
      answered += 1;
    }
    return answered > 0 && !outcome?.interrupts;
  }

  async answer({ payload, status = "resolved", input }) {
    if (input) {
      for (const message of this.agent.messages) {
        for (const call of message.toolCalls ?? []) call.function.arguments = JSON.stringify(input);
      }
    }
    await this.run(this.agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status, payload })));
  }

  holds(text) {
    return JSON.stringify(this.runs.at(-1)?.events ?? []).includes(text);
  }

  get report() {
    const { status, error, requests, ran, runs } = this;
    const asked = this.agent.pendingInterrupts;
    return { status, error, messages: this.agent.messages, requests, ran, runs, asked };
  }
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

let client;
let running = Promise.resolve();

async function obey(command) {
  switch (command.do) {
    case "open":
      client = new Client(command);
      return;
    case "start":
      running = client.say(command);
      await until(() => client.holds(command.until) || client.status === "error");
      return;
    case "stop":
      client.agent.abortRun();
      await running;
      return;
    case "say":
    case "answer":
      await client[command.do](command);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  await obey(command);
  console.log(JSON.stringify(client.report));
}
