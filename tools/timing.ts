/*
 * Measures how long the bundled functions take to refuse a token, and therefore what that time could reveal to an attacker:
 * an endpoint that does not read ahead, a list, which reads ahead for callers that it knows, so that a stranger must not learn
 * from it how much is stored, and the endpoint that takes an invitation, from which a stranger must not learn which ones exist,
 * or have been used.
 */

import { openStore } from "../lambdas/dynamodb/open-table.ts";
import { tables } from "../lambdas/resources/stores.ts";
import { formatTokenText, generateTokenText, type TextKind } from "../lambdas/resources/tokens/token-text.ts";
import type { Outcome, Trial } from "./lab/experiment.ts";
import { type OperationExample, operationExamples } from "./support/examples.ts";
import { httpEvent } from "./support/http-event.ts";
import { type LoadedFunctions, loadFunctions } from "./support/loaded-functions.ts";
import { type MemoryDatabase, startMemoryDatabase } from "./support/memory-database.ts";
import { hourMs, inMs, newInvitation, newToken } from "./support/tokens.ts";

const storedTokens = 200;
const storedKeys = 200;
const author = { by: "admin@example.com", from: "203.0.113.1", requestId: "request" };

interface Attempt {
  token: () => string;
  query?: string;
}

/** The requests that somebody without a token can send. */
interface Attempts {
  plain: Record<string, Attempt>;
  /** The same request for a small and for a large part of the stored keys. */
  list: Record<string, Attempt>;
  invitation: Record<string, Attempt>;
}

const withWrongSecret = (token_id: string, kind: TextKind = "token") =>
  formatTokenText({ ...generateTokenText(), token_id }, kind);

/** The attempts of a stranger, after storing tokens, invitations and keys. */
const attemptsOn = async ({ client }: MemoryDatabase, { tableOf }: LoadedFunctions): Promise<Attempts> => {
  const tokens = openStore(tables.tokens, { client, tableName: tableOf("tokens") });
  const keys = openStore(tables.keys, { client, tableName: tableOf("keys") });
  const storedIds = async (create: typeof newToken): Promise<() => string> => {
    const all = Array.from({ length: storedTokens }, () => create().record);
    for (const record of all) await tokens.insert(record, { kind: "issued", author });
    return () => all[Math.floor(Math.random() * all.length)]?.token_id ?? "";
  };
  const anyToken = await storedIds(newToken);
  const anyInvitation = await storedIds(newInvitation);
  const anyUsedInvitation = await storedIds(() => newInvitation({ redeemed_at: inMs(-hourMs) }));
  for (let key = 0; key < storedKeys; key += 1) {
    await keys.create({ key_id: `key ${key}`, v_code: "v".repeat(64) }, author);
  }
  const unknownId = () => formatTokenText(generateTokenText());
  const plain = {
    "unknown id": { token: unknownId },
    "wrong secret": { token: () => withWrongSecret(anyToken()) },
    "wrong checksum": { token: () => `${withWrongSecret(anyToken()).slice(0, -1)}_` },
  };
  return {
    plain,
    list: {
      ...plain,
      "limit=1": { token: unknownId, query: "limit=1" },
      "limit=100": { token: unknownId, query: "limit=100" },
    },
    invitation: {
      "unknown id": { token: () => formatTokenText(generateTokenText(), "invitation") },
      "wrong secret": { token: () => withWrongSecret(anyInvitation(), "invitation") },
      "wrong secret of a used one": { token: () => withWrongSecret(anyUsedInvitation(), "invitation") },
      "wrong checksum": { token: () => `${withWrongSecret(anyInvitation(), "invitation").slice(0, -1)}_` },
    },
  };
};

