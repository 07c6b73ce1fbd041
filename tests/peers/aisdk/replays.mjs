// Keeps the answers that are still running, so that a page which lost one can read it again.

export class Replays {
  #running = new Map(); // chat id -> {pieces, waiting}

  clear() {
    this.#running.clear();
  }

  // Keeps a copy of the answer's text until it ends.
  async record(id, stream) {
    const entry = { pieces: [], waiting: new Set() };
    this.#running.set(id, entry);
    try {
      for await (const piece of stream) {
        entry.pieces.push(piece);
        for (const controller of entry.waiting) controller.enqueue(piece);
      }
    } finally {
      if (this.#running.get(id) === entry) this.#running.delete(id);
      for (const controller of entry.waiting) controller.close();
    }
  }

  // The answer from its first piece on, or null when none is running.
  open(id) {
    const entry = this.#running.get(id);
    if (entry === undefined) return null;
    let own;
    const stream = new ReadableStream({
      start(controller) {
        own = controller;
        for (const piece of entry.pieces) controller.enqueue(piece);
        entry.waiting.add(controller);
      },
      cancel: () => void entry.waiting.delete(own),
    });
    return stream.pipeThrough(new TextEncoderStream());
  }
}
