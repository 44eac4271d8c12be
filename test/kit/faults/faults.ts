import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import { tables as builtInTables } from "../../../lambdas/domain/built-in-stores.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { recordsFor, type ServiceRequests } from "../support/changed-request.ts";
import { isSuccess } from "../support/decode-body.ts";
import { confirmationsOf, exampleCaller } from "../support/example-callers.ts";
import { actionExamples, fillPath, formToSend, ownOperationExamples } from "../support/examples.ts";
import { maskGenerated, maskTexts } from "../support/generated-values.ts";
import { adviceForSuccess, findSuccessState, recordsIn, type StateName, withShard } from "../support/table-states.ts";
import { inMs } from "../support/tokens.ts";
import { type Deployment, deploy, type Response } from "./deployment.ts";
import { type Fault, quickFaultsOn, slowFaults } from "./fault-proxy.ts";

/** An example of an endpoint or of an admin action. */
export interface Example {
  name: string;
  /** Undefined for an admin action. */
  endpoint?: Endpoint;
  /** Creates the caller's record, and returns a function that makes the call. */
  prepare: (on: Deployment, state: StateName) => Promise<() => Promise<Response>>;
}

const ip = "127.0.0.1";

/** A trust that limits its tokens, which makes the chain of lookups of a request as long as possible. */
const limitedTrust = { ...exampleTrust, rate_limit: 1_000 };

/** Returns the examples of a service's endpoints. The caller has its own token, or with `ofWorkload` a workload's token. */
export const endpointExamples = (service: Service, { ofWorkload = false } = {}): Example[] =>
  ownOperationExamples(service).flatMap((example) =>
    confirmationsOf(example.operation.endpoint).map((confirmation) => ({
      name: [example.operation.functionName, confirmation].filter(Boolean).join(", "),
      endpoint: example.operation.endpoint,
      async prepare(on, state) {
        // The token has just been used, so calls do not record its use.
        const { token_id: trust_id, trusted_at } = limitedTrust;
        const fields = { last_used_at: inMs(0), rate_limit: 1_000, ...(ofWorkload && { trust_id, trusted_at }) };
        const { record, text, from } = exampleCaller(example.operation.endpoint, { ip, confirmation, fields });
        await on.access.fill(recordsIn(state, service.tables, record));
        if (ofWorkload) await on.access.put("tokens", withShard(limitedTrust));
        const form = await formToSend(example, on);
        return () => on.call({ ...example.request, ...(form && { form }) }, text, from);
      },
    })),
  );

/**
 * Returns the requests to a service's endpoints that succeed with other records than the examples. A handler may change nothing in
 * any state of the tables that the examples meet.
 */
const requestExamples = (service: Service, requests: ServiceRequests = {}): Example[] =>
  ownOperationExamples(service).flatMap(({ operation, request }) => {
    const { endpoint, functionName, path } = operation;
    const successes = Object.entries(requests[functionName] ?? {}).filter(([name]) => name.startsWith("2"));
    return successes.map(([name, { parameters, query, client, ...change }]) => ({
      name: `${functionName}, ${name}`,
      endpoint,
      async prepare(on) {
        const { record, text, from } = exampleCaller(endpoint, { ip, fields: { client, last_used_at: inMs(0) } });
        await on.access.fill(recordsFor(change, { tables: service.tables, caller: record }));
        const sent = {
          ...request,
          path: parameters ? fillPath(path, parameters) : request.path,
          query: query ? new URLSearchParams(query).toString() : request.query,
          ...(change.json !== undefined && { json: Object(change.json) }),
        };
        return () => on.call(sent, text, from);
      },
    }));
  });

/** Returns the examples of the actions of a service, as invocations. */
export const invocationExamples = (service: Service): Example[] =>
  actionExamples(service).map(({ name, payload }) => ({
    name,
    async prepare(on, state) {
      await on.access.fill(recordsIn(state, service.tables));
      return () => on.admin(payload);
    },
  }));

