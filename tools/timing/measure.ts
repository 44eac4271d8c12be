/*
 * `npm run timing` measures how long the bundled functions take to refuse a token, and so what their time could reveal to an
 * attacker. It measures an endpoint that does not read ahead, and a list, which reads ahead for callers that it knows: a
 * stranger must not learn from it how much is stored. And it measures the endpoint that takes an invitation: a stranger must not
 * learn which ones exist, or have been used.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../../lambdas/dynamodb/open-table.ts";
import { tables } from "../../lambdas/resources/stores.ts";
import { formatTokenText, generateTokenText, type TextKind } from "../../lambdas/resources/tokens/token-text.ts";
import { synthesise } from "../../local/synthesise.ts";
import { type OperationExample, operationExamples } from "../support/examples.ts";
import { httpEvent } from "../support/http-event.ts";
import { loadFunctions } from "../support/loaded-functions.ts";
import { startMemoryDatabase } from "../support/memory-database.ts";
import { hourMs, inMs, newInvitation, newToken } from "../support/tokens.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5000" } } });
const rounds = Number(values.rounds);
const warmUpRounds = 300;
const storedTokens = 200;
const storedKeys = 200;
const author = { by: "admin@example.com", from: "203.0.113.1", requestId: "request" };

const directory = await mkdtemp(join(tmpdir(), "integration-api-timing-"));
const database = await startMemoryDatabase();
const functions = await loadFunctions(await synthesise(directory), database.access);
const { client } = database;
const store = openStore(tables.tokens, { client, tableName: functions.tableOf("tokens") });
const storedIds = async (create: typeof newToken): Promise<() => string> => {
  const all = Array.from({ length: storedTokens }, () => create().record);
  for (const record of all) await store.insert(record, { kind: "issued", author });
  return () => all[Math.floor(Math.random() * all.length)]?.token_id ?? "";
};
const anyToken = await storedIds(newToken);
const anyInvitation = await storedIds(newInvitation);
const anyUsedInvitation = await storedIds(() => newInvitation({ redeemed_at: inMs(-hourMs) }));
const keys = openStore(tables.keys, { client, tableName: functions.tableOf("keys") });
for (let key = 0; key < storedKeys; key += 1)
  await keys.create({ key_id: `key ${key}`, v_code: "v".repeat(64) }, author);

interface Attempt {
  token: () => string;
  query?: string;
}

const unknownId = () => formatTokenText(generateTokenText());

const withWrongSecret = (token_id: string, kind: TextKind = "token") =>
  formatTokenText({ ...generateTokenText(), token_id }, kind);

/** The requests that somebody without a token can send. */
const attempts: Record<string, Attempt> = {
  "unknown id": { token: unknownId },
  "wrong secret": { token: () => withWrongSecret(anyToken()) },
  "wrong checksum": { token: () => `${withWrongSecret(anyToken()).slice(0, -1)}_` },
};

/** The same with invitations. */
const invitationAttempts: Record<string, Attempt> = {
  "unknown id": { token: () => formatTokenText(generateTokenText(), "invitation") },
  "wrong secret": { token: () => withWrongSecret(anyInvitation(), "invitation") },
  "wrong secret of a used one": { token: () => withWrongSecret(anyUsedInvitation(), "invitation") },
  "wrong checksum": { token: () => `${withWrongSecret(anyInvitation(), "invitation").slice(0, -1)}_` },
};

/** The same request for little and for much of what is stored. */
const listAttempts: Record<string, Attempt> = {
  ...attempts,
  "limit=1": { token: unknownId, query: "limit=1" },
  "limit=100": { token: unknownId, query: "limit=100" },
};

const measure = async ({ request }: OperationExample, { token, query }: Attempt): Promise<number> => {
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

const takeSamples = async (
  example: OperationExample,
  all: Record<string, Attempt>,
): Promise<Record<string, number[]>> => {
  const samples = Object.fromEntries(Object.keys(all).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds + warmUpRounds; round += 1) {
    // In a different order each time, so that none always follows the same one.
    for (const [name, attempt] of Object.entries(all).toSorted(() => Math.random() - 0.5)) {
      const microseconds = await measure(example, attempt);
      if (round >= warmUpRounds) samples[name]?.push(microseconds);
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

const report = async (example: OperationExample, all: Record<string, Attempt>): Promise<void> => {
  const { functionName, endpoint } = example.operation;
  const samples = await takeSamples(example, all);
  console.log(`${functionName}, which ${endpoint.readsAhead ? "reads ahead" : "does not read ahead"}:`);
  for (const [name, taken] of Object.entries(samples)) {
    const [lower, median, upper] = [0.25, 0.5, 0.75].map((share) => quantile(taken, share).toFixed(0));
    console.log(`  ${name}: median ${median} µs, middle half ${lower}–${upper} µs, ${taken.length} calls`);
  }
  for (const [one, other] of pairs) {
    const [first, second] = [samples[one], samples[other]];
    if (!first || !second) continue;
    const share = longerShare(first, second).toFixed(3);
    console.log(`  ${one} takes longer than ${other} in ${share} of all pairs`);
  }
};

const examples = operationExamples();
const list = examples.find(({ operation: { endpoint } }) => endpoint.readsAhead && endpoint.query);
const plain = examples.find(({ operation }) => !operation.endpoint.readsAhead);
const invited = examples.find(({ operation: { endpoint } }) => endpoint.credential === "invitation");
if (plain) await report(plain, attempts);
if (list) await report(list, listAttempts);
if (invited) await report(invited, invitationAttempts);

database.close();
await rm(directory, { recursive: true });
process.exit();
