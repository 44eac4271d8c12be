import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import type { Author } from "../../../lambdas/domain/history/change-entry.ts";
import type { KeyStore } from "../../../lambdas/domain/keys/keys-table.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/domain/tokens/token-store.ts";
import { operationMilliseconds } from "../../../lambdas/dynamodb/client/deadline.ts";
import { absentId, hourMs, inMs, newToken } from "../../kit/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { noteRequests } from "../support/client-requests.ts";
import { apiErrorOf } from "../support/outcomes.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

/* The simulation in tools/lab/simulation makes more changes, in all orders, with every fault and with differing clocks. */

const database = useDatabase();
const places = {
  keys: await openTestStore(tables.keys, database),
  tokens: await openTestStore(tables.tokens, database),
};

/** Decides what an attempt of the client sends, and whether it gets the response. */
type Network = (send: () => Promise<unknown>) => Promise<"response" | "lost">;

const connected: Network = async (send) => {
  await send();
  return "response";
};
let network: Network;
/** Attempts that were held back: the client has got no response to them, and they have not arrived yet. */
let late: (() => Promise<unknown>)[];
let client: DynamoDBClient;
let keys: KeyStore;
let tokens: TokenStore;

beforeEach(() => {
  start = Date.now();
  network = connected;
  late = [];
  // A new client each time, because one that has lost many responses stops retrying.
  client = new DynamoDBClient({ maxAttempts: 2 });
  onTestFinished(() => client.destroy());
  client.middlewareStack.add(
    (next) => async (args) => {
      const sent: ReturnType<typeof next>[] = [];
      const outcome = await network(() => {
        const response = next(args);
        sent.push(response);
        return response;
      });
      const [response] = sent;
      if (outcome === "response" && response) return response;
      throw Object.assign(new Error("no response"), { name: "TimeoutError" });
    },
    { step: "deserialize", priority: "high", name: "network" },
  );
  keys = places.keys.open(client);
  tokens = places.tokens.open(client);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Holds back the next attempt or all of them. Other changes may occur before the retry. */
const holdBack = (attempts: "one" | "all", meanwhile = async (): Promise<unknown> => undefined): void => {
  network = async (send) => {
    if (attempts === "one") network = connected;
    late.push(send);
    await meanwhile();
    return "lost";
  };
};
const deliver = async () => {
  network = connected;
  for (const send of late.splice(0)) await send().catch(() => {});
};

let count = 0;
const newKeyId = () => `key ${count++}`;
const code = (character: string) => character.repeat(64);
const revoke = (token_id: string) => tokens.revoke(token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
const stored = async (): Promise<TokenRecord> => {
  const { record } = newToken();
  await tokens.insert(record, noteOf("issued"));
  return (await tokens.find(record.token_id)) ?? record;
};
const rotation = (rotated_by = "admin", expires_at = inMs(hourMs)) => {
  return { expires_at, rotated_at: inMs(0), rotated_by, successor_id: absentId() };
};

/** The time when the test began. */
let start: number;
/** Stops the clock of the following calls at a time after the start, as if another environment made them. */
const setClock = (differenceMilliseconds: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: start + differenceMilliseconds });
};

type Act = (id: string) => Promise<unknown>;
const put = (character: string) => (key_id: string) => keys.replace({ key_id, v_code: code(character) }, author);
const post = (character: string) => (key_id: string) => keys.create({ key_id, v_code: code(character) }, author);
const remove: Act = (key_id) => keys.delete(key_id, author);
const limit = (rate_limit: number) => (id: string) => tokens.update(id, { rate_limit }, noteOf("updated"));
const rotate: Act = async (id) => {
  const record = await places.tokens.store.find(id);
  return record && tokens.rotate(record, rotation(), noteOf("rotated"));
};

interface Program {
  prepare: () => Promise<string>;
  /** The call whose attempts all arrive late, and the changes acknowledged after they began. */
  first: Act;
  next: Act[];
  /** What must be stored at the end, whether or not the attempts arrive. */
  left: (id: string) => Promise<unknown>;
  expected: unknown;
}
const ofKey = (v_code: string | undefined, first: Act, next: Act[], left: string | undefined): Program => ({
  ...{ first, next, left: async (id) => (await keys.get(id))?.v_code, expected: left && code(left) },
  async prepare() {
    const key_id = newKeyId();
    if (v_code !== undefined) await post(v_code)(key_id);
    return key_id;
  },
});
const ofToken = (first: Act, next: Act[], expected: Partial<TokenRecord>): Program => ({
  ...{ first, next, left: (id) => tokens.find(id), expected: expect.objectContaining(expected) },
  prepare: async () => (await stored()).token_id,
});

test.for<[string, Program]>([
  ["PUT a, PUT b", ofKey("x", put("a"), [put("b")], "b")],
  ["DELETE, POST", ofKey("a", remove, [remove, post("b")], "b")],
  ["POST, DELETE", ofKey(undefined, post("a"), [post("a"), remove], undefined)],
  ["PUT, DELETE and POST", ofKey("a", put("b"), [remove, post("c")], "c")],
  ["rotate, revoke", ofToken(rotate, [revoke], { revoked_by: "admin" })],
  ["a limit of 100000, a limit of 1", ofToken(limit(100_000), [limit(1)], { rate_limit: 1 })],
])(
  "a late attempt changes nothing, whatever the next clock says: %s",
  async ([, { prepare, first, next, left, expected }]) => {
    for (const difference of [-5_000, -1, 0, 5_000]) {
      setClock(0);
      const id = await prepare();
      holdBack("all");
      await expect(first(id)).rejects.toMatchObject({ code: "unavailable" });
      network = connected;
      setClock(difference);
      for (const act of next) await act(id);
      expect(await left(id)).toEqual(expected);
      await deliver();
      expect(await left(id), `${difference} ms`).toEqual(expected);
    }
  },
);

test("a change takes two round trips if the record changed recently, and one otherwise", async () => {
  const requests = noteRequests(client);
  const roundTrips = async (call: Promise<unknown>) => {
    await call;
    return requests.splice(0).length;
  };
  const [key_id, { record }] = [newKeyId(), newToken()];
  setClock(0);
  expect(await roundTrips(tokens.insert(record, noteOf("issued")))).toBe(1);
  expect(await roundTrips(post("a")(key_id))).toBe(1);
  expect(await roundTrips(put("b")(key_id))).toBe(2);
  expect(await roundTrips(post("a")(key_id))).toBe(1);
  expect(await roundTrips(remove(newKeyId()))).toBe(1);
  expect(await roundTrips(put("a")(newKeyId()))).toBe(1);
  setClock(10_000);
  expect(await roundTrips(put("c")(key_id))).toBe(1);
  expect(await roundTrips(revoke(record.token_id))).toBe(1);
  setClock(20_000);
  expect(await roundTrips(remove(key_id))).toBe(1);
});

test("a key's time moves forward even if the next change comes from a slow clock", async () => {
  const key_id = newKeyId();
  setClock(5_000);
  await post("a")(key_id);
  const before = await keys.get(key_id);
  setClock(0);
  await put("b")(key_id);
  const updated_at = new Date(Date.parse(String(before?.updated_at)) + 1).toISOString();
  expect(await keys.get(key_id)).toEqual({ ...before, v_code: code("b"), updated_at });
});

test("a change whose response is lost returns its result, whether or not the first attempt arrived", async () => {
  const key_id = newKeyId();
  await post("a")(key_id);
  holdBack("one");
  expect(await put("b")(key_id)).toMatchObject({ key: { v_code: code("b") } });
  await deliver();
  for (const outcome of ["deleted", "not found"]) {
    holdBack("one");
    expect(await keys.delete(key_id, author)).toBe(outcome);
    await deliver();
  }
});

test("reports a change whose response is lost as unavailable if another change may have overwritten it", async () => {
  const key_id = newKeyId();
  await post("a")(key_id);
  setClock(10_000);
  network = async (send) => {
    network = connected;
    await send();
    await put("c")(key_id);
    return "lost";
  };
  expect((await apiErrorOf(put("b")(key_id))).code).toBe("unavailable");
  expect(await keys.get(key_id)).toMatchObject({ v_code: code("c") });
});

test("a lost response is not confirmed by another author's identical change in the same millisecond", async () => {
  const key_id = newKeyId();
  setClock(0);
  const create = (by: Author) => keys.create({ key_id, v_code: code("a") }, by);
  holdBack("one", () => create({ ...author, requestId: "another" }));
  expect((await apiErrorOf(create(author))).code).toBe("unavailable");
});

test("a change whose response is lost has no effect once its token is settled", async () => {
  const record = await stored();
  holdBack("all");
  await expect(tokens.rotate(record, rotation(), noteOf("rotated"))).rejects.toMatchObject({ code: "unavailable" });
  network = connected;
  expect(await tokens.settle(record.token_id)).toMatchObject({ ...record, changed_at: expect.any(String) });
  await deliver();
  expect(await tokens.find(record.token_id)).not.toHaveProperty("successor_id");
});

test("a change that keeps losing to others gives up before its request times out", async () => {
  const key_id = newKeyId();
  setClock(0);
  const began = Date.now();
  await post("x")(key_id);
  network = async (send) => {
    vi.setSystemTime(Date.now() + 300);
    if (Date.now() < began + 20 * operationMilliseconds)
      await places.keys.store.replace({ key_id, v_code: code("y") }, author);
    await send();
    return "response";
  };
  expect((await apiErrorOf(put("z")(key_id))).code).toBe("unavailable");
  expect(Date.now() - began).toBeLessThan(operationMilliseconds);
});

test("a revocation succeeds even on a slow clock, as long as the token is active by that clock", async () => {
  const { token_id, ...record } = await stored();
  setClock(20_000);
  const ended = rotation("fast", inMs(0));
  await tokens.rotate({ token_id, ...record }, ended, noteOf("rotated"));
  setClock(17_500);
  const by = { revoked_at: inMs(0), revoked_by: "slow" };
  expect(await tokens.revoke(token_id, by, author)).toMatchObject({ made: true, token: { ...ended, ...by } });
});
