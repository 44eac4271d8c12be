import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import { adminRoute } from "../../../lambdas/declaration/action.ts";
import { loadFunctions } from "../../support/loaded-functions.ts";
import { startMemoryDatabase } from "../../support/memory-database.ts";
import { invokeCase } from "./bodies.ts";
import type { Case } from "./case.ts";
import { type DatabaseCall, noteCalls } from "./database-calls.ts";
import { createFixtures } from "./fixtures.ts";
import { httpCase } from "./http-cases.ts";
import { assertPromises } from "./invariants.ts";
import { type Sent, send } from "./send.ts";

/** Any case. There are many more requests than invocations. */
export const anyCase: fc.Arbitrary<Case> = fc.oneof(
  { weight: 6, arbitrary: httpCase },
  { weight: 1, arbitrary: invokeCase },
);

/** How often each function returned each status or error. */
export type Tally = Map<string, number>;

export interface Fuzzer {
  /** Sends a case and throws if it violates an invariant. */
  check(one: Case): Promise<void>;
  /** Restores the tables. */
  restore(): Promise<void>;
  tally: Tally;
  /** The endpoints and the admin actions that have succeeded at least once. */
  succeeded: Set<string>;
  close(): void;
}

/** The bundled functions with a separate database, and the invariants that hold for every input. */
export const startFuzzer = async (assemblyDirectory: string): Promise<Fuzzer> => {
  const database = await startMemoryDatabase();
  const calls = noteCalls(database.server);
  const functions = await loadFunctions(assemblyDirectory, database.access);
  const fixtures = createFixtures(database, {
    keys: functions.tableOf("keys"),
    tokens: functions.tableOf("tokens"),
  });
  const tally: Tally = new Map();
  const succeeded = new Set<string>();
  let keys = await fixtures.restoreAll();

  /** The table has a key as the last accepted request left it. */
  const assertKept = async (written: DatabaseCall[], isTaken: boolean): Promise<void> => {
    for (const { keyId = "" } of written.filter(({ table }) => table === functions.tableOf("keys"))) {
      const stored = (await fixtures.keys.get(keyId))?.v_code;
      if (!isTaken) assert.equal(stored, keys.get(keyId), "a refused request changed a key");
      else if (stored === undefined) keys.delete(keyId);
      else keys.set(keyId, stored);
    }
  };

  /** The key in a response is the one that is stored. */
  const assertTold = async ({ outcome }: Sent): Promise<void> => {
    const answer = Object("answer" in outcome ? outcome.answer : undefined) as { body?: string; statusCode?: number };
    const content: unknown = answer.statusCode === undefined ? answer : parseJson(answer.body);
    const { data } = z.safeParse(answeredKey, content);
    if (data) assert.deepEqual(await fixtures.keys.get(data.key_id), data, "the response differs from the stored key");
  };

  return {
    tally,
    succeeded,
    async check(one) {
      calls.take();
      const sent = await send(one, functions, fixtures);
      const made = calls.take();
      const written = made.filter(({ isWrite }) => isWrite);
      const { isTaken } = assertPromises(sent, made, fixtures);
      await assertKept(written, isTaken);
      if (isTaken) {
        succeeded.add(sent.functionName === "admin" ? actionOf(sent) : sent.functionName);
        await assertTold(sent);
      }
      if (written.some(({ table }) => table === functions.tableOf("tokens"))) {
        if (!isTaken) await fixtures.assertTokensKept();
        await fixtures.restoreTokens();
      }
      count(tally, sent);
    },
    async restore() {
      keys = await fixtures.restoreAll();
    },
    close: () => database.close(),
  };
};

const answeredKey = z.object({
  key_id: z.string(),
  v_code: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** The value of a JSON text; `undefined` for any other text, such as a page. */
const parseJson = (text = ""): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const actionsByRoute = new Map(
  Object.entries(actions).map(([name, { contract }]) => {
    const { method, path } = adminRoute(contract);
    return [`${method} ${path}`, name];
  }),
);

/** The name of the action that the admin function performed. */
const actionOf = ({ event }: Sent): string =>
  actionsByRoute.get(String(event.routeKey).replace("+}", "}")) ?? String(event.action);

const count = (tally: Tally, { functionName, outcome }: Sent): void => {
  const answer = "answer" in outcome ? (outcome.answer as { statusCode?: number } | null) : undefined;
  const result = "error" in outcome ? String((outcome.error as Error).name) : (answer?.statusCode ?? "answered");
  const name = `${functionName} ${result}`;
  tally.set(name, (tally.get(name) ?? 0) + 1);
};