/** Removes tokens, ids, secrets and times, which differ each time, from text that no schema describes. */
const lasting = (text: string): string =>
  text
    .replace(/\bit[ik]_[0-9A-Z]{26}_[\w-]+/g, "a token")
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "an id")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "an id")
    .replace(/"(secret_hash|invitation_hash|repeat_nonce|change_shard|cursor)":"[^"]*"/g, '"$1":"a value"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time");

/** Removes confirmation codes too. Values of an application may look like these codes. */
const lastingBuiltIn = (text: string): string => lasting(text).replace(/[A-Z0-9]{3}-[A-Z0-9]{3}/g, "a code");

interface TableContents {
  /** The contents without ids and times. */
  text: string;
  /** The ids and times. */
  generated: string[];
}

const contentsOf = async ({ access }: Deployment): Promise<TableContents> => {
  const { items: found, generated } = await access.contents();
  // Each attempt counts a call, whether the call is carried out or not.
  const stores = Object.entries(found).filter(([store]) => store !== "limits");
  const items = stores.flatMap(([store, all]) => {
    const masked = store in builtInTables ? lastingBuiltIn : lasting;
    return all.map((item) => masked(`${store} ${JSON.stringify(Object.fromEntries(Object.entries(item).toSorted()))}`));
  });
  return { text: items.toSorted().join("\n"), generated };
};

/** Returns what an endpoint declares of a response, without ids and times. */
const lastingParts = ({ status, headers, text }: Response, endpoint: Endpoint | undefined, stored: string[]) => {
  const { body, headers: schemas = {} } = endpoint?.responses[status] ?? {};
  const { value, texts } = body && text !== "" ? maskGenerated(body, JSON.parse(text)) : { value: text, texts: [] };
  const declared = Object.entries(schemas).map(
    ([name, schema]) => maskGenerated(schema, headers[name.toLowerCase()]).value,
  );
  const masked = endpoint?.application ? lasting : lastingBuiltIn;
  const plain = (part: unknown) => masked(maskTexts(JSON.stringify(part), [...texts, ...stored]));
  return { body: plain(value), head: plain([headers.location, ...declared]) };
};

const succeeds = ({ status }: Response): boolean => isSuccess(status);

/** Repeats a call until the service is available: once immediately, then after the time that the response names. */
const callUntilAvailable = async (call: () => Promise<Response>): Promise<Response> => {
  let response = await call();
  for (let attempt = 1; response.status === 503 && attempt < 5; attempt += 1) {
    if (attempt > 1) await setTimeout(Number(response.headers["retry-after"]) * 1000);
    response = await call();
  }
  return response;
};

/** Which of an example's database requests meet a fault: one request, or each attempt of one call. */
interface Meeting {
  fault: Fault;
  from: number;
  attempts: number;
}

/** Makes the call of an example, and records what the call does. */
const observe = async (on: Deployment, { prepare, endpoint }: Example, state: StateName, meeting?: Meeting) => {
  const call = await prepare(on, state);
  const { text: before } = await contentsOf(on);
  const { fault, from = 0, attempts = 0 } = meeting ?? {};
  on.proxy.plan(fault, (request) => request >= from && request < from + attempts);
  const response = await call();
  const requests = on.proxy.requests();
  on.proxy.plan();
  const { text: after, generated } = await contentsOf(on);
  const contents = async () => (await contentsOf(on)).text;
  return { call, response, received: lastingParts(response, endpoint, generated), requests, before, after, contents };
};

type Observed = Awaited<ReturnType<typeof observe>>;

