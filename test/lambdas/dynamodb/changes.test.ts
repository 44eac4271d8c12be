import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { deadlineMilliseconds } from "../../../lambdas/dynamodb/deadline.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import type { Author } from "../../../lambdas/resources/history/change-entry.ts";
import { type Key, type KeyStore, versionOf } from "../../../lambdas/resources/keys/key-store.ts";
import type { LimitStore } from "../../../lambdas/resources/limits/limits-table.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { absentId, hourMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { noteActions, type TestTable, useDatabase } from "../support/database.ts";
import { apiErrorOf } from "../support/rejection.ts";

const database = useDatabase();
let keys: KeyStore;
let tokens: TokenStore;
let limits: LimitStore;
let late: LateAttempts;
let actions: string[];

interface LateAttempts {
  /**
   * Holds back the next attempt, or all attempts until `deliver`: the client gets no response to them. Something may happen
   * before the attempt is repeated.
   */
  hold(attempts: "one" | "all", meanwhile?: () => Promise<unknown>): void;
  /** Lets further attempts pass. */
  release(): void;
  /** Loses the response to the next attempt, and lets something happen before it is repeated. */
  loseAnswer(meanwhile: () => Promise<unknown>): void;
  /** Delivers the attempts that were held back. */
  deliver(): Promise<void>;
}

/** Makes the attempts of a client arrive when a test wants. */
const delayAttempts = (client: DynamoDBClient): LateAttempts => {
  const held: (() => Promise<unknown>)[] = [];
  let holding: "none" | "one" | "all" = "none";
  let meanwhile: (() => Promise<unknown>) | undefined;
  let happens = async (): Promise<unknown> => undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const lost = Object.assign(new Error("no answer"), { name: "TimeoutError" });
      if (meanwhile) {
        const happen = meanwhile;
        meanwhile = undefined;
        await next(args);
        await happen();
        throw lost;
      }
      if (holding === "none") return next(args);
      if (holding === "one") holding = "none";
      held.push(() => next(args));
      await happens();
      throw lost;
    },
    { step: "deserialize", priority: "high", name: "delayAttempts" },
  );
  return {
    hold(attempts, what = async () => undefined) {
      holding = attempts;
      happens = what;
    },
    loseAnswer(what) {
      meanwhile = what;
    },
    release() {
      holding = "none";
    },
    async deliver() {
      for (const attempt of held.splice(0)) await attempt().catch(() => {});
    },
  };
};

let places: Record<"keys" | "tokens" | "limits", TestTable>;

beforeAll(async () => {
  places = {
    keys: await database.newTable("key_id"),
    tokens: await database.newTable("token_id"),
    limits: await database.newTable("minute_id"),
  };
});

beforeEach(() => {
  // A new one each time, because a client that has lost many responses no longer repeats its calls.
  const client = new DynamoDBClient({ maxAttempts: 2 });
  onTestFinished(() => client.destroy());
  late = delayAttempts(client);
  actions = noteActions(client);
  keys = openStore(tables.keys, { client, tableName: places.keys.table });
  tokens = openStore(tables.tokens, { client, tableName: places.tokens.table });
  limits = openStore(tables.limits, { client, tableName: places.limits.table });
});

afterEach(() => {
  vi.useRealTimers();
});

let count = 0;
const newKeyId = () => `key ${count++}`;
const code = (character: string) => character.repeat(64);
const by = (name: string) => ({ revoked_at: inMs(0), revoked_by: name });
const stored = async (): Promise<TokenRecord> => {
  const { record } = newToken();
  await tokens.insert(record, noteOf("issued"));
  return (await tokens.find(record.token_id)) ?? record;
};

const limitOf = (rate_limit: number) => ({ rate_limit, updated_at: inMs(0), updated_by: "admin" });
const rotation = () => ({
  expires_at: inMs(hourMs),
  rotated_at: inMs(0),
  rotated_by: "admin",
  successor_id: absentId(),
});

/** Sets the clock of the following calls, as if they were made in another environment. */
const setClock = (differenceMilliseconds: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + differenceMilliseconds });
};

