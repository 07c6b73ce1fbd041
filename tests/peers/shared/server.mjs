// What both peers share: a log of requests, the helper routes of the tests, and the start.

// Any origin may call: the page under test has another one.
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "*",
};

// Adds CORS, the log and the helpers to a hono app. Call it before any route is added.
export function prepare(app, model, { onReset = () => {} } = {}) {
  const requests = [];
  const faults = []; // what befalls the next answers, see /test/faults
  const held = []; // how to break the answers that are held, see /test/cut

  app.use("*", async (context, next) => {
    if (context.req.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
    const { pathname } = new URL(context.req.url);
    if (context.req.method === "POST" && !pathname.startsWith("/test/")) {
      const text = await context.req.raw.clone().text(); // the route reads the body itself
      requests.push({ path: pathname, headers: context.req.header(), text });
      const fault = faults.shift();
      if (fault?.status) return context.json({ message: fault.message }, fault.status, { ...fault.headers, ...CORS });
      await next();
      if (fault?.hold) context.res = new Response(context.res.body.pipeThrough(holdAfter(fault.hold, held)), context.res);
    } else {
      await next();
    }
    for (const [name, value] of Object.entries(CORS)) context.res.headers.set(name, value);
  });

  app.post("/test/reset", (context) => {
    requests.length = 0;
    faults.length = held.length = 0;
    model.reset();
    onReset();
    return context.json({});
  });
  // One of {hold: TEXT}: nothing comes after the bytes that hold TEXT, until /test/cut,
  // {status, message, headers}: that answer instead of the server's own.
  app.post("/test/faults", async (context) => {
    faults.push(await context.req.json());
    return context.json({});
  });
  // Breaks the connection of the answers that are held; says how many those were.
  app.post("/test/cut", (context) => {
    const breaks = held.splice(0);
    for (const breakIt of breaks) breakIt();
    return context.json({ cut: breaks.length });
  });
  app.post("/test/go-on", (context) => {
    model.goOn();
    return context.json({});
  });
  app.get("/test/requests", (context) => context.json(requests));
  app.get("/test/model", (context) => context.json({ seen: model.seen, aborts: model.aborts }));
}

// Lets bytes through up to the piece that holds the text, and no further: a browser throws away
// what it has not read yet when a connection breaks, so the test says when that may be.
function holdAfter(text, held) {
  const decoder = new TextDecoder();
  let seen = "";
  let over = false;
  return new TransformStream({
    transform(piece, controller) {
      if (over) return;
      controller.enqueue(piece);
      seen += decoder.decode(piece, { stream: true });
      over = seen.includes(text);
      if (over) held.push(() => controller.error(new Error("cut by the test")));
    },
    // A quick answer may end before the cut: it must break all the same.
    flush: () => (over ? new Promise(() => {}) : undefined),
  });
}

// Listens on loopback and prints one line of JSON with the port.
export function start(serve, app) {
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
    console.log(JSON.stringify({ port }));
  });
  // The test that started this process holds its standard input: when it goes, so do we.
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
  return server;
}
