import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { generateKeyPair } from "jose";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import { type ActionExample, actionExamples } from "../support/examples.ts";
import { httpEvent } from "../support/http-event.ts";
import { type LoadedFunctions, loadFunctions } from "../support/loaded-functions.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import { startParameterStore } from "../support/parameters.ts";
import { adviceForSuccess, type StateName, statesOf } from "../support/table-states.ts";
import { startTestUserPool } from "../support/user-pool.ts";
import { startTestIssuer } from "../support/workloads.ts";
import type { Case } from "./case.ts";
import { createFixtures, type Fixtures } from "./fixtures.ts";
import { assertTold, assertUnchanged, httpAnswerOf, judgeOf, type Sent } from "./judge.ts";
import { anyCase } from "./requests.ts";

/** Starts the bundled functions with a separate database. */
const startFuzzer = async (service: Service, assemblyDirectory: string) => {
  const database = await startMemoryDatabase();
  const issuer = await startTestIssuer();
  const userPool = await startTestUserPool();
  const parameterStore = await startParameterStore(service);
  const stranger = await generateKeyPair("RS256");
  const addresses = { issuerUrl: issuer.url, loginUrl: userPool.issuer, messagesUrl: parameterStore.url };
  const functions = await loadFunctions(assemblyDirectory, database.access, addresses);
  const jwt = await issuer.workloadJwt();
  const fixtures = createFixtures(service, database, { tableOf: functions.tableOf, jwt });
  const isAccepted = judgeOf(service, fixtures);
  const actions = actionExamples(service);
  /** How often each function returned each status or error. */
  const tally: Record<string, number> = {};
  /** The endpoints and the admin actions that have succeeded at least once. */
  const succeeded = new Set<string>();
  let contents = await fixtures.contents();

  return {
    tally,
    succeeded,
    /** Sends a case. Throws if the functions violate an invariant. */
    async check(one: Case): Promise<void> {
      const before = contents;
      const sent = await send(one, { functions, fixtures, userPool, stranger });
      const after = await fixtures.contents();
      contents = after;
      if (after.tokens !== before.tokens) {
        await fixtures.restoreTokens();
        contents = await fixtures.contents();
      }
      const isTaken = isAccepted(sent);
      if (isTaken) {
        succeeded.add(sent.functionName.startsWith("admin") ? actionOf(sent, actions) : sent.functionName);
        assertTold(sent, after);
      } else assertUnchanged(sent, before, after);
      const name = `${sent.functionName} ${resultOf(sent)}`;
      tally[name] = (tally[name] ?? 0) + 1;
    },
    async restore(state: StateName): Promise<void> {
      await fixtures.restore(state);
      contents = await fixtures.contents();
    },
    close() {
      database.close();
      parameterStore.close();
      issuer.close();
      userPool.close();
    },
  };
};

interface Target {
  functions: LoadedFunctions;
  fixtures: Fixtures;
  userPool: Awaited<ReturnType<typeof startTestUserPool>>;
  /** A key pair that does not belong to the user pool. */
  stranger: Awaited<ReturnType<typeof generateKeyPair>>;
}

const send = async (one: Case, { functions, fixtures, userPool, stranger }: Target): Promise<Sent> => {
  const filled: Case = JSON.parse(fixtures.fill(JSON.stringify(one)));
  if (filled.kind === "http" && filled.claims) {
    const claims = { client_id: functions.clientId, ...filled.claims };
    const token = await userPool.sign(claims, "forged" in claims ? stranger : undefined);
    filled.headers = { authorization: `Bearer ${token}`, ...filled.headers };
  }
  const sent = filled.kind === "http" ? httpEvent(filled, functions) : { functionName: "admin", event: filled.payload };
  const event = { ...Object(sent.event), ...(filled.kind === "http" && filled.tampered) };
  const before = process.cpuUsage();
  const { outcome, log } = await functions.invoke(sent.functionName, filled.kind === "http" ? event : filled.payload);
  const { user, system } = process.cpuUsage(before);
  return { functionName: sent.functionName, event, outcome, log, cpuMilliseconds: (user + system) / 1000 };
};

