import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import { createDatabase, type Database } from "./database/database.ts";
import { execute, type Run } from "./execute.ts";
import type { Versions } from "./load-service.ts";
import { recordTables } from "./records/tables.ts";
import { type Call, plainSchedule, type Schedule } from "./schedule.ts";
import { type TokenInHand, tokenIn } from "./situation.ts";

/** A Saturday morning, so that no schedule crosses the end of a day. */
const beginning = Date.UTC(2026, 10, 21, 10, 15);

/** Runs a schedule on the database of its setup. Must be called within the virtual globals. */
export const runSchedule = async (schedule: Schedule, versions: Versions = {}): Promise<Run> => {
  const { database, token } = await setUp(schedule, versions);
  return execute(schedule, { initial: database, start: beginning, setupToken: token, versions });
};

const prepared = new Map<string, Promise<{ database: Database; token: TokenInHand | undefined }>>();

/** The setup's operations have other ids than those of schedules, because histories contain the ids. */
const setupId = 1_000;

/**
 * Fills the database with one token and some keys. The real functions write them, as if hours earlier. If the schedule has a
 * release, the functions of the release write them.
 */
const setUp = ({ setup, isOfRecords = false }: Schedule, { release }: Versions) => {
  const name = JSON.stringify([setup, isOfRecords, release]);
  const known = prepared.get(name) ?? prepare(isOfRecords ? recordsOf(setup) : callsOf(setup), isOfRecords, release);
  prepared.set(name, known);
  return known;
};

const hour = 3_600_000;

const recordsOf = ({ records }: Schedule["setup"]): Call[] =>
  records.map((name, count) => ({
    kind: "record",
    operation: "create",
    name,
    content: { state: "open", count: count % 2 },
  }));

const callsOf = ({ keys, forgotten, limit, isTrusted, changes }: Schedule["setup"]): Call[] => [
  { kind: "issue", limit, expiresAfter: null },
  ...(isTrusted ? [{ kind: "create_trust", token: "trust", limit, tokenSeconds: 300 } as const] : []),
  ...forgotten.flatMap((key) => [
    { kind: "create", key, letter: "a", door: "admin", token: setupId } as const,
    { kind: "delete", key, door: "admin", token: setupId } as const,
  ]),
  ...(forgotten.length > 0 ? [{ kind: "daily run" } as const] : []),
  ...keys.map((key) => ({ kind: "create", key, letter: "a", door: "admin", token: setupId }) as const),
  ...Array.from({ length: changes }).flatMap(() => [
    { kind: "update", token: setupId, limit } as const,
    ...keys.map((key) => ({ kind: "replace", key, letter: "a", door: "admin", token: setupId }) as const),
  ]),
];

const prepare = async (calls: readonly Call[], isOfRecords: boolean, release: string | undefined) => {
  const operations = calls.map((call, index) => ({
    id: setupId + index,
    client: 0,
    environment: 0,
    pause: call.kind === "daily run" ? 2 * hour : 0,
    call,
    fates: [],
  }));
  const schedule = { ...plainSchedule(0, operations), ...(isOfRecords && { isOfRecords, indexDelays: [0] }) };
  const { done, database } = await execute(schedule, {
    initial: isOfRecords ? createDatabase(recordTables, { indexesLag: true }) : createDatabase(tables),
    start: beginning - 3 * hour,
    versions: { release },
  });
  const answer = done[0]?.answer;
  return { database, token: answer && tokenIn(answer.body) };
};
