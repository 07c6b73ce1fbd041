// A language model that does what the user's words say: no network, the same answer every time.
//
// The last user text is a script. Steps are separated by ` ;; `, directives in a step by ` && `:
//
//   say TEXT            text, word by word           think TEXT    reasoning, word by word
//   call NAME JSON      a tool call                  raw-args NAME TEXT   arguments as they are
//   slow N MS           N words, MS milliseconds apart
//   wait                goes on when the test says so (POST /test/go-on)
//   source URL          a source                     file TEXT     a small text file
//   error TEXT          an error inside the stream   throw TEXT    the call to the model fails
//   finish REASON       another finish reason
//
// The step that is played is the number of answered groups of tool calls since that text.
// Without a directive the model reads the words: it calls each offered tool that they name,
// else the first tool that takes an address if they hold one, else it repeats them; with
// results at hand it tells them back.

const VERBS = /^(say|think|call|raw-args|slow|wait|source|file|error|throw|finish)\b/;

export class ScriptedModel {
  specificationVersion = "v3";
  provider = "scripted";
  modelId = "scripted-1";
  supportedUrls = {};

  #waiting = [];

  constructor() {
    this.reset();
  }

  // Ends every `wait`.
  goOn() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  // Forgets what it saw and counts its ids from one again.
  reset() {
    this.seen = []; // {tools, prompt} of every call to the model
    this.aborts = 0;
    this.ids = 0;
    this.goOn();
  }

  async doStream({ prompt, tools = [], abortSignal }) {
    this.seen.push({ tools: tools.map(describe), prompt });
    const directives = plan(prompt, tools);
    const thrown = directives.find(({ verb }) => verb === "throw");
    if (thrown) throw new Error(thrown.rest || "the model cannot be reached");
    const parts = this.#play(directives, abortSignal);
    const stream = new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void this.aborts++,
    });
    return { stream };
  }

  async doGenerate(options) {
    const { stream } = await this.doStream(options);
    const texts = [];
    const content = [];
    let end;
    for await (const part of stream) {
      if (part.type === "text-delta") texts.push(part.delta);
      if (part.type === "tool-call") content.push(part);
      if (part.type === "finish") end = part;
    }
    if (texts.length) content.unshift({ type: "text", text: texts.join("") });
    return { content, finishReason: end.finishReason, usage: end.usage, warnings: [] };
  }

  async *#play(directives, abortSignal) {
    yield { type: "stream-start", warnings: [] };
    let reason = directives.some(({ verb }) => verb === "call" || verb === "raw-args") ? "tool-calls" : "stop";
    let part = 0;
    for (const { verb, rest } of directives) {
      part += 1;
      if (verb === "say") yield* spoken("text", `txt-${part}`, words(rest));
      else if (verb === "think") yield* spoken("reasoning", `rsn-${part}`, words(rest));
      else if (verb === "slow") yield* this.#slow(`txt-${part}`, rest, abortSignal);
      else if (verb === "wait") await new Promise((resolve) => this.#waiting.push(resolve));
      else if (verb === "call" || verb === "raw-args") yield* this.#call(verb, rest);
      else if (verb === "source") yield { type: "source", sourceType: "url", id: `src-${part}`, url: rest, title: rest };
      else if (verb === "file") yield { type: "file", mediaType: "text/plain", data: Buffer.from(rest).toString("base64") };
      else if (verb === "finish") reason = rest;
      else if (verb === "error") {
        reason = "error";
        yield { type: "error", error: new Error(rest || "boom") };
      }
    }
    yield { type: "finish", finishReason: { unified: reason, raw: reason }, usage: usage() };
  }

  *#call(verb, rest) {
    const [name, args] = split(rest);
    const id = `call_${String(++this.ids).padStart(4, "0")}`;
    const text = verb === "call" ? args || "{}" : args;
    yield { type: "tool-input-start", id, toolName: name };
    for (let at = 0; at < text.length; at += 8) {
      yield { type: "tool-input-delta", id, delta: text.slice(at, at + 8) };
    }
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: name, input: text };
  }

  async *#slow(id, rest, abortSignal) {
    const [count, pause] = rest.split(" ").map(Number);
    yield { type: "text-start", id };
    for (let index = 0; index < count; index += 1) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, pause);
        abortSignal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
      if (abortSignal?.aborted) {
        this.aborts += 1;
        throw abortSignal.reason ?? new DOMException("aborted", "AbortError");
      }
      yield { type: "text-delta", id, delta: `w${index} ` };
    }
    yield { type: "text-end", id };
  }
}

function* spoken(kind, id, pieces) {
  yield { type: `${kind}-start`, id };
  for (const delta of pieces) yield { type: `${kind}-delta`, id, delta };
  yield { type: `${kind}-end`, id };
}

// What to do in this step.
function plan(prompt, tools) {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const text = prompt[asked]?.content.filter(({ type }) => type === "text").map((part) => part.text).join(" ") ?? "";
  const answers = prompt.slice(asked + 1).filter(({ role }) => role === "tool");
  const step = text.split(" ;; ")[answers.length];
  if (VERBS.test(text.trim())) {
    if (step !== undefined) return step.split(" && ").map(directive);
    return [directive(`say ${told(answers.at(-1))}`)];
  }
  if (answers.length) return [directive(`say ${told(answers.at(-1))}`)];
  return understood(text, tools);
}

function understood(text, tools) {
  const address = text.match(/https?:\/\/[^\s"'，。]+/)?.[0];
  const takes = (tool) => tool.inputSchema?.properties?.url !== undefined;
  const named = tools.filter(({ name }) => text.includes(name));
  const chosen = named.length ? named : address ? tools.filter(takes).slice(0, 1) : [];
  if (!chosen.length) return [directive(`say You said: ${text}`)];
  return chosen.map((tool) =>
    directive(`call ${tool.name} ${takes(tool) && address ? JSON.stringify({ url: address }) : "{}"}`),
  );
}

function told(answer) {
  const results = (answer?.content ?? []).filter(({ type }) => type === "tool-result");
  const lines = results.map(({ toolName, output }) => `${toolName} -> ${JSON.stringify(output?.value ?? null)}`);
  return `Tool results: ${lines.join("; ")}`;
}

function directive(text) {
  const [verb, rest] = split(text.trim());
  return VERBS.test(verb) ? { verb, rest } : { verb: "say", rest: text.trim() };
}

function split(text) {
  const at = text.indexOf(" ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function words(text) {
  return text.match(/\S+\s*/g) ?? [];
}

function describe({ name, description, inputSchema }) {
  return { name, description, inputSchema };
}

function usage() {
  return {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
}
