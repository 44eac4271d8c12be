import type { RequestListener } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import * as client from "../src/index.ts";
import * as keeper from "../src/keeper.ts";
import * as workload from "../src/workload.ts";
import { stalls } from "./contract/limits.ts";
import { found, issuedToken, jobOf, reply, scripted, waiting } from "./contract/services.ts";
import { due, type StoredToken, tokenFile } from "./contract/stored-token.ts";

/* Code that holds an abort signal only weakly, as undici does, loses the abort during garbage collection. */

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

interface Options {
  baseUrl: string;
  signal?: AbortSignal;
  timeoutMilliseconds?: number;
}

interface Operation {
  make(options: Options): Promise<unknown>;
  /** The responses before the stalled one. */
  before?: RequestListener[];
  /** What the call is waiting for, if not the service. */
  stall?: RequestListener;
  /** Whether the connection stays open, because other calls wait for the same response or nobody can close it. */
  isShared?: true;
  /** The call already has what it needs, so it doesn't fail at its time limit. */
  isOptional?: true;
}

const key = { key_id: "1", v_code: "v" };
const params = { path: { key_id: "1" } };
const onConfirmation = () => {};
const exchanged = reply(201, {
  ...issuedToken("T1"),
  issued_at: new Date().toISOString(),
  expires_at: "2099-01-01T00:00:00.000Z",
});
const never = () => new Promise<never>(() => {});

/** The calls that every client makes. */
const calls: {
  [Name in keyof workload.WorkloadClient]: (one: workload.WorkloadClient, init: Options) => Promise<unknown>;
} = {
  GET: (one, { signal }) => one.GET("/api/v1/key/{key_id}", { params, signal }),
  POST: (one, { signal }) => one.POST("/api/v1/key", { body: key, signal }),
  PUT: (one, { signal }) => one.PUT("/api/v1/key/{key_id}", { params, body: key, signal }),
  // No built-in endpoint takes a patch, so the compiler knows no path.
  PATCH: (one, { signal }) =>
    (one as unknown as { PATCH: typeof one.PUT }).PATCH("/api/v1/key/{key_id}", { params, body: key, signal }),
  DELETE: (one, { signal }) => one.DELETE("/api/v1/key/{key_id}", { params, signal }),
  pages: (one, { signal }) => one.pages("/api/v1/key", { signal }).next(),
  changes: (one, { signal }) => one.changes("/api/v1/key/changes", { signal }).next(),
  revoke: (one, { signal }) => one.revoke({ signal }),
};
/** The calls of clients that were given their token. */
const tokenCalls = {
  ...calls,
  rotate: (one: client.IntegrationClient, { signal }: Options) => one.rotate({ graceSeconds: 0, signal }),
  move: (one: client.IntegrationClient, { signal }: Options) => one.move({ onConfirmation, signal }),
} satisfies Record<keyof client.IntegrationClient, unknown>;

const openKept = async ({ baseUrl, timeoutMilliseconds }: Options, stored?: Partial<StoredToken>) => {
  const file = await tokenFile();
  await file.store("itk_1_secret", stored);
  const limit = timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds };
  return keeper.openKeptClient({ baseUrl, ...limit, file: file.path, onProblem: () => {} });
};
const openWorkload = (options: Options, jwt: workload.GetJwt = async () => "eyJ1") =>
  workload.openWorkloadClient({ ...options, jwt });
const enrol = (options: Options, onConfirmation: () => unknown) =>
  client.enrol({ ...options, invitation: "iti_1", onConfirmation });

