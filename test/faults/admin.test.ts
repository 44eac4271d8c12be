import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Key } from "../../lambdas/resources/keys/key-store.ts";
import { matchesHash } from "../../lambdas/resources/tokens/token-secret.ts";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import { parseTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import type { Call } from "./support/fault-proxy.ts";
import { faults } from "./support/faults.ts";
import { type FaultyService, startFaultyService } from "./support/faulty-service.ts";

/*
 * What admins do, each fault on each call that it makes. A refusal is `unavailable`; what was answered is stored; and a
 * rotation never leaves a client without a token that somebody has the text of.
 */

let faulty: FaultyService;
beforeAll(async () => {
  faulty = await startFaultyService();
});
afterAll(() => faulty.close());

let count = 0;
const newName = () => `admin-${count++}`;
const always = Number.POSITIVE_INFINITY;

/** Performs an action that meets a fault; answers what it answered, or `unavailable`. Anything else fails the test. */
const act = async (payload: object, rule: { fault: string; times: number; matches: (call: Call) => boolean }) => {
  const { fault } = faults[rule.fault] ?? {};
  if (!fault) throw new Error(`there is no fault ${rule.fault}`);
  const injected = faulty.proxy.inject({ ...rule, fault });
  const startedAt = performance.now();
  const outcome = await faulty.service.admin(payload).then(
    (answer) => ({ answer }),
    (error: { errorType: string }) => ({ error }),
  );
  injected.remove();
  expect(injected.hits()).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeLessThan(29_000);
  if ("error" in outcome) expect(outcome.error).toMatchObject({ errorType: "unavailable" });
  return "answer" in outcome ? outcome.answer : undefined;
};

// One that takes seconds stands for the others: the endpoints meet them all.
const faultNames = Object.keys(faults).filter((name) => !faults[name]?.isSlow || name === "no answer after the work");
const eachTimes = [1, always];

const tokensOf = async (comment: string): Promise<TokenRecord[]> => {
  const { tokens } = await faulty.tokens.list({ limit: 1_000_000 });
  return tokens.filter((record) => record.comment === comment);
};

const proves = (token: unknown, record: TokenRecord | undefined): boolean =>
  matchesHash(parseTokenText(String(token))?.secret ?? "", record?.secret_hash);

describe.concurrent("issuing a token", () => {
  test.each(faultNames)("stores one token, and what it answered, for %s", async (fault) => {
    for (const times of eachTimes) {
      const comment = newName();
      const matches = ({ operation, body }: Call) => operation === "PutItem" && body.includes(`"${comment}"`);
      const answer = await act({ action: "issue", ip: "127.0.0.1", comment }, { fault, times, matches });
      const stored = await tokensOf(comment);
      expect(stored.length).toBeLessThanOrEqual(1);
      if (answer) expect(proves(answer.token, stored[0])).toBe(true);
    }
  });
});

describe.concurrent("rotating a token", () => {
  const cases = faultNames.flatMap((fault) =>
    ["GetItem", "PutItem", "UpdateItem"].map((operation) => [fault, operation] as const),
  );
  test.each(cases)("leaves a token that works, for %s on its %s", async (fault, operation) => {
    for (const times of eachTimes) {
      const { record: old } = await faulty.storedToken({ comment: newName() });
      const matches = (call: Call) => call.operation === operation && call.body.includes(old.token_id);
      const rotation = { action: "rotate", token_id: old.token_id, grace_seconds: 0 };
      const answer = await act(rotation, { fault, times, matches });

      const [now] = (await tokensOf(old.comment)).filter(({ token_id }) => token_id === old.token_id);
      const successors = (await tokensOf(old.comment)).filter(({ predecessor_id }) => predecessor_id === old.token_id);
      if (answer) {
        expect(now?.successor_id).toBe(answer.token_id);
        const own = successors.find(({ token_id }) => token_id === answer.token_id);
        expect(proves(answer.token, own) && own?.revoked_at === undefined).toBe(true);
        expect(successors).toHaveLength(1);
      } else {
        // Either nothing ended, or the record names the successor that is to be rotated in turn.
        const named = successors.find(({ token_id }) => token_id === now?.successor_id);
        expect(now?.successor_id === undefined || named?.revoked_at === undefined).toBe(true);
        const next = { ...rotation, token_id: now?.successor_id ?? old.token_id };
        expect(await faulty.service.admin(next)).toMatchObject({ token: expect.stringMatching(/^itk_/) });
      }
    }
  });
});

describe.concurrent("revoking a token", () => {
  test.each(faultNames)("has revoked what it says it has, and can be repeated, for %s", async (fault) => {
    for (const times of eachTimes) {
      const { record } = await faulty.storedToken({ comment: newName() });
      const matches = ({ operation, body }: Call) => operation === "UpdateItem" && body.includes(record.token_id);
      const revocation = { action: "revoke", token_id: record.token_id };
      const answer = await act(revocation, { fault, times, matches });
      const revoked = await faulty.tokens.find(record.token_id);
      if (answer) expect(revoked?.revoked_at).toBe(answer.revoked_at);
      const again = await faulty.service.admin(revocation);
      if (revoked?.revoked_at !== undefined) expect(again.revoked_at).toBe(revoked.revoked_at);
      expect(again.state).toBe("revoked");
    }
  });
});

describe.concurrent("limiting a token", () => {
  test.each(faultNames)("has the limit that it says it has, and can be repeated, for %s", async (fault) => {
    for (const times of eachTimes) {
      const { record } = await faulty.storedToken({ comment: newName(), rate_limit: 10 });
      const matches = ({ operation, body }: Call) => operation === "UpdateItem" && body.includes(record.token_id);
      const change = { action: "update", token_id: record.token_id, rate_limit: 20 };
      const answer = await act(change, { fault, times, matches });
      const changed = await faulty.tokens.find(record.token_id);
      if (answer) expect(changed?.rate_limit).toBe(answer.rate_limit);
      // Never without a limit in between.
      expect([10, 20]).toContain(changed?.rate_limit);
      expect(await faulty.service.admin(change)).toMatchObject({ rate_limit: 20, state: "active" });
    }
  });
});

describe.concurrent("managing keys", () => {
  const [before, after] = ["b".repeat(64), "a".repeat(64)];
  const actions = [
    ["create_key", { v_code: after }, after],
    ["replace_key", { v_code: after }, after],
    ["delete_key", {}, undefined],
  ] as const;

  test.each(faultNames.flatMap((fault) => actions.map((one) => [fault, ...one] as const)))(
    "stores what it says it has, for %s: %s",
    async (fault, action, fields, vCodeAfter) => {
      for (const times of eachTimes) {
        const key_id = newName();
        if (action !== "create_key") await faulty.keys.create({ key_id, v_code: before });
        const first: Key | undefined = await faulty.keys.get(key_id);
        const matches = ({ body }: Call) => body.includes(`{"S":"${key_id}"}`);
        const answer = await act({ action, key_id, ...fields }, { fault, times, matches });
        const stored = await faulty.keys.get(key_id);
        if (answer !== undefined) expect(stored?.v_code).toBe(vCodeAfter);
        else expect([first?.v_code, vCodeAfter]).toContain(stored?.v_code);
      }
    },
  );
});