interface Program {
  /** The call that has a late attempt. */
  first: () => Promise<unknown>;
  /** The change that is acknowledged after that attempt began. */
  next: () => Promise<unknown>;
  /** Nobody can make the next call before the first one has its response. */
  needsAnswer?: boolean;
  /** The condition that must hold whether the attempt arrives or not. */
  holds: () => Promise<unknown>;
}

const programs: Record<string, () => Promise<Program>> = {
  async "issue, revoke"() {
    const { record } = newToken();
    return {
      needsAnswer: true,
      first: () => tokens.insert(record, noteOf("issued")),
      next: () => tokens.revoke(record.token_id, by("admin"), author),
      holds: async () => expect(await tokens.find(record.token_id)).toHaveProperty("revoked_at"),
    };
  },

  async "issue a successor, revoke it"() {
    const { record } = newToken({ predecessor_id: absentId() });
    return {
      needsAnswer: true,
      first: () => tokens.insert(record, noteOf("issued")),
      next: () => tokens.revoke(record.token_id, by("admin"), author),
      holds: async () => expect(await tokens.find(record.token_id)).toHaveProperty("revoked_at"),
    };
  },

  async "rotate, revoke"() {
    const record = await stored();
    const revocation = by("admin");
    return {
      first: () => tokens.rotate(record, rotation(), noteOf("rotated")),
      next: () => tokens.revoke(record.token_id, revocation, author),
      holds: async () => expect(await tokens.find(record.token_id)).toMatchObject(revocation),
    };
  },

  async "a limit of 100000, a limit of 1"() {
    const { record } = newToken();
    await tokens.insert(record, noteOf("issued"));
    return {
      first: () => tokens.update(record.token_id, limitOf(100_000), noteOf("updated")),
      next: () => tokens.update(record.token_id, limitOf(1), noteOf("updated")),
      holds: async () => expect(await tokens.find(record.token_id)).toMatchObject({ rate_limit: 1 }),
    };
  },

  async "an end in an hour, an end in a second"() {
    const record = await stored();
    const endingAt = (expires_at: string) => ({ expires_at, updated_at: inMs(0), updated_by: "admin" });
    const soon = inMs(1_000);
    return {
      first: () => tokens.update(record.token_id, endingAt(inMs(hourMs)), noteOf("updated")),
      next: () => tokens.update(record.token_id, endingAt(soon), noteOf("updated")),
      holds: async () => expect(await tokens.find(record.token_id)).toMatchObject({ expires_at: soon }),
    };
  },

  async "PUT a, PUT b"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("x") }, author);
    return {
      first: () => keys.replace({ key_id, v_code: code("a") }, author),
      next: () => keys.replace({ key_id, v_code: code("b") }, author),
      holds: async () => expect(await keys.get(key_id)).toMatchObject({ v_code: code("b") }),
    };
  },

  async "PUT a if unchanged, PUT b"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("x") }, author);
    const version = versionOf((await keys.get(key_id)) as Key);
    return {
      first: () => keys.replace({ key_id, v_code: code("a") }, author, [version]),
      next: () => keys.replace({ key_id, v_code: code("b") }, author),
      holds: async () => expect(await keys.get(key_id)).toMatchObject({ v_code: code("b") }),
    };
  },

  async "DELETE if unchanged, POST"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    const version = versionOf((await keys.get(key_id)) as Key);
    return {
      first: () => keys.delete(key_id, author, [version]),
      next: async () => {
        await keys.delete(key_id, author);
        expect(await keys.create({ key_id, v_code: code("b") }, author)).toMatchObject({ outcome: "created" });
      },
      holds: async () => expect(await keys.get(key_id)).toMatchObject({ v_code: code("b") }),
    };
  },

  async "DELETE, POST"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    return {
      first: () => keys.delete(key_id, author),
      next: async () => {
        await keys.delete(key_id, author);
        expect(await keys.create({ key_id, v_code: code("b") }, author)).toMatchObject({ outcome: "created" });
      },
      holds: async () => expect(await keys.get(key_id)).toMatchObject({ v_code: code("b") }),
    };
  },

  async "POST, DELETE"() {
    const key_id = newKeyId();
    return {
      first: () => keys.create({ key_id, v_code: code("a") }, author),
      next: async () => {
        await keys.create({ key_id, v_code: code("a") }, author);
        expect(await keys.delete(key_id, author)).toBe("deleted");
      },
      holds: async () => {
        expect(await keys.get(key_id)).toBeUndefined();
        expect((await keys.list({ limit: 1_000 })).keys.map((key) => key.key_id)).not.toContain(key_id);
        expect(await keys.delete(key_id, author)).toBe("not found");
      },
    };
  },

  async "PUT, DELETE"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    return {
      first: () => keys.replace({ key_id, v_code: code("b") }, author),
      next: () => keys.delete(key_id, author),
      holds: async () => expect(await keys.get(key_id)).toBeUndefined(),
    };
  },

  async "PUT, DELETE and POST"() {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    return {
      first: () => keys.replace({ key_id, v_code: code("b") }, author),
      next: async () => {
        await keys.delete(key_id, author);
        await keys.create({ key_id, v_code: code("c") }, author);
      },
      holds: async () => expect(await keys.get(key_id)).toMatchObject({ v_code: code("c") }),
    };
  },
};

