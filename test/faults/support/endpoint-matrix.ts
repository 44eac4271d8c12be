import type { Key } from "../../../lambdas/resources/keys/key-store.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import type { Answer, CallOptions } from "../../support/service.ts";
import type { Call } from "./fault-proxy.ts";
import { type FaultDefinition, faults } from "./faults.ts";
import type { FaultyService } from "./faulty-service.ts";

/** A function has 10 s, and its client should not wait for as long. */
const budgetMilliseconds = 9_000;
const before = "before".padEnd(64, "b");
const after = "after".padEnd(64, "a");

/** A request to an endpoint: what stands in the table before it, and what must after it has succeeded. */
interface Subject {
  method: string;
  path(keyId: string): string;
  form?(keyId: string): CallOptions["form"];
  isThereBefore: boolean;
  /** The v_code that the key has in the end: `undefined` if there is none. */
  vCodeAfter: string | undefined;
  /** The statuses of a first request and of one that is repeated. */
  succeeds: readonly number[];
  repeats: readonly number[];
}

const pathOf = (keyId: string) => `/api/v1/key/${keyId}`;
const reading = { isThereBefore: true, vCodeAfter: before, succeeds: [200], repeats: [200] };

export const subjects: Record<string, Subject> = {
  "GET /token": { method: "GET", path: () => "/api/v1/token", ...reading },
  "GET /key": { method: "GET", path: (keyId) => `/api/v1/key?limit=${limitOf(keyId)}`, ...reading },
  "GET /key/{key_id}": { method: "GET", path: pathOf, ...reading },
  "POST /key": {
    method: "POST",
    path: () => "/api/v1/key",
    form: (key_id) => ({ key_id, v_code: after }),
    isThereBefore: false,
    vCodeAfter: after,
    // A create whose answer was lost finds its own pair.
    succeeds: [201, 200],
    repeats: [201, 200],
  },
  "PUT /key/{key_id}": {
    method: "PUT",
    path: pathOf,
    form: () => ({ v_code: after }),
    isThereBefore: true,
    vCodeAfter: after,
    succeeds: [200],
    repeats: [200],
  },
  "DELETE /key/{key_id}": {
    method: "DELETE",
    path: pathOf,
    isThereBefore: true,
    vCodeAfter: undefined,
    succeeds: [204],
    repeats: [204, 404],
  },
};

const isFilled = (answer: Answer): boolean => Array.isArray(answer.json()) && answer.text !== "[]";

/** The page limit of a list tells its scan from those of other cases. */
const limitOf = (keyId: string): number => Number(keyId.split("-")[1]);

export interface Outcome {
  /** `503, 1.2 s` */
  text: string;
  /** What is not as it must be. */
  problems: string[];
}

export interface Cell {
  subject: string;
  fault: string;
  /** The look-up of the token, the counter of its limit, or the endpoint's own work. */
  target: "look-up" | "limit" | "work";
  /** How many calls of the request meet the fault. */
  times: number;
}

let count = 0;

/** Lets each thread of a function ask the database once. */
export const warm = async (
  { service }: FaultyService,
  { subject, atOnce }: { subject: string; atOnce: number },
): Promise<void> => {
  const { method, path } = subjects[subject] as Subject;
  const send = () => service.call(method, path("key-0"), { token: newToken().text });
  await Promise.all(Array.from({ length: atOnce }, send));
};

/** One request that meets a fault in its look-up of the token, in the count of its limit or in its own work, on the first call or on every one. */
export const meet = (faulty: FaultyService, cell: Cell): Promise<Outcome> =>
  // An answer that is not as described is a problem like any other.
  meetAndExamine(faulty, cell).catch((error: unknown) => ({ text: "not as described", problems: [String(error)] }));

const meetAndExamine = async (
  { service, proxy, keys, storedToken }: FaultyService,
  { subject, fault, target, times }: Cell,
): Promise<Outcome> => {
  const { method, path, form, isThereBefore, vCodeAfter, succeeds, repeats } = subjects[subject] as Subject;
  const { fault: bring, isWorkDone, isHarmless } = faults[fault] as FaultDefinition;
  count += 1;
  const keyId = `key-${count}`;
  const { text: token, record } = await storedToken(target === "limit" ? { rate_limit: 1_000 } : {});
  if (isThereBefore) await keys.create({ key_id: keyId, v_code: before });
  const first = await keys.get(keyId);
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => holds || problems.push(problem);

  const marks = {
    "look-up": [record.token_id],
    limit: [`"minute_id":{"S":"${record.token_id}/`],
    work: [`{"S":"${keyId}"}`, `"Limit":${limitOf(keyId) + 1},`],
  }[target];
  const matches = ({ body }: Call) => marks.some((mark) => body.includes(mark));
  const injected = proxy.inject({ matches, fault: bring, times });
  const send = (): Promise<Answer> =>
    service.call(method, path(keyId), { token, ...(form && { form: form(keyId) ?? "" }) });

  const startedAt = performance.now();
  const answer = await send();
  const milliseconds = performance.now() - startedAt;
  expect(injected.hits() > 0, "no call met the fault");
  const hits = injected.hits();

  const isSuccess = succeeds.includes(answer.status);
  expect(isSuccess || answer.status === 503, `it answered ${answer.status}: ${answer.text}`);
  expect(isSuccess || Number(answer.headers["retry-after"]) > 0, "it has no Retry-After");
  if (isHarmless) expect(isSuccess, "it gave up on an answer that came");
  expect(milliseconds < budgetMilliseconds, `it took ${milliseconds} ms`);

  const stored = await keys.get(keyId);
  const wasDone = stored?.v_code === vCodeAfter;
  if (isSuccess) {
    expect(wasDone, "it was not stored");
    // It has read nothing if it shows no page of what is there.
    if (subject === "GET /key") expect(isFilled(answer), "it showed an empty page");
    const shown = answer.status === 204 || method === "GET" ? undefined : (answer.json() as Key);
    expect(
      shown === undefined || JSON.stringify(shown) === JSON.stringify(stored),
      "it showed another key than is stored",
    );
  } else {
    const isUnchanged = JSON.stringify(stored) === JSON.stringify(first);
    expect(wasDone || isUnchanged, "it left something else");
    if (target !== "work" || !isWorkDone) expect(isUnchanged, "it was done though nothing was said to the database");
  }

  injected.remove();
  const again = await send();
  const last = await keys.get(keyId);
  expect(
    (isSuccess ? repeats : [...succeeds, ...repeats]).includes(again.status),
    `again, it answered ${again.status}`,
  );
  expect(last?.v_code === vCodeAfter, "after it was sent again it is not stored");
  expect(!stored || !last || last.created_at === stored.created_at, "sending it again made another key");

  const seconds = (milliseconds / 1000).toFixed(1);
  return { text: `${answer.status} after ${hits} call${hits === 1 ? "" : "s"}, ${seconds} s`, problems };
};