/** The microseconds that a refusal takes. */
const measure = async (
  functions: LoadedFunctions,
  { request }: OperationExample,
  { token, query }: Attempt,
): Promise<number> => {
  const { functionName, event } = httpEvent(
    {
      method: request.method,
      path: decodeURIComponent(request.path),
      query: query ?? request.query,
      headers: { accept: "application/json", "x-token": token() },
    },
    functions,
  );
  const startedAt = process.hrtime.bigint();
  const { outcome } = await functions.invoke(functionName, event);
  const microseconds = Number(process.hrtime.bigint() - startedAt) / 1000;
  const { statusCode } = ("answer" in outcome ? outcome.answer : {}) as { statusCode?: number };
  if (statusCode !== 401) throw new Error(`${functionName} did not refuse a call.`);
  return microseconds;
};

type Samples = Record<string, number[]>;

const takeSamples = async (
  all: Record<string, Attempt>,
  { rounds, warmUp, take }: { rounds: number; warmUp: number; take: (attempt: Attempt) => Promise<number> },
): Promise<Samples> => {
  const samples: Samples = Object.fromEntries(Object.keys(all).map((name) => [name, []]));
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // In a different order each time, so that no attempt always follows the same one.
    for (const [name, attempt] of Object.entries(all).toSorted(() => Math.random() - 0.5)) {
      const microseconds = await take(attempt);
      if (round >= warmUp) samples[name]?.push(microseconds);
    }
  }
  return samples;
};

const quantile = (all: number[], share: number) => all.toSorted((a, b) => a - b)[Math.floor(all.length * share)] ?? 0;

/** The share of all pairs in which the first sample takes longer than the second: 0.5 if they are indistinguishable. */
const longerShare = (one: number[], other: number[]): number => {
  const ranked = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))];
  ranked.sort((a, b) => a.value - b.value);
  const rankSum = ranked.reduce((sum, { isOne }, index) => sum + (isOne ? index + 1 : 0), 0);
  return (rankSum - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
};

const pairs = [
  ["wrong secret", "unknown id"],
  ["wrong secret of a used one", "wrong secret"],
  ["unknown id", "wrong checksum"],
  ["limit=100", "limit=1"],
] as const;

const linesOf = (samples: Samples): string[] => [
  ...Object.entries(samples).map(([name, taken]) => {
    const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => quantile(taken, share).toFixed(0));
    return `  ${name}: median ${median} µs, middle half ${lower}–${upper} µs, ${taken.length} calls`;
  }),
  ...pairs.flatMap(([one, other]) => {
    const [first, second] = [samples[one], samples[other]];
    if (!first || !second) return [];
    return [`  ${one} takes longer than ${other} in ${longerShare(first, second).toFixed(3)} of all pairs`];
  }),
];

/** Measures refusals. It finds nothing by itself: people compare the figures with those in docs/security.md. */
export const measureTiming = async ({ assembly, isSmoke, numberOf, say }: Trial): Promise<Outcome> => {
  const [rounds, warmUp] = isSmoke ? [2, 0] : [numberOf("rounds") ?? 5_000, 300];
  const database = await startMemoryDatabase();
  try {
    const functions = await loadFunctions(await assembly(), database.access);
    const { plain, list, invitation } = await attemptsOn(database, functions);
    const examples = operationExamples();
    const measured = [
      [plain, examples.find(({ operation }) => !operation.endpoint.readsAhead)],
      [list, examples.find(({ operation: { endpoint } }) => endpoint.readsAhead && endpoint.query)],
      [invitation, examples.find(({ operation: { endpoint } }) => endpoint.credential === "invitation")],
    ] as const;
    for (const [attempts, example] of measured) {
      if (!example) throw new Error("An endpoint to measure is missing.");
      const take = (attempt: Attempt) => measure(functions, example, attempt);
      const samples = await takeSamples(attempts, { rounds, warmUp, take });
      const { functionName, endpoint } = example.operation;
      say(`${functionName}, which ${endpoint.readsAhead ? "reads ahead" : "does not read ahead"}:`);
      for (const line of linesOf(samples)) say(line);
    }
    return { problems: [] };
  } finally {
    database.close();
  }
};