describe.for(Object.entries(programs))("%s:", ([, prepare]) => {
  test("a late attempt of the first call, which was repeated, changes nothing", async () => {
    const { first, next, holds } = await prepare();
    late.hold("one");
    await first();
    await next();
    await holds();
    await late.deliver();
    await holds();
  });

  test.for([-5_000, -4_999, -1, 0, 1, 5_000])(
    "late attempts of the first call change nothing if the next clock differs by %i ms",
    async (difference) => {
      const { first, next, holds, needsAnswer } = await prepare();
      late.hold(needsAnswer ? "one" : "all");
      const outcome = await first().catch((error: unknown) => error);
      if (!needsAnswer) expect(outcome).toMatchObject({ code: "unavailable" });
      late.release();
      setClock(difference);
      await next();
      await holds();
      await late.deliver();
      await holds();
    },
  );
});

describe("a change takes", () => {
  const attemptsOf = async (call: () => Promise<unknown>) => {
    actions.length = 0;
    await call();
    return actions.length;
  };

  test("one round trip if the record has been at rest, and two if it has just been changed", async () => {
    const key_id = newKeyId();
    const { record } = newToken();
    expect(await attemptsOf(() => keys.create({ key_id, v_code: code("a") }, author))).toBe(1);
    expect(await attemptsOf(() => tokens.insert(record, noteOf("issued")))).toBe(1);
    expect(await attemptsOf(() => keys.replace({ key_id, v_code: code("b") }, author))).toBe(2);
    setClock(10_000);
    expect(await attemptsOf(() => keys.replace({ key_id, v_code: code("c") }, author))).toBe(1);
    expect(await attemptsOf(() => tokens.revoke(record.token_id, by("admin"), author))).toBe(1);
    vi.useRealTimers();
    setClock(20_000);
    expect(await attemptsOf(() => keys.delete(key_id, author))).toBe(1);
  });

  test("one round trip if it does not apply to the record", async () => {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    expect(await attemptsOf(() => keys.create({ key_id, v_code: code("b") }, author))).toBe(1);
    expect(await attemptsOf(() => keys.delete(newKeyId(), author))).toBe(1);
    expect(await attemptsOf(() => keys.replace({ key_id: newKeyId(), v_code: code("a") }, author))).toBe(1);
  });
});

describe("the time of a key", () => {
  test("moves forward even if the clock of the next change is slow", async () => {
    const key_id = newKeyId();
    setClock(5_000);
    await keys.create({ key_id, v_code: code("a") }, author);
    const before = await keys.get(key_id);
    vi.useRealTimers();
    await keys.replace({ key_id, v_code: code("b") }, author);
    const replaced = await keys.get(key_id);
    expect(Date.parse(String(replaced?.updated_at))).toBe(Date.parse(String(before?.updated_at)) + 1);
    expect(replaced?.created_at).toBe(before?.created_at);
  });
});