/** Returns the problems of a call that met a fault, compared with the usual call without a fault. */
const problemsOf = async (
  { call, response, received, before, after, contents }: Observed,
  usual: Observed,
  isRepeatable: boolean | undefined,
): Promise<string[]> => {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => holds || problems.push(problem);
  const { status, headers, text, log } = response;
  check(succeeds(response) || status === 503, `the response is ${status}: ${text}`);
  check(succeeds(response) || Number(headers["retry-after"]) > 0, "there is no Retry-After");
  check(!log.includes("before the function's time-out"), "it did not end by itself");
  if (succeeds(response)) {
    const policy = "ratelimit-policy";
    check(received.body === usual.received.body, `the response is ${received.body}`);
    // A safe create that finds its own record has another status.
    const isSame = response.status !== usual.response.status || received.head === usual.received.head;
    check(isSame, `the headers are ${received.head}`);
    check(headers[policy] === usual.response.headers[policy], "the call was not counted against its limit");
    check(after === usual.after, `after a success the tables hold ${after}`);
  }
  const again = await callUntilAvailable(call);
  check(succeeds(again) || after !== before, `again, the response is ${again.status}: ${again.text}`);
  if (isRepeatable && succeeds(again)) {
    const last = await contents();
    check(last === usual.after, `after it was repeated, the tables hold ${last}`);
  }
  const [first, second] = [response, again].map((one) => /\bitk_\w+/.exec(one.text)?.[0]);
  const isRepeated = succeeds(response) && succeeds(again) && usual.response.status === 201;
  if (isRepeated) check(first === second, "the repeated call returned another token");
  return problems;
};

/** Prepares the tables so that an example succeeds, and records what the example then does. */
const observeSuccess = async (on: Deployment, example: Example) => {
  let call = async (): Promise<Response> => Promise.reject(new Error("Nothing is prepared."));
  const prepare = async (state: StateName) => {
    call = await example.prepare(on, state);
  };
  const responses: string[] = [];
  const state = await findSuccessState(on.access, {
    prepare,
    async call() {
      const response = await callUntilAvailable(call);
      responses.push(`${response.status} ${response.text}`);
      return succeeds(response);
    },
  });
  if (!state) {
    const found = [...new Set(responses)].join(", ");
    throw new Error(`The example of ${example.name} never succeeds: ${found}. ${adviceForSuccess}`);
  }
  return { state, usual: await observe(on, example, state) };
};

const someOf = ({ requests }: Observed): number[] =>
  [...new Set([1, 2, 3, requests])].filter((request) => request <= requests);

/** Returns the database requests of a call that are to meet a fault: some if it only reads, because these are alike. */
const requestsOf = (usual: Observed): number[] =>
  usual.before === usual.after ? someOf(usual) : Array.from({ length: usual.requests }, (_, index) => index + 1);

type Faults = Readonly<Record<string, Fault>>;

/** One of an example's requests that meets a fault, with what the example does without it. */
interface Trial {
  fault: Fault;
  from: number;
  state: StateName;
  usual: Observed;
}

/** Returns the problems that trials of an example find, with the fault and the request. */
const problemsIn = async (
  [on, example, faults]: [Deployment, Example, Faults],
  requests: (usual: Observed) => number[],
  run: (trial: Trial) => Promise<string[]>,
): Promise<string[]> => {
  const success = await observeSuccess(on, example);
  const problems: string[] = [];
  for (const [name, fault] of Object.entries(faults)) {
    for (const from of requests(success.usual)) {
      const found = await run({ fault, from, ...success }).catch((error: unknown) => [String(error)]);
      problems.push(...found.map((problem) => `${name} at request ${from}: ${problem}`));
    }
  }
  return problems;
};

/** Returns the problems of an example when its database requests meet each fault. */
export const problemsWith = (on: Deployment, example: Example, attempts: number, faults: Faults): Promise<string[]> =>
  problemsIn([on, example, faults], requestsOf, async ({ fault, from, state, usual }) =>
    problemsOf(await observe(on, example, state, { fault, from, attempts }), usual, example.endpoint?.repeatable),
  );

/** A Lambda timeout that leaves a seventh of a second for database calls, because functions reserve the last second. */
const shortTimeout = 1_150;

/** Returns the problems of an example if the database becomes slow at one of its requests and the function has little time left. */
const problemsInTime = (on: Deployment, example: Example, faults: Faults): Promise<string[]> =>
  problemsIn([on, example, faults], someOf, async ({ fault, from, state }) => {
    let found: string[] = [];
    // A defect shows every time. A busy machine may take the second that a function reserves, but not ten times in a row.
    for (let attempt = 1; attempt === 1 || (found.length > 0 && attempt <= 10); attempt += 1) {
      const call = await example.prepare(on, state);
      on.setTimeout(shortTimeout);
      on.proxy.plan(fault, (request) => request >= from);
      found = await call().then(
        ({ status, headers, text, log }) => {
          const isReported = Number(headers["retry-after"]) > 0 && log.includes('"code":"unavailable"');
          const isInTime = isReported && !log.includes("before the function's time-out");
          return isSuccess(status) || (status === 503 && isInTime) ? [] : [`${status} ${text}, logged as ${log}`];
        },
        (error: unknown) => [String(error)],
      );
      const requests = on.proxy.requests();
      await on.proxy.idle();
      if (on.proxy.requests() > requests) found.push("an attempt came late");
      on.setTimeout();
      on.proxy.plan();
    }
    return found;
  });