const operations: Record<string, Operation> = {
  ...Object.fromEntries(
    Object.entries(tokenCalls).flatMap(([name, call]): [string, Operation][] => [
      [name, { make: (options) => call(client.createIntegrationClient({ ...options, token: "itk_1" }), options) }],
      [`${name} with a token in a file`, { make: async (options) => call(await openKept(options), options) }],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(calls).map(([name, call]): [string, Operation] => [
      `${name} of a workload`,
      {
        before: name === "revoke" ? [exchanged, found(key)] : [exchanged],
        make: async (options) => {
          const opened = openWorkload(options);
          // There is nothing to revoke before the first call.
          if (name === "revoke") await calls.GET(opened, { baseUrl: "" });
          return call(opened, options);
        },
      },
    ]),
  ),
  enrol: { make: (options) => enrol(options, onConfirmation) },
  "opening a client with an invitation": {
    make: async (options) => {
      const file = join((await tokenFile()).folder, "new.json");
      return keeper.openKeptClient({ ...options, file, invitation: "iti_1", onConfirmation });
    },
  },
  ...Object.fromEntries(
    Object.entries({ "never returns": never, "has told the code": onConfirmation }).map(([fate, told]) => [
      `enrol whose callback ${fate}`,
      { stall: waiting("K7P-4XQ"), isShared: true, make: (options) => enrol(options, told) } satisfies Operation,
    ]),
  ),
  "a call with a fetch that ignores its signal": {
    isShared: true,
    make: (options) =>
      calls.GET(
        client.createIntegrationClient({ ...options, token: "itk_1", fetch: (request) => fetch(request) }),
        options,
      ),
  },
  "the rotation before a response": {
    before: [found(key)],
    isShared: true,
    isOptional: true,
    make: async (options) => calls.GET(await openKept(options, due), options),
  },
  "the exchange before a call": { isShared: true, make: (options) => calls.GET(openWorkload(options), options) },
  "the JWT from GitHub before a call": {
    isShared: true,
    make: (options) => {
      Object.assign(process.env, jobOf(`${options.baseUrl}/jwt?a=b`));
      return calls.GET(openWorkload(options, workload.githubActionsJwt()), options);
    },
  },
};

/** Starts a call that stalls. Returns when its request has arrived, and the name of its error once its connection is closed. */
const start = async ({ make, before = [], stall: own, ...operation }: Operation, stall: RequestListener, end: End) => {
  const arrived = Promise.withResolvers<void>();
  const closed: Promise<unknown>[] = [];
  const watched: RequestListener = (request, response) => {
    if (!operation.isShared) closed.push(new Promise((resolve) => request.socket.once("close", resolve)));
    (own ?? stall)(request, response);
    arrived.resolve();
  };
  const { baseUrl } = await scripted(...before, ...Array<RequestListener>(4).fill(watched));
  const ended = make({ baseUrl, ...end.options }).then(
    () => (operation.isOptional ? end.expected : "a result"),
    (error: unknown) => (error as Error).name,
  );
  return {
    arrived: Promise.race([arrived.promise, ended]),
    ended: within(ended, "no end").then(async (name) => {
      return within(Promise.all(closed), "an open connection").then((open) => (typeof open === "string" ? open : name));
    }),
  };
};

const within = <Result>(promise: Promise<Result>, otherwise: string): Promise<Result | string> =>
  Promise.race([promise, sleep(10_000, `${otherwise} after 10 seconds`, { ref: false })]);

interface End {
  expected: string;
  options?: Partial<Options>;
  /** The time limits that are shortened to two seconds. */
  long?: number[];
}

const cancelling = new AbortController();
const minute = 60_000;

test.for<[string, End]>([
  ["its caller's signal", { expected: "AbortError", options: { signal: cancelling.signal } }],
  ["a signal that aborted before it starts", { expected: "AbortError", options: { signal: AbortSignal.abort() } }],
  [
    "the limit of its client, also while it waits for an admin",
    { expected: "TimeoutError", options: { timeoutMilliseconds: 2_000 }, long: [15 * minute + 2_000] },
  ],
  ["the limit that every client has", { expected: "TimeoutError", long: [2 * minute, 17 * minute] }],
])("ends every operation with %s and closes its connection, even after garbage collection", async ([, end]) => {
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (work: (...rest: unknown[]) => void, milliseconds: number, ...rest: unknown[]) =>
    setTimeout(work, end.long?.includes(milliseconds) ? 2_000 : milliseconds, ...rest),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const started = Object.entries(operations).flatMap(([name, operation]) =>
    Object.entries(stalls).map(async ([stall, listener]) => {
      return { name: `${name}, ${stall}`, ...(await start(operation, listener, end)) };
    }),
  );
  const running = await Promise.all(started);
  await Promise.all(running.map(({ arrived }) => arrived));
  for (const _ of ["once", "twice, because some objects need two rounds"]) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  if (end.options?.signal) cancelling.abort();

  const names = await Promise.all(running.map(async ({ name, ended }) => [name, await ended] as const));
  expect(Object.fromEntries(names.filter(([, name]) => name !== end.expected))).toEqual({});
  expect(names.length).toBeGreaterThan(130);
});

test("the tests above cover every exported function that makes calls", () => {
  const tried = ["createIntegrationClient", "enrol", "openKeptClient", "openWorkloadClient"];
  const exported = Object.keys({ ...client, ...keeper, ...workload }).filter((name) => !/^[A-Z]|[jJ]wt/.test(name));
  expect(exported.toSorted()).toEqual(tried);
});
