/*
 * Measures how long the bundled functions take to refuse a token, and therefore what that time could reveal to an attacker:
 * an endpoint that does not read ahead, a list, which reads ahead for callers that it knows, so that a stranger must not learn
 * from it how much is stored, and the endpoint that takes an invitation, from which a stranger must not learn which ones exist,
 * or have been used.
 */

import { api } from "../lambdas/api.ts";
import { openStore } from "../lambdas/dynamodb/open-table.ts";
import { tables } from "../lambdas/resources/stores.ts";
import { formatTokenText, generateTokenText, type TextKind } from "../lambdas/resources/tokens/token-text.ts";
import { type OperationExample, operationExamples } from "../testing/support/examples.ts";
import { httpEvent } from "../testing/support/http-event.ts";
import { type LoadedFunctions, loadFunctions } from "../testing/support/loaded-functions.ts";
import { type MemoryDatabase, startMemoryDatabase } from "../testing/support/memory-database.ts";
import { hourMs, inMs, newInvitation, newToken } from "../testing/support/tokens.ts";
import type { Outcome, Trial } from "./lab/experiment.ts";

const stored = 200;
const author = { by: "admin@example.com", from: "203.0.113.1", requestId: "request" };

interface Attempt {
  token: () => string;
  query?: string;
}

/** Two kinds of attempts on an endpoint, of which the first could take longer. */
type Comparison = [what: string, example: OperationExample | undefined, first: Attempt, second: Attempt];

const withWrongSecret = (token_id: string, kind: TextKind = "token") =>
  formatTokenText({ ...generateTokenText(), token_id }, kind);
const withWrongChecksum = () => `${formatTokenText(generateTokenText()).slice(0, -1)}_`;

/** What somebody without a token can try, after storing tokens, invitations and keys. */
const comparisonsOn = async (
  { client }: MemoryDatabase,
  { tableOf }: Pick<LoadedFunctions, "tableOf">,
): Promise<Comparison[]> => {
  const tokens = openStore(tables.tokens, { client, tableName: tableOf("tokens") });
  const keys = openStore(tables.keys, { client, tableName: tableOf("keys") });
  const storedIds = async (create: typeof newToken): Promise<() => string> => {
    const all = Array.from({ length: stored }, () => create().record);
    for (const record of all) await tokens.insert(record, { kind: "issued", author });
    return () => all[Math.floor(Math.random() * all.length)]?.token_id ?? "";
  };
  const anyToken = await storedIds(newToken);
  const anyInvitation = await storedIds(newInvitation);
  const anyUsedInvitation = await storedIds(() => newInvitation({ redeemed_at: inMs(-hourMs) }));
  for (let key = 0; key < stored; key += 1) {
    await keys.create({ key_id: `key ${key}`, v_code: "v".repeat(64) }, author);
  }

  const examples = operationExamples(api);
  const plain = examples.find(({ operation }) => !operation.endpoint.readsAhead);
  const list = examples.find(({ operation: { endpoint } }) => endpoint.readsAhead && endpoint.query);
  const invitation = examples.find(({ operation: { endpoint } }) => endpoint.credential === "invitation");
  const unknownId = { token: () => formatTokenText(generateTokenText()) };
  const unknownInvitation = { token: () => formatTokenText(generateTokenText(), "invitation") };
  const wrongSecret = { token: () => withWrongSecret(anyToken()) };
  const wrongSecretOfInvitation = { token: () => withWrongSecret(anyInvitation(), "invitation") };
  const wrongSecretOfUsed = { token: () => withWrongSecret(anyUsedInvitation(), "invitation") };
  const [many, one] = [
    { ...unknownId, query: "limit=100" },
    { ...unknownId, query: "limit=1" },
  ];
  return [
    ["a wrong secret than an unknown id", plain, wrongSecret, unknownId],
    ["an unknown id than a wrong checksum", plain, unknownId, { token: withWrongChecksum }],
    ["a wrong secret than an unknown id", list, wrongSecret, unknownId],
    ["a list with limit=100 than with limit=1", list, many, one],
    ["a wrong secret than an unknown invitation", invitation, wrongSecretOfInvitation, unknownInvitation],
    ["a used invitation than another one", invitation, wrongSecretOfUsed, wrongSecretOfInvitation],
  ];
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

/** The share of all pairs in which the first sample takes longer than the second: 0.5 if they are indistinguishable. */
const longerShare = (one: number[], other: number[]): number => {
  const ranked = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))];
  ranked.sort((a, b) => a.value - b.value);
  const rankSum = ranked.reduce((sum, { isOne }, index) => sum + (isOne ? index + 1 : 0), 0);
  return (rankSum - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
};

/** Measures refusals. It finds nothing by itself: people compare the figures with those in docs/security.md. */
export const measureTiming = async ({ assembly, isSmoke, numberOf, say }: Trial): Promise<Outcome> => {
  const [rounds, warmUp] = isSmoke ? [2, 0] : [numberOf("rounds") ?? 5_000, 300];
  const database = await startMemoryDatabase();
  try {
    const functions = await loadFunctions(await assembly(), database.access);
    for (const [what, example, first, second] of await comparisonsOn(database, functions)) {
      if (!example) throw new Error("An endpoint to measure is missing.");
      const samples = new Map<Attempt, number[]>([first, second].map((attempt) => [attempt, []]));
      for (let round = 0; round < rounds + warmUp; round += 1) {
        // In a different order each time, so that none always follows the other.
        for (const [attempt, taken] of [...samples].toSorted(() => Math.random() - 0.5)) {
          const microseconds = await measure(functions, example, attempt);
          if (round >= warmUp) taken.push(microseconds);
        }
      }
      const share = longerShare(samples.get(first) ?? [], samples.get(second) ?? []);
      say(`${example.operation.functionName}: ${what} takes longer in ${share.toFixed(3)} of all pairs`);
    }
    return { problems: [] };
  } finally {
    database.close();
  }
};
