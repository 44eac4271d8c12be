import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { confirmationsOf, exampleCaller } from "../../tools/support/example-callers.ts";
import { actionExamples, operationExamples } from "../../tools/support/examples.ts";
import { exampleStates, findSuccessState, type StateName } from "../../tools/support/table-states.ts";
import { inMs, newToken } from "../../tools/support/tokens.ts";
import { author, noteOf } from "../support/authors.ts";
import { type Deployment, deploy, type Response } from "./support/deployment.ts";
import { type Fault, quickFaults, slowFaults } from "./support/fault-proxy.ts";

/*
 * The deployed bundles under faults: each of their requests to the database meets a fault of each kind. What must hold in all
 * orders of calls and faults is the subject of the simulation, which runs the same code without the bundles.
 */

let deployment: Deployment;
beforeAll(async () => {
  deployment = await deploy(inject("assemblyDirectory"));
});
afterAll(() => deployment.close());

/** An example of an endpoint or of an admin action. */
interface Example {
  name: string;
  /** Makes its caller's record, and returns the call. */
  prepare: (on: Deployment, state: StateName) => Promise<() => Promise<Response>>;
}

const ip = "127.0.0.1";

const endpoints = operationExamples().flatMap(({ operation, request }): Example[] =>
  confirmationsOf(operation.endpoint).map((confirmation) => ({
    name: [operation.functionName, confirmation].filter(Boolean).join(", "),
    async prepare(on, state) {
      await on.access.fill(exampleStates[state]);
      // A token that has just been used, so that no call records its use.
      const fields = { last_used_at: inMs(0), rate_limit: 1_000 };
      const { record, text, from } = exampleCaller(operation.endpoint, { ip, confirmation, fields });
      await on.stores.tokens.insert(record, noteOf("issued"));
      return () => on.call(request, text, from);
    },
  })),
);

const actions = actionExamples().map(
  ({ name, payload }): Example => ({
    name,
    async prepare(on, state) {
      await on.access.fill(exampleStates[state]);
      return () => on.admin(payload);
    },
  }),
);

/** The contents of the tables or a text, without the ids, the secrets and the times, which differ each time. */
const lasting = (text: string): string =>
  text
    .replace(/\bit[ik]_[0-9A-Z]{26}_[\w-]+/g, "a text")
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "an id")
    .replace(/"(secret_hash|invitation_hash|repeat_nonce|change_shard)":"[^"]*"/g, '"$1":"a value"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
    .replace(/[A-Z0-9]{3}-[A-Z0-9]{3}/g, "a code");

const contentsOf = async ({ access }: Deployment): Promise<string> => {
  const stores = Object.entries(await access.contents());
  const items = stores.flatMap(([store, all]) =>
    all.map((item) => `${store} ${JSON.stringify(Object.fromEntries(Object.entries(item).toSorted()))}`),
  );
  // Each attempt counts a call, whether it is carried out or not.
  const counted = items.filter((item) => !item.startsWith("limits "));
  return counted.map(lasting).toSorted().join("\n");
};

const isSuccess = ({ status }: Response): boolean => status < 300;

/** Repeats a call until the service is available, as a client does. */
const callPatiently = async (call: () => Promise<Response>): Promise<Response> => {
  let response = await call();
  for (let attempt = 1; response.status === 503 && attempt < 5; attempt += 1) response = await call();
  return response;
};

/** What an example does without a fault. */
interface Usual {
  state: StateName;
  status: number;
  text: string;
  /** The limit that the call was counted against. */
  limit: string | undefined;
  requests: number;
  before: string;
  after: string;
}

const usualOf = async (on: Deployment, { name, prepare }: Example): Promise<Usual> => {
  let call = async (): Promise<Response> => Promise.reject(new Error("Nothing is prepared."));
  const prepareCall = async (one: StateName) => {
    call = await prepare(on, one);
  };
  const state = await findSuccessState(on.access, { prepare: prepareCall, call: async () => isSuccess(await call()) });
  if (!state) throw new Error(`The example of ${name} succeeds with no contents of the tables.`);
  await prepareCall(state);
  const before = await contentsOf(on);
  on.proxy.plan();
  const { status, text, headers } = await call();
  const requests = on.proxy.requests();
  return {
    state,
    status,
    text: lasting(text),
    limit: headers["ratelimit-policy"],
    requests,
    before,
    after: await contentsOf(on),
  };
};

/** Which of an example's requests to the database meet a fault: one of them, or each attempt of one call. */
interface Meeting {
  fault: Fault;
  from: number;
  attempts: number;
}

