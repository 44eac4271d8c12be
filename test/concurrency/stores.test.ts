import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openStore } from "../../lambdas/dynamodb/open-table.ts";
import type { Key, KeyStore } from "../../lambdas/resources/keys/key-store.ts";
import * as declaredTables from "../../lambdas/resources/tables.ts";
import type { TokenChange, TokenRecord, TokenStore } from "../../lambdas/resources/tokens/token-store.ts";
import { type KeyAction, keyModel, type Shown } from "../../tools/support/linearizability/key-model.ts";
import { isLinearizable, type Operation } from "../../tools/support/linearizability/linearizability.ts";
import { hourMs, inMs, newToken } from "../../tools/support/tokens.ts";
import { useDatabase } from "../lambdas/support/database.ts";
import { type TokenAction, tokenModel } from "./support/token-model.ts";

/*
 * Concurrent clients work on the same few records, in the embedded database or in the one that
 * AWS_ENDPOINT_URL_DYNAMODB names. Their answers must be possible in some sequential order of the calls.
 */

const database = useDatabase();
const runs = 40;

/** What each client does, step by step. The clients run concurrently. */
const programs = <Step>(step: fc.Arbitrary<Step>) =>
  fc.array(fc.array(step, { minLength: 1, maxLength: 7 }), { minLength: 2, maxLength: 6 });

/** Runs the programs concurrently; `perform` does a step and returns what it did to which record. */
const runAll = async <Step, Action>(
  clients: readonly (readonly Step[])[],
  perform: (step: Step) => Promise<[record: string, action: Action][]>,
): Promise<Map<string, Operation<Action>[]>> => {
  const histories = new Map<string, Operation<Action>[]>();
  const run = async (steps: readonly Step[]) => {
    for (const step of steps) {
      const calledAt = performance.now();
      const done = await perform(step);
      const answeredAt = performance.now();
      for (const [record, action] of done) {
        histories.set(record, [...(histories.get(record) ?? []), { action, calledAt, answeredAt }]);
      }
    }
  };
  await Promise.all(clients.map(run));
  return histories;
};

const vCodes = ["a", "b", "c"].map((letter) => letter.repeat(64));
const keyStep = fc.record({
  kind: fc.constantFrom("create", "create", "get", "get", "replace", "delete", "list"),
  name: fc.constantFrom("one", "two"),
  v_code: fc.constantFrom(...vCodes),
});
type KeyStep = typeof keyStep extends fc.Arbitrary<infer Step> ? Step : never;

const showing = (key: Key | undefined): Shown | undefined => {
  if (!key) return undefined;
  const { key_id: _, ...shown } = key;
  return shown;
};

const performOn =
  (keys: KeyStore, run: string) =>
  async ({ kind, name, v_code }: KeyStep): Promise<[string, KeyAction][]> => {
    const key_id = `${run} ${name}`;
    switch (kind) {
      case "create": {
        const created = await keys.create({ key_id, v_code });
        if (created.outcome === "taken") return [[name, { kind, v_code, answer: { outcome: "taken" } }]];
        const { key_id: _, ...key } = created.key;
        return [[name, { kind, v_code, answer: { outcome: created.outcome, key } }]];
      }
      case "replace":
        return [[name, { kind, v_code, answer: { key: showing(await keys.replace({ key_id, v_code })) } }]];
      case "delete":
        return [[name, { kind, answer: { deleted: await keys.delete(key_id) } }]];
      case "list": {
        // A list reads each key at a different moment.
        const { keys: listed } = await keys.list({ limit: 1000 });
        return ["one", "two"].map((each) => {
          const found = listed.find((key) => key.key_id === `${run} ${each}`);
          return [each, { kind: "read", answer: showing(found) }];
        });
      }
      default:
        return [[name, { kind: "read", answer: showing(await keys.get(key_id)) }]];
    }
  };

describe("keys", () => {
  test("are linearizable when concurrent clients create, read, list, replace and delete them", {
    timeout: 120_000,
  }, async () => {
    const { client, table } = await database.newTable("key_id");
    const keys = openStore(declaredTables.keys, { client, tableName: table });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(programs(keyStep), async (clients) => {
        run += 1;
        const histories = await runAll(clients, performOn(keys, `run ${run}`));
        for (const history of histories.values()) {
          expect(isLinearizable(history, keyModel), JSON.stringify(history, undefined, 1)).toBe(true);
        }
        for (const name of ["one", "two"]) await keys.delete(`run ${run} ${name}`);
      }),
      { numRuns: runs },
    );
  });
});

const tokenStep = fc.record({
  kind: fc.constantFrom("find", "find", "rotate", "revoke", "use"),
  graceMs: fc.constantFrom(-1, hourMs),
  ageMs: fc.integer({ min: 0, max: 50 }),
});
type TokenStep = typeof tokenStep extends fc.Arbitrary<infer Step> ? Step : never;

const made = async (change: Promise<TokenChange>) => {
  const { made, token } = await change;
  return made ? withoutTime(token) : undefined;
};

/** The times of changes follow from the clock, not from the order of the calls. */
const withoutTime = (token: TokenRecord | undefined) => {
  const { changed_at: _, ...record } = token ?? {};
  return token && (record as TokenRecord);
};

const performOnToken =
  (tokens: TokenStore, tokenId: string) =>
  async ({ kind, graceMs, ageMs }: TokenStep): Promise<[string, TokenAction][]> => {
    switch (kind) {
      case "rotate": {
        const rotated_by = `invoke:${Math.random()}`;
        const rotation = { rotated_at: inMs(0), expires_at: inMs(graceMs), rotated_by, successor_id: rotated_by };
        return [[tokenId, { kind, rotation, answer: await made(tokens.rotate(tokenId, rotation)) }]];
      }
      case "revoke": {
        const by = { revoked_at: inMs(0), revoked_by: `invoke:${Math.random()}` };
        return [[tokenId, { kind, by, answer: await made(tokens.revoke(tokenId, by)) }]];
      }
      case "use": {
        const usedAt = inMs(-ageMs);
        await tokens.recordUse(tokenId, usedAt);
        return [[tokenId, { kind, usedAt }]];
      }
      default:
        return [[tokenId, { kind: "find", answer: withoutTime(await tokens.find(tokenId)) }]];
    }
  };

describe("tokens", () => {
  test("are linearizable when concurrent clients find, rotate, revoke and use them", { timeout: 120_000 }, async () => {
    const { client, table } = await database.newTable("token_id");
    const tokens = openStore(declaredTables.tokens, { client, tableName: table });
    await fc.assert(
      fc.asyncProperty(programs(tokenStep), async (clients) => {
        const { record } = newToken();
        await tokens.insert(record);
        const histories = await runAll(clients, performOnToken(tokens, record.token_id));
        for (const history of histories.values()) {
          expect(isLinearizable(history, tokenModel(record)), JSON.stringify(history, undefined, 1)).toBe(true);
        }
      }),
      { numRuns: runs },
    );
  });
});
