// The AI SDK's own client reading a recorded stream, as fast as it can: no rendering, a state
// that copies nothing. Reads jobs as JSON lines {file, size, messages, rounds}, answers each with
// the fastest round in milliseconds from the first read to the end of the turn. With a url the
// stream is fetched from there instead.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import { AbstractChat, DefaultChatTransport } from "ai";

class State {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => void this.messages.push(message);
  popMessage = () => void this.messages.pop();
  replaceMessage = (index, message) => void (this.messages[index] = message);
  snapshot = (value) => value;
}

class Chat extends AbstractChat {
  constructor(messages, transport) {
    super({ transport, state: new State(messages), onError: (error) => { throw error; } });
  }
}

async function play(bytes, size, messages, url) {
  let began = 0;
  const served = async (_, options) => {
    const answer = await globalThis.fetch(url, options);
    began = performance.now();
    return answer;
  };
  const replayed = async () => {
    let at = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (at === 0) began = performance.now();
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, (at += size)));
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const chat = new Chat([...messages], new DefaultChatTransport({ fetch: url ? served : replayed }));
  await chat.sendMessage({ text: "go" });
  const took = performance.now() - began;
  if (chat.status !== "ready" || chat.messages.length !== messages.length + 2) throw new Error("the turn failed");
  return took;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, size, messages, rounds, url } = JSON.parse(line);
  const bytes = new Uint8Array(readFileSync(file));
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) best = Math.min(best, await play(bytes, size, messages, url));
  console.log(best);
}