/** Everything that is wrong if some requests of an example meet a fault. */
const problemsOf = async (
  on: Deployment,
  { prepare, usual }: Example & { usual: Usual },
  { fault, from, attempts }: Meeting,
): Promise<string[]> => {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => holds || problems.push(problem);
  const call = await prepare(on, usual.state);
  on.proxy.plan(fault, (request) => request >= from && request < from + attempts);
  const first = await call();
  on.proxy.plan();

  check(isSuccess(first) || first.status === 503, `the response is ${first.status}: ${first.text}`);
  check(isSuccess(first) || Number(first.headers["retry-after"]) > 0, "there is no Retry-After");
  check(!first.log.includes("before the function's time-out"), "it did not end by itself");
  const then = await contentsOf(on);
  if (isSuccess(first)) {
    check(lasting(first.text) === usual.text, `the response is ${first.text}`);
    check(first.headers["ratelimit-policy"] === usual.limit, "the call was not counted against its limit");
    check(then === usual.after, `after a success the tables hold ${then}`);
  }
  const again = await callPatiently(call);
  check(isSuccess(again) || then !== usual.before, `again, the response is ${again.status}: ${again.text}`);
  const tokens = [first, again].map(({ text }) => /\bitk_\w+/.exec(text)?.[0]);
  const isRepeated = isSuccess(first) && isSuccess(again) && usual.status === 201;
  if (isRepeated) check(tokens[0] === tokens[1], "the repeated call returned another token");
  return problems;
};

/** The problems of an example with a fault at each of its requests to the database. */
const problemsWith = async (on: Deployment, example: Example, attempts: number, faults: [string, Fault][]) => {
  const usual = await usualOf(on, example);
  const problems: string[] = [];
  for (const [name, fault] of faults) {
    for (let from = 1; from <= usual.requests; from += 1) {
      const meeting = problemsOf(on, { ...example, usual }, { fault, from, attempts });
      const found = await meeting.catch((error: unknown) => [String(error)]);
      problems.push(...found.map((problem) => `${name} at request ${from}: ${problem}`));
    }
  }
  return problems;
};

describe("a single fault at any request to the database leaves a success or a 503, and the call can be repeated", () => {
  test.each([...endpoints, ...actions])("$name", async (example) => {
    expect(await problemsWith(deployment, example, 1, Object.entries(quickFaults))).toEqual([]);
  });
});

// A rotation looks up its token, counts a call, and makes all kinds of writes.
describe.concurrent("so does a rotation in which one call meets", () => {
  const rotation = endpoints.find(({ name }) => name === "v1-rotate-token");
  const slow = Object.entries(slowFaults).map((fault) => ({ name: fault[0], fault, attempts: 1 }));
  // The SDK makes three attempts. What comes after the call that fails meets no fault, so it must not be reached.
  const lasting = Object.entries(quickFaults).map((fault) => ({ name: `${fault[0]} each time`, fault, attempts: 3 }));
  test.each([...slow, ...lasting])("$name", async ({ fault, attempts }) => {
    if (!rotation) throw new Error("There is no rotation.");
    const own = await deploy(inject("assemblyDirectory"));
    expect(await problemsWith(own, rotation, attempts, [fault])).toEqual([]);
    await own.close();
  });
});

test("a database that refuses connections makes every endpoint unavailable until it accepts them again", async () => {
  const calls: (() => Promise<Response>)[] = [];
  for (const { prepare } of endpoints) calls.push(await prepare(deployment, "filled"));
  const before = await contentsOf(deployment);
  await deployment.proxy.refuse();
  for (const { status, headers, log } of await Promise.all(calls.map((call) => call()))) {
    expect({ status, retryAfter: headers["retry-after"] }).toEqual({ status: 503, retryAfter: "1" });
    expect(log).not.toContain("before the function's time-out");
  }
  expect(await contentsOf(deployment)).toBe(before);
  await deployment.proxy.accept();
  for (const { status } of await Promise.all(calls.map((call) => call()))) expect(status).toBeLessThan(500);
});

test("the part of a v_code that a damaged response contained is not in the log", async () => {
  const { record, text } = newToken({ ip });
  await deployment.stores.tokens.insert(record, noteOf("issued"));
  await deployment.stores.keys.create({ key_id: "damaged", v_code: "hushhush".repeat(8) }, author);
  // Each attempt gets a response that is damaged at another position in the v_code.
  let attempts = 0;
  deployment.proxy.plan(async ({ forward, send }) => {
    const whole = await forward();
    const at = whole.body.indexOf("hushhush") + (attempts % 12);
    if (!whole.body.includes("hushhush")) return send(whole);
    attempts += 1;
    const body = Buffer.concat([whole.body.subarray(0, at), Buffer.from('"\n'), whole.body.subarray(at)]);
    send({ ...whole, headers: { ...whole.headers, "content-length": String(body.length) }, body });
  });
  const request = { method: "GET", path: "/api/v1/key/damaged", query: "" };
  const responses = await Promise.all(Array.from({ length: 12 }, () => deployment.call(request, text, ip)));
  deployment.proxy.plan();
  for (const { status, log } of responses) {
    expect(status).toBe(503);
    expect(log).toContain('"status":503');
    expect(log).not.toMatch(/hush/);
  }
});
