/*
 * Makes every call of the client against services that stall, collects garbage, and then reports how each call ended. It runs
 * with `--expose-gc` in a project that has installed the client.
 */
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as client from "integration-api-client";
import * as keeper from "integration-api-client/keeper";
import * as workload from "integration-api-client/workload";

/** How long a call may take after it was cancelled, or after its limit, before this program gives up. */
const patienceMilliseconds = 10_000;
/** The documented default and the documented time for a confirmation, which are too long for a test. */
const [documentedDefault, documentedConfirmation] = [120_000, 15 * 60_000];
/** What this program makes of the default, and the limits that it sets itself. */
let defaultMilliseconds = documentedDefault;
let limitMilliseconds = 1_000;

const { setTimeout } = globalThis;
globalThis.setTimeout = Object.assign((callback, milliseconds, ...rest) => {
  const shortened = milliseconds > documentedConfirmation ? milliseconds - documentedConfirmation : milliseconds;
  return setTimeout(callback, shortened === documentedDefault ? defaultMilliseconds : shortened, ...rest);
}, setTimeout);

const issued = (token) => ({
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  ip: "127.0.0.1",
  issued_at: new Date().toISOString(),
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  token,
});
const json = { "content-type": "application/json", connection: "close" };
const reply = (response, status, body) => response.writeHead(status, json).end(JSON.stringify(body));

/** The ways in which a service leaves a call waiting. */
const stalls = {
  "no response": () => {},
  "headers that stall": ({ socket }) => socket.write("HTTP/1.1 200 OK\r\nContent-Ty"),
  "a body that stalls": (response) => response.writeHead(200, json).write("["),
  "a body that drips": (response) => {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(" "), 20);
    response.once("close", () => clearInterval(timer));
  },
};
const waits = {
  "a busy service": (response) => response.writeHead(503, { ...json, "retry-after": "20" }).end(),
  "a confirmation": (response) =>
    reply(response, 202, { ip: "127.0.0.1", code: "K7P-4XQ", expires_at: "2099-01-01T00:00:00.000Z" }),
};

/** A service that stalls at the requests that `isStalled` selects, and answers the others. */
const start = async (stall, isStalled) => {
  let arrive = () => {};
  const arrived = new Promise((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request, response) => {
    if (isStalled(request)) {
      stall(response);
      return arrive();
    }
    if (request.url.startsWith("/api/v1/token/")) return reply(response, 201, issued("itk_1_secret"));
    reply(response, 200, []);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, baseUrl: `http://127.0.0.1:${server.address().port}`, arrived };
};

const all = () => true;
const at =
  (path) =>
  ({ url }) =>
    url.startsWith(path);
const key = { key_id: "1", v_code: "v" };
const params = { path: { key_id: "1" } };
const onConfirmation = () => {};
const own = "/api/v1/token";
const [rotation, exchange, jwtPath] = [`${own}/rotation`, `${own}/exchange`, "/jwt"];

/** The calls of every client. */
const calls = {
  GET: (client, { signal }) => client.GET("/api/v1/key/{key_id}", { params, signal }),
  POST: (client, { signal }) => client.POST("/api/v1/key", { body: key, signal }),
  PUT: (client, { signal }) => client.PUT("/api/v1/key/{key_id}", { params, body: key, signal }),
  DELETE: (client, { signal }) => client.DELETE("/api/v1/key/{key_id}", { params, signal }),
  pages: (client, { signal }) => client.pages("/api/v1/key", { signal }).next(),
  rotate: (client, { signal }) => client.rotate({ graceSeconds: 0, signal }),
  move: (client, { signal }) => client.move({ onConfirmation, signal }),
  revoke: (client, { signal }) => client.revoke({ signal }),
};

const folder = await mkdtemp(join(tmpdir(), "cancellation-"));
let files = 0;
const writeToken = async (fields = {}) => {
  files += 1;
  const file = join(folder, `${files}.json`);
  await writeFile(file, JSON.stringify({ ...issued("itk_1_secret"), ...fields }), { mode: 0o600 });
  return file;
};
const due = { issued_at: "2020-01-01T00:00:00.000Z", expires_at: "2027-12-31T00:00:00.000Z" };
const openKept = async (options, fields) =>
  keeper.openKeptClient({ ...options, file: await writeToken(fields), onProblem: () => {} });
const openWorkload = (options, jwt = async () => "eyJ1") => workload.openWorkloadClient({ ...options, jwt });

/** Functions of the package that are no calls themselves. */
const openers = {
  createIntegrationClient: (options) => client.createIntegrationClient({ ...options, token: "itk_1_secret" }),
  openKeptClient: openKept,
  openWorkloadClient: openWorkload,
};

/**
 * The operations of the package by name: a function that makes the call, the requests that stall, and whether other calls share
 * what it waits for, which then goes on until its own limit. The methods are those of the objects that the package returns.
 */
const operations = {
  enrol: { make: (options) => client.enrol({ ...options, invitation: "iti_1", onConfirmation }) },
  openKeptClient: {
    make: (options) =>
      keeper.openKeptClient({
        ...options,
        file: join(folder, `new-${++files}.json`),
        invitation: "iti_1",
        onConfirmation,
      }),
  },
};
for (const [opener, open] of Object.entries(openers)) {
  const server = await start(
    () => {},
    () => false,
  );
  const opened = await open({ baseUrl: server.baseUrl });
  server.server.close();
  for (const name of Object.keys(opened)) {
    const isRevocation = ({ method, url }) => method === "DELETE" && url === own;
    const isExchanged = ({ url }) => !url.endsWith("/exchange");
    const isStalled = opener !== "openWorkloadClient" ? all : name === "revoke" ? isRevocation : isExchanged;
    operations[`${name} of ${opener}`] = {
      isStalled,
      make: async (options) => {
        const client = await open(options);
        // It has nothing to revoke before its first call.
        if (opener === "openWorkloadClient" && name === "revoke") await client.GET("/api/v1/key");
        return calls[name](client, options);
      },
    };
  }
}
Object.assign(operations, {
  "enrol whose callback never returns": {
    make: (options) => client.enrol({ ...options, invitation: "iti_1", onConfirmation: () => new Promise(() => {}) }),
  },
  "a call with a fetch that ignores its signal": {
    // Nobody else could close its connection.
    isShared: true,
    make: (options) =>
      calls.GET(openers.createIntegrationClient({ ...options, fetch: (request) => fetch(request) }), options),
  },
  "the rotation before a response": {
    isShared: true,
    isStalled: at(rotation),
    isOptional: true,
    make: async (options) => (await openKept(options, due)).GET("/api/v1/key", options),
  },
  "the exchange before a call": {
    isShared: true,
    isStalled: at(exchange),
    make: (options) => openWorkload(options).GET("/api/v1/key", options),
  },
  "the JWT from GitHub before a call": {
    isShared: true,
    isStalled: at(jwtPath),
    make: (options) => {
      process.env.ACTIONS_ID_TOKEN_REQUEST_URL = `${options.baseUrl}${jwtPath}?a=b`;
      process.env.ACTIONS_ID_TOKEN_REQUEST_TOKEN = "secret";
      return openWorkload(options, workload.githubActionsJwt()).GET("/api/v1/key", options);
    },
  },
});

let collections = 0;
setInterval(() => {
  globalThis.gc();
  collections += 1;
}, 100).unref();

/** Waits until garbage has been collected, twice because some objects need two rounds. */
const collected = async () => {
  const before = collections;
  while (collections < before + 2) await sleep(20);
};

const within = (promise, what) =>
  Promise.race([
    promise,
    sleep(patienceMilliseconds, undefined, { ref: false }).then(() => `${what} after 10 seconds`),
  ]);

const isGone = async (server) => {
  while ((await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))) > 0) await sleep(20);
  return "closed";
};