interface FaultOptions {
  assembly: () => Promise<string>;
  /** Default: the examples of the service's endpoints. */
  examples?: Example[];
  requests?: ServiceRequests | undefined;
}

/**
 * Tests the deployed bundles under faults: each of their database requests meets a fault of each kind. The simulation tests what
 * must hold in all orders of calls and faults. It runs the same code without the bundles.
 */
export const testFaults = (
  service: Service,
  {
    assembly,
    requests,
    examples = [...endpointExamples(service), ...requestExamples(service, requests)],
  }: FaultOptions,
): void => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy(service, await assembly());
  });
  afterAll(() => deployment.close());

  describe("a single fault in any database request leads to a success or a 503, and the call can be repeated", () => {
    test.each(examples)("$name", async (example) => {
      const faults = quickFaultsOn(service.tables);
      expect(await problemsWith(deployment, example, 1, faults)).toEqual([]);
      if (!example.endpoint?.repeatable) return;
      // The SDK makes three attempts. If all of them fail, the client makes the whole call again.
      const lasting = { "a failure each time": faults["a failure"] };
      expect(await problemsWith(deployment, example, 3, lasting)).toEqual([]);
    });
  });

  test("a database that refuses connections makes every endpoint unavailable until it recovers", async () => {
    const calls: (() => Promise<Response>)[] = [];
    for (const { prepare } of endpointExamples(service)) calls.push(await prepare(deployment, "filled"));
    const before = await contentsOf(deployment);
    await deployment.proxy.refuse();
    for (const { status, headers, log } of await Promise.all(calls.map((call) => call()))) {
      expect({ status, retryAfter: headers["retry-after"] }).toEqual({ status: 503, retryAfter: "1" });
      expect(log).not.toContain("before the function's time-out");
    }
    expect(await contentsOf(deployment)).toEqual(before);
    await deployment.proxy.accept();
    for (const { status } of await Promise.all(calls.map((call) => call()))) expect(status).toBeLessThan(500);
  });

  for (const { name, prepare } of examples.filter(({ endpoint }) => endpoint?.secrets)) {
    test(`${name} is unavailable until its secrets can be read, and keeps them`, async () => {
      const fresh = await deploy(service, await assembly());
      const call = await prepare(fresh, "filled");
      fresh.setParametersDown(true);
      expect(await call()).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
      for (const isDown of [false, true]) {
        fresh.setParametersDown(isDown);
        expect((await call()).status).not.toBe(503);
      }
      await fresh.close();
    });
  }
};

const unanswered = "no response after the work";
const dripping = "a response byte by byte";

interface SlowOptions extends FaultOptions {
  /** Default: a response that never comes, and one that never ends. */
  faults?: Faults;
}

/** Tests that the deployed bundles respond before Lambda ends them, whichever request makes the database slow. */
export const testSlowDatabase = (
  service: Service,
  {
    assembly,
    // The lookups before a handler are the same for all endpoints.
    examples = [...endpointExamples(service), ...endpointExamples(service, { ofWorkload: true }).slice(0, 1)],
    faults = { [unanswered]: slowFaults[unanswered], [dripping]: slowFaults[dripping] },
  }: SlowOptions,
): void => {
  // The tests wait most of the time.
  describe.concurrent("a slow database leads to a 503 and a log line before Lambda ends the function", () => {
    test.each(examples)("$name", async (example) => {
      const built = await deploy(service, await assembly());
      expect(await problemsInTime(built, example, faults)).toEqual([]);
      await built.close();
    });
  });
};