/** Returns the name of the action that the admin function performed. */
const actionOf = ({ event }: Sent, actions: readonly ActionExample[]): string =>
  actions.find(({ path, request }) => `${request.method} ${path}` === String(event.routeKey).replace("+}", "}"))
    ?.name ?? String(event.action);

const resultOf = (sent: Sent): string => {
  if ("error" in sent.outcome) return String((sent.outcome.error as Error).name);
  return String(httpAnswerOf(sent)?.statusCode ?? "answered");
};

/** Stores the smallest failed case in the folder where later runs find it. */
const keep = async (failed: Case | undefined, folder: string): Promise<string> => {
  const text = `${JSON.stringify(failed, undefined, 2)}\n`;
  const path = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 12)}.json`);
  await writeFile(path, text);
  return path;
};

interface FuzzOptions {
  /** The cloud assembly. */
  assemblyDirectory: string;
  /** The seed of the random choices. */
  seed: number;
  /** Shows the progress of the run. */
  progress?: (text: string) => void;
  /** Makes the run longer: it ends after this time, rather than when each endpoint and action has succeeded. */
  seconds?: number | undefined;
  /** The folder with the cases that failed before. A longer run adds the cases that it finds. */
  failedCases?: string;
}

/** Each round starts with the same tokens and keys, because a request that deletes a key makes it unavailable to later requests. */
const roundSize = 100;
const smokeRounds = 10;
const mostSmokeRounds = 110;

/** Sends hostile requests to the bundled functions: first the cases that failed before, then new ones. */
export const fuzz = async (service: Service, options: FuzzOptions) => {
  const { assemblyDirectory, seed, progress = () => undefined, seconds, failedCases } = options;
  const isSmoke = seconds === undefined;
  // Thousands of new keys stay in the embedded database. Each would otherwise keep a slab of Node's pool in memory.
  Buffer.poolSize = 0;
  const { check, restore, close, tally, succeeded } = await startFuzzer(service, assemblyDirectory);
  const expected = [
    ...operationsOf(service).map(({ functionName }) => functionName),
    ...actionExamples(service).map(({ name }) => name),
  ];
  const missing = () => expected.filter((name) => !succeeded.has(name));
  const endsAt = performance.now() + (seconds ?? 0) * 1_000;
  const isOver = (rounds: number): boolean => {
    if (!isSmoke) return performance.now() > endsAt;
    // A random run may miss something, and a run in which every case is rejected would prove little.
    return rounds >= (missing().length > 0 ? mostSmokeRounds : smokeRounds);
  };
  const problems: string[] = [];
  const anyOfService = anyCase(service);
  const states = statesOf(service.tables);
  try {
    for (const file of failedCases === undefined ? [] : await readdir(failedCases)) {
      const kept: Case = JSON.parse(await readFile(join(failedCases ?? "", file), "utf8"));
      await restore("filled");
      await check(kept).catch((error: unknown) => problems.push(`The case ${file} fails again: ${error}`));
    }
    let cases = 0;
    for (let round = 0; problems.length === 0 && !isOver(round); round += 1) {
      await restore(states[round % states.length] ?? "filled");
      const parameters = { seed: seed + round, numRuns: roundSize };
      const result = await fc.check(fc.asyncProperty(anyOfService, check), parameters);
      cases += result.numRuns;
      progress(`${cases} cases`);
      if (!result.failed) continue;
      const [smallest] = result.counterexample ?? [];
      const place = isSmoke || !failedCases ? JSON.stringify(smallest) : await keep(smallest, failedCases);
      problems.push(`--seed ${seed + round} finds ${place}: ${(result.errorInstance as Error)?.stack}`);
    }
    if (isSmoke) problems.push(...missing().map((name) => `${name} has never succeeded. ${adviceForSuccess}`));
    return { problems, figures: { cases, ...Object.fromEntries(Object.entries(tally).toSorted()) } };
  } finally {
    close();
  }
};