describe("a change whose answer is lost", () => {
  test("returns its result, whether its first attempt arrived or not", async () => {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    late.hold("one");
    expect(await keys.replace({ key_id, v_code: code("b") }, author)).toMatchObject({ key: { v_code: code("b") } });
    await late.deliver();
    late.hold("one");
    expect(await keys.delete(key_id, author)).toBe("deleted");
    await late.deliver();
    late.hold("one");
    expect(await keys.delete(key_id, author)).toBe("not found");
    await late.deliver();
  });

  test("is unavailable if another change came after it, because it may have been overwritten", async () => {
    const key_id = newKeyId();
    await keys.create({ key_id, v_code: code("a") }, author);
    setClock(10_000);
    late.loseAnswer(() => keys.replace({ key_id, v_code: code("c") }, author));
    expect((await apiErrorOf(keys.replace({ key_id, v_code: code("b") }, author))).code).toBe("unavailable");
    expect(await keys.get(key_id)).toMatchObject({ v_code: code("c") });
  });
});

test("a change that was lost is not proven by an equal change that somebody else made in the same millisecond", async () => {
  const key_id = newKeyId();
  setClock(0);
  const create = (by: Author) => keys.create({ key_id, v_code: code("a") }, by);
  late.hold("one", () => create({ ...author, requestId: "another" }));
  expect((await apiErrorOf(create(author))).code).toBe("unavailable");
});

test("a change that always loses to others gives up before its request does", async () => {
  const key_id = newKeyId();
  setClock(0);
  const began = Date.now();
  await keys.create({ key_id, v_code: code("x") }, author);
  const others = openStore(tables.keys, { client: places.keys.client, tableName: places.keys.table });
  const client = new DynamoDBClient();
  onTestFinished(() => client.destroy());
  client.middlewareStack.add(
    (next) => async (args) => {
      vi.setSystemTime(Date.now() + 300);
      if (Date.now() < began + 20 * deadlineMilliseconds) await others.replace({ key_id, v_code: code("y") }, author);
      return next(args);
    },
    { step: "initialize", name: "loseToOthers" },
  );
  const losing = openStore(tables.keys, { client, tableName: places.keys.table });
  expect((await apiErrorOf(losing.replace({ key_id, v_code: code("z") }, author))).code).toBe("unavailable");
  expect(Date.now() - began).toBeLessThan(deadlineMilliseconds);
});

test("a request that is counted late, or twice, takes one request from the allowance", async () => {
  const [limitId, minute] = [absentId(), "2026-11-21T10:15Z"];
  const take = () => limits.take(limitId, { minute, limit: 3 });
  late.hold("one");
  expect(await take()).toBe(1);
  await late.deliver();
  expect(await take()).toBe(2);
  late.hold("all");
  await expect(take()).rejects.toMatchObject({ code: "unavailable" });
  late.release();
  expect(await take()).toBe(3);
  await late.deliver();
  expect(await take()).toBeUndefined();
});

test("a revocation by a slow clock is made while the token is still active by that clock", async () => {
  const record = await stored();
  setClock(20_000);
  const rotated_at = new Date().toISOString();
  const successor_id = newToken().record.token_id;
  await tokens.rotate(
    record,
    { expires_at: rotated_at, rotated_at, rotated_by: "fast", successor_id },
    noteOf("rotated"),
  );
  vi.useRealTimers();
  setClock(17_500);
  const revoked_at = new Date().toISOString();
  const { made, token } = await tokens.revoke(record.token_id, { revoked_at, revoked_by: "slow" }, author);
  expect(made).toBe(true);
  expect(token).toMatchObject({ revoked_at, revoked_by: "slow", expires_at: rotated_at });
});

test("no attempt to rotate a token takes effect after it has been settled", async () => {
  const record = await stored();
  late.hold("all");
  await expect(tokens.rotate(record, rotation(), noteOf("rotated"))).rejects.toMatchObject({ code: "unavailable" });
  late.release();
  expect(await tokens.settle(record.token_id)).toMatchObject({ ...record, changed_at: expect.any(String) });
  await late.deliver();
  expect(await tokens.find(record.token_id)).not.toHaveProperty("successor_id");
});
