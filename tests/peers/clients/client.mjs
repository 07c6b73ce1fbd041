// The chat clients of AI SDK 5, 6 and 7, one chat at a time, driven by JSON lines on standard input.
// Each line is a command; the answer is one line with what the client holds once it rests:
// {status, error, messages, requests, ran}.
//
//   {do: "open", version, url, tools, outputs, runs, headers, id, messages}
//        a new chat, or with `id` and `messages` one that was before. `outputs` is what the page's tools give by name, {error: TEXT} for one that fails.
//        `runs` says when they run: "call" as their chunk comes, as the SDK's examples have it; "finish"
//        when the answer has ended, and never a call that waits for approval; "never"
//   {do: "say", text}            sends
//   {do: "start", text, until}   sends; answers as soon as the messages hold the text `until`
//   {do: "stop"}  {do: "regenerate"}  {do: "resumeStream"}  {do: "look"}
//   {do: "approve", approved, reason, input}   answers each open approval; `input` alters the calls first

import { createInterface } from "node:readline";

import * as ai5 from "ai5";
import * as ai6 from "ai6";
import * as ai7 from "ai7";

const VERSIONS = { 5: ai5, 6: ai6, 7: ai7 };

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) =>
    void (this.messages = this.messages.map((old, at) => (at === index ? structuredClone(message) : old)));
  snapshot = (value) => structuredClone(value);
}

class Client {
  #state = new State();
  #requests = [];
  #ran = [];
  #planned = 0; // runs of the page's tools that are still to come

  constructor({ version, url, tools = {}, outputs = {}, runs = "call", headers = {}, id, messages = [] }) {
    const sdk = VERSIONS[version];
    this.#state.messages = messages;
    this.outputs = outputs;
    this.automatic = ({ messages }) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
      Boolean(sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages }));
    class Chat extends sdk.AbstractChat {}
    this.chat = new Chat({
      id: id ?? "chat-1",
      state: this.#state,
      transport: new sdk.DefaultChatTransport({
        api: url,
        body: { clientTools: tools },
        headers,
        fetch: (address, options) => {
          if (options.body) this.#requests.push(JSON.parse(options.body));
          return fetch(address, options);
        },
      }),
      sendAutomaticallyWhen: this.automatic,
      onToolCall: ({ toolCall }) => runs === "call" && this.#plan([toolCall]),
      onFinish: ({ isAbort, isError }) => runs === "finish" && !isAbort && !isError && this.#plan(this.#waiting()),
    });
  }

  // The calls of the page's tools that may run now that the answer has ended.
  #waiting() {
    const parts = this.#state.messages.at(-1).parts.filter(({ type }) => type.startsWith("tool-"));
    return parts
      .filter(({ state }) => state === "input-available")
      .map((part) => ({ toolName: part.type.slice(5), toolCallId: part.toolCallId, input: part.input }));
  }

  // Runs them in a moment: the SDK wants its callbacks to return first.
  #plan(calls) {
    for (const { toolName: tool, toolCallId, input } of calls) {
      if (!(tool in this.outputs)) continue;
      this.#planned += 1;
      setImmediate(() => {
        this.#planned -= 1;
        this.#ran.push({ tool, input });
        const output = this.outputs[tool];
        const outcome = output?.error ? { state: "output-error", errorText: output.error } : { output };
        void (this.chat.addToolOutput ?? this.chat.addToolResult)({ tool, toolCallId, ...outcome });
      });
    }
  }

  approve({ approved, reason, input }) {
    const last = structuredClone(this.#state.messages.at(-1));
    const asked = last.parts.filter(({ state }) => state === "approval-requested");
    if (input) for (const part of asked) part.input = input;
    this.#state.replaceMessage(this.#state.messages.length - 1, last);
    for (const { approval } of asked) void this.chat.addToolApprovalResponse({ id: approval.id, approved, reason });
    return asked.length;
  }

  holds(text) {
    return JSON.stringify(this.#state.messages).includes(text);
  }

  get rests() {
    const { status, messages } = this.#state;
    return !this.#planned && (status === "error" || (status === "ready" && !this.automatic({ messages })));
  }

  get report() {
    const { status, error, messages } = this.#state;
    return { status, error: error?.message ?? null, messages, requests: this.#requests, ran: this.#ran };
  }
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

let client;

async function obey(command) {
  switch (command.do) {
    case "open":
      client = new Client(command);
      return;
    case "say":
      await client.chat.sendMessage({ text: command.text });
      return;
    case "start":
      void client.chat.sendMessage({ text: command.text });
      await until(() => client.holds(command.until) || client.chat.status === "error");
      return;
    case "approve":
      if (!client.approve(command)) throw new Error("no approval is asked for");
      // The SDK answers in a job of its own: it has begun when nothing is asked any more.
      await until(() => !client.holds('"approval-requested"'));
      return;
    default:
      await client.chat[command.do]?.();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  await obey(command);
  if (command.do !== "start") await until(() => client.rests);
  console.log(JSON.stringify(client.report));
}