/** What can end a call: its options, and what is done when its request has arrived. */
const ends = {
  "the caller's signal": () => {
    const controller = new AbortController();
    return { options: { signal: controller.signal }, end: () => controller.abort(), expected: "AbortError" };
  },
  "a timeout of the caller": () => ({ options: { signal: AbortSignal.timeout(limitMilliseconds) }, end: () => {} }),
  "the default limit": () => ({ options: {}, end: () => {} }),
  "a limit of the client": () => ({ options: { timeoutMilliseconds: limitMilliseconds }, end: () => {} }),
};

const run = async (
  { make, isStalled = all, isShared, isOptional },
  stall,
  { options, end, expected = "TimeoutError" },
) => {
  const { server, baseUrl, arrived } = await start(stall, isStalled);
  const call = make({ baseUrl, ...options }).then(
    () => (isOptional ? expected : "a result"),
    (error) => error.name,
  );
  const early = await within(Promise.race([arrived, call.then((name) => ({ early: name }))]), "no request arrived");
  if (early !== undefined) return early;
  await collected();
  end();
  const gone = isShared ? "closed" : isGone(server);
  const [name, sockets] = await Promise.all([within(call, "pending"), within(gone, "open")]);
  server.closeAllConnections();
  server.close();
  return name === expected && sockets === "closed" ? undefined : `${name}, sockets ${sockets}`;
};

const cases = Object.entries(operations).flatMap(([name, operation]) =>
  Object.entries({ ...stalls, ...waits }).flatMap(([stallName, stall]) =>
    Object.entries(ends).map(([endName, ending]) => ({ name, operation, stallName, stall, endName, ending })),
  ),
);
const possible = cases.filter(({ name, stallName, endName }) => {
  if (stallName === "a confirmation") return /^(enrol|openKeptClient|move of)/.test(name);
  // A call does not wait for longer than its limit: it fails at once.
  return stallName !== "a busy service" || !(endName.includes("limit") || name.startsWith("the JWT"));
});

const problems = {};
/** Runs cases, and returns those whose call ended before its request had arrived, because this program was too slow. */
const runAll = async (chosen) => {
  const early = [];
  await Promise.all(
    chosen.map(async (one) => {
      const problem = await run(one.operation, one.stall, one.ending());
      if (problem?.early) early.push(one);
      const name = `${one.name}, ${one.stallName}, ${one.endName}`;
      if (problem === undefined) delete problems[name];
      else problems[name] = problem;
    }),
  );
  return early;
};
for (const end of Object.keys(ends)) {
  let chosen = possible.filter(({ endName }) => endName === end);
  for (limitMilliseconds = 1_000; chosen.length > 0 && limitMilliseconds < 20_000; limitMilliseconds *= 3) {
    defaultMilliseconds = end === "the default limit" ? limitMilliseconds : documentedDefault;
    chosen = await runAll(chosen);
  }
}

for (const name of Object.keys({ ...client, ...keeper, ...workload })) {
  const isKnown = name in openers || name in operations || /^[A-Z]|jwt/i.test(name);
  if (!isKnown) problems[name] = "is not tried by this program";
}
console.log(JSON.stringify({ cases: possible.length, problems }));
process.exit();
