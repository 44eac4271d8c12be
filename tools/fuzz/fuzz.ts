import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import * as z from "zod/mini";
import * as actions from "../../lambdas/admin/actions.ts";
import { api } from "../../lambdas/api.ts";
import { adminRoute } from "../../lambdas/declaration/action.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import type { Outcome, Trial } from "../lab/experiment.ts";
import { httpEvent } from "../support/http-event.ts";
import { type LoadedFunctions, loadFunctions } from "../support/loaded-functions.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import type { Case } from "./case.ts";
import { callsPerMinute, createFixtures, type Fixtures } from "./fixtures.ts";
import { assertPromises, type DatabaseCall, noteCalls, type Sent } from "./judge.ts";
import { anyCase, limitedRequests } from "./requests.ts";

/** The bundled functions with a separate database, and the judge of what they do with a case. */
const startFuzzer = async (assemblyDirectory: string) => {
  const database = await startMemoryDatabase();
  const calls = noteCalls(database.server);
  const functions = await loadFunctions(assemblyDirectory, database.access);
  const tables = { keys: functions.tableOf("keys"), tokens: functions.tableOf("tokens") };
  const fixtures = createFixtures(database, tables);
  /** How often each function returned each status or error. */
  const tally = new Map<string, number>();
  /** The endpoints and the admin actions that have succeeded at least once. */
  const succeeded = new Set<string>();
  let keys = await fixtures.restoreAll();

  /** The table has a key as the last accepted request left it. */
  const assertKept = async (written: DatabaseCall[], isTaken: boolean): Promise<void> => {
    for (const { keyId = "" } of written.filter(({ table }) => table === tables.keys)) {
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
    const { data } = z.safeParse(shownKey, content);
    if (data) assert.deepEqual(await fixtures.keys.get(data.key_id), data, "the response differs from the stored key");
  };

  return {
    tally,
    succeeded,
    /** Sends a case. Throws if the functions do not keep what they promise. */
    async check(one: Case): Promise<void> {
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
      if (written.some(({ table }) => table === tables.tokens)) {
        if (!isTaken) await fixtures.assertTokensKept();
        await fixtures.restoreTokens();
      }
      const name = `${sent.functionName} ${resultOf(sent)}`;
      tally.set(name, (tally.get(name) ?? 0) + 1);
    },
    /** Restores the tables. */
    async restore(): Promise<void> {
      keys = await fixtures.restoreAll();
    },
    close: () => database.close(),
  };
};

type Fuzzer = Awaited<ReturnType<typeof startFuzzer>>;

const send = async (one: Case, functions: LoadedFunctions, fixtures: Fixtures): Promise<Sent> => {
  const filled: Case = JSON.parse(fixtures.fill(JSON.stringify(one)));
  const sent = filled.kind === "http" ? httpEvent(filled, functions) : { functionName: "admin", event: filled.payload };
  const event = { ...Object(sent.event), ...(filled.kind === "http" && filled.tampered) };
  const before = process.cpuUsage();
  const { outcome, log } = await functions.invoke(sent.functionName, filled.kind === "http" ? event : filled.payload);
  const { user, system } = process.cpuUsage(before);
  return { functionName: sent.functionName, event, outcome, log, cpuMilliseconds: (user + system) / 1000 };
};

const shownKey = z.object({ key_id: z.string(), v_code: z.string(), created_at: z.string(), updated_at: z.string() });

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

const resultOf = ({ outcome }: Sent): string => {
  if ("error" in outcome) return String((outcome.error as Error).name);
  return String(Object(outcome.answer).statusCode ?? "answered");
};

const seeds = new URL("seeds/", import.meta.url);
const functionNames = operationsOf(api).map(({ functionName }) => functionName);

/** Stores the smallest case that failed where later runs find it. */
const keep = async (failed: Case | undefined): Promise<string> => {
  const text = `${JSON.stringify(failed, undefined, 2)}\n`;
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.json`;
  await writeFile(new URL(name, seeds), text);
  return name;
};

/** The problems of cases that failed before. */
const tryKept = async (fuzzer: Fuzzer): Promise<string[]> => {
  const problems: string[] = [];
  for (const file of await readdir(seeds)) {
    const kept: Case = JSON.parse(await readFile(new URL(file, seeds), "utf8"));
    await fuzzer.restore();
    await fuzzer.check(kept).catch((error: unknown) => problems.push(`The case ${file} fails again: ${error}`));
  }
  return problems;
};

/** Each round starts with the same tokens and keys, because a request that deletes a key takes it away from the others. */
const smokeRound = 100;
const smokeRounds = 10;
const mostSmokeRounds = 110;
const longRound = 5_000;

/** Sends hostile requests to the bundled functions. */
export const fuzz = async ({ assembly, seed, seconds, isSmoke, progress }: Trial): Promise<Outcome> => {
  // Thousands of new keys stay in the embedded database. Each would keep a slab of Node's pool in memory.
  Buffer.poolSize = 0;
  const fuzzer = await startFuzzer(await assembly());
  const { tally, succeeded } = fuzzer;
  const expected = [...functionNames, ...Object.keys(actions)];
  const missing = () => expected.filter((name) => !succeeded.has(name));
  const endsAt = performance.now() + seconds * 1_000;
  const isOver = (rounds: number): boolean => {
    if (!isSmoke) return performance.now() > endsAt;
    // A random run may miss something, and cases that are always refused would prove little.
    return rounds >= (missing().length > 0 ? mostSmokeRounds : smokeRounds);
  };
  try {
    const problems = await tryKept(fuzzer);
    let cases = 0;
    for (let round = 0; problems.length === 0 && !isOver(round); round += 1) {
      await fuzzer.restore();
      const property = fc.asyncProperty(anyCase, fuzzer.check);
      const parameters = { seed: seed + round, numRuns: isSmoke ? smokeRound : longRound };
      const { failed, counterexample, errorInstance, numRuns } = await fc.check(property, parameters);
      cases += numRuns;
      progress(`${cases} cases`);
      if (!failed) continue;
      const [smallest] = counterexample ?? [];
      const place = isSmoke ? JSON.stringify(smallest) : `tools/fuzz/seeds/${await keep(smallest)}`;
      problems.push(`--seed ${seed + round} finds ${place}: ${(errorInstance as Error)?.stack}`);
    }
    if (isSmoke && problems.length === 0) problems.push(...(await untriedLimits(fuzzer)));
    if (isSmoke) problems.push(...missing().map((name) => `${name} has never succeeded.`));
    return { problems, figures: { cases, ...Object.fromEntries([...tally].toSorted()) } };
  } finally {
    fuzzer.close();
  }
};

/** The endpoints at which a token with a limit does not reach it. */
const untriedLimits = async ({ check, tally }: Fuzzer): Promise<string[]> => {
  // At least half of the calls fall into the same minute.
  const calls = 2 * (callsPerMinute + 1);
  for (const request of limitedRequests.flatMap((limited) => Array<Case>(calls).fill(limited))) await check(request);
  return functionNames.filter((name) => !tally.has(`${name} 429`)).map((name) => `${name} has not reached a limit.`);
};
