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

  app.use("*", async (context, next) => {
    if (context.req.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
    const { pathname } = new URL(context.req.url);
    if (context.req.method === "POST" && !pathname.startsWith("/test/")) {
      const text = await context.req.raw.clone().text(); // the route reads the body itself
      requests.push({ path: pathname, headers: context.req.header(), text });
      const fault = faults.shift();
      if (fault?.status) return context.json({ message: fault.message }, fault.status, { ...fault.headers, ...CORS });
      await next();
      if (fault?.cut) context.res = new Response(context.res.body.pipeThrough(cutAfter(fault.cut)), context.res);
    } else {
      await next();
    }
    for (const [name, value] of Object.entries(CORS)) context.res.headers.set(name, value);
  });

  app.post("/test/reset", (context) => {
    requests.length = 0;
    faults.length = 0;
    model.reset();
    onReset();
    return context.json({});
  });
  // One of {cut: TEXT}: the connection breaks after the bytes that hold TEXT,
  // {status, message, headers}: that answer instead of the server's own.
  app.post("/test/faults", async (context) => {
    faults.push(await context.req.json());
    return context.json({});
  });
  app.post("/test/go-on", (context) => {
    model.goOn();
    return context.json({});
  });
  app.get("/test/requests", (context) => context.json(requests));
  app.get("/test/model", (context) => context.json({ seen: model.seen, aborts: model.aborts }));
}

// Lets bytes through up to the piece that holds the text, then breaks the connection.
function cutAfter(text) {
  const decoder = new TextDecoder();
  let seen = "";
  let over = false;
  return new TransformStream({
    transform(piece, controller) {
      if (over) return;
      controller.enqueue(piece);
      seen += decoder.decode(piece, { stream: true });
      over = seen.includes(text);
      // Later, so that what was let through leaves first.
      if (over) setTimeout(() => controller.error(new Error("cut by the test")), 150);
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
