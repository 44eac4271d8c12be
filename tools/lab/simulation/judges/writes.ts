import type { Item } from "cdk-local-runner/database";
import type { Deleted } from "../database/database.ts";
import type { Run } from "../execute.ts";
import { recordTables } from "../records/tables.ts";
import { type Done, etagOf } from "../situation.ts";
import type { Applied } from "../world/agenda.ts";
import { isSuccess, isUnknown } from "./outcome.ts";

/*
 * Checks the writes in the database, where nothing is hidden. No attempt may undo a change that was acknowledged after the attempt
 * was sent. An operation that was reported as failed must not interfere with operations that began afterwards.
 */
export const judgeWrites = (run: Run): string[] => {
  const doneById = new Map(run.done.map((done) => [done.operation.id, done]));
  const changes = run.chronicle.applied.filter(isChange);
  const byRecord = Map.groupBy(changes, ({ change: { table, key } }) => `${table} ${key}`);
  const problems: string[] = [];

  for (const [record, writes] of byRecord) {
    for (const [index, write] of writes.entries()) {
      const { ifMatch } = doneById.get(write.attempt.operation) ?? {};
      if (ifMatch !== undefined && ifMatch !== versionBefore(write.change)) {
        problems.push(`#${write.attempt.operation} changed ${record}, which was no longer what it had read`);
      }
      const { operation, number, sentAt } = write.attempt;
      const done = doneById.get(operation);
      const others = writes.slice(0, index).filter(({ attempt }) => attempt.operation !== operation);
      for (const other of others) {
        const otherDone = doneById.get(other.attempt.operation);
        const isOverwritten = `#${operation}.${number} on ${record} took effect after #${other.attempt.operation},`;
        if (other.appliedAt > sentAt && otherDone && isSuccess(otherDone)) {
          problems.push(`${isOverwritten} which happened after it was sent and was acknowledged`);
        }
        const failedAt = done && isUnknown(done) ? done.answeredAt : Number.POSITIVE_INFINITY;
        if (failedAt < write.appliedAt && otherDone && otherDone.calledAt > failedAt) {
          problems.push(`${isOverwritten} which began after #${operation} had failed`);
        }
      }
      const last = writes.slice(0, index).findLastIndex(({ attempt }) => attempt.operation === operation);
      if (last >= 0 && last < index - 1) problems.push(`#${operation} took effect twice on ${record}`);
      const before = writes[index - 1];
      const isRepeated =
        done !== undefined && isRepetition(done, write.appliedAt, before && doneById.get(before.attempt.operation));
      if (done && before && isSuccess(done) && "from" in done.operation.call) {
        const dates = newDatesIn(write).filter((date) => date - done.clockOffset < before.time);
        if (dates.length > 0)
          problems.push(`#${operation} has dated its change of ${record} before the one that it follows`);
      }
      if (done && !isSuccess(done) && !isUnknown(done) && isAbout(done, write) && !isRepeated) {
        problems.push(`#${operation} was refused with ${done.answer?.code} but changed ${record}`);
      }
    }
  }
  return problems;
};

/** Checks whether an operation was asked to change this record. A rotation that comes too late leaves a revoked successor. */
const isAbout = ({ operation: { call }, token }: Done, { change }: Applied): boolean =>
  (call.kind !== "rotate" && call.kind !== "rotate own" && call.kind !== "move") || change.key === token?.token_id;

/** Returns the times at which a client's change claims to have been made. */
const newDatesIn = ({ change: { before, after } }: Applied): number[] =>
  ["redeemed_at", "rotated_at", "request"].flatMap((name) => {
    const value = after?.[name]?.S;
    if (value === undefined || value === before?.[name]?.S) return [];
    return [Date.parse(name === "request" ? JSON.parse(value).requested_at : value)];
  });

/**
 * Returns the part of a record that calls and admins change. Leaves out the time of last use, values that the first use removes,
 * and times that only stop earlier attempts.
 */
const visible = (item: Item | undefined): string => {
  if (!item) return "";
  const { last_used_at: _, changed_at: __, repeat_nonce: ___, ...rest } = item;
  return JSON.stringify(rest);
};

const isOfRecords = (table: string): boolean => table in recordTables;

const versionBefore = ({ table, before }: Applied["change"]): string | undefined =>
  isOfRecords(table) ? before?.updated_at?.S : etagOf(before);

const isChange = ({ change: { table, before, after } }: Applied): boolean =>
  (table === "keys" || table === "tokens" || isOfRecords(table)) && visible(before) !== visible(after);

/**
 * Finds operations that were carried out after their response, on a record that a failed operation had written. Nobody was told
 * that the failed operation took effect, and it wrote an old time. A late attempt of an operation that succeeded before, or was
 * rejected, may therefore follow it. Each of these operations is returned separately, with an unknown outcome. Such an operation
 * must not undo an acknowledged change, which `judgeWrites` checks.
 */
export const repetitionsOn = ({ done, chronicle }: Run, table: string, key: string): Done[] => {
  const byId = new Map(done.map((one) => [one.operation.id, one]));
  const writers = chronicle.applied
    .filter((applied) => applied.change.table === table && applied.change.key === key && isChange(applied))
    .map(({ attempt, appliedAt }) => ({ writer: byId.get(attempt.operation), appliedAt }));
  return writers.flatMap(({ writer, appliedAt }, index) => {
    if (!writer || !isRepetition(writer, appliedAt, writers[index - 1]?.writer)) return [];
    const { answer: _, ...repeated } = writer;
    return [{ ...repeated, calledAt: writer.answeredAt }];
  });
};

/** Checks whether an operation changed a record after its response, directly after a failed operation had changed it. */
const isRepetition = (writer: Done, appliedAt: number, before: Done | undefined): boolean =>
  !isUnknown(writer) && appliedAt >= writer.answeredAt && before !== undefined && isUnknown(before);

/**
 * Checks that an existing key or record is never deleted, nor a tombstone that still has its history. Also checks that each token is deleted
 * 90 days after its end.
 */
export const judgeDeletions = ({ deleted, database }: Run): string[] => {
  const later = database.copy();
  const all = [...deleted, ...later.deleteDue(Number.MAX_SAFE_INTEGER)];
  const kept = [...later.itemsOf("tokens")].flatMap(([key, item]) => (endsOf(item).length > 0 ? [key] : []));
  return [
    ...all.flatMap(problemOf),
    ...kept.map((key) => `the database never deletes the token ${key}, which has ended`),
  ];
};

const problemOf = ({ table, key, item }: Deleted): string[] => {
  if (isOfRecords(table) && item.created_at) return [`the database deletes the record ${key} of ${table}`];
  if (table === "keys" && (item.v_code || item.history)) return [`the database deletes the key ${key}`];
  if (table !== "tokens") return [];
  const days = endsOf(item).map((end) => (Number(item.delete_at?.N) * 1_000 - end) / dayMilliseconds);
  const due = item.trust_id ? [7, 90] : [90];
  const isDue = days.some((since) => due.some((each) => Math.abs(since - each) < 0.1));
  return isDue ? [] : [`the database deletes the token ${key} ${days.join(" or ")} days after its end`];
};

const dayMilliseconds = 24 * 60 * 60 * 1_000;

const endsOf = ({ expires_at, revoked_at }: Item): number[] =>
  [expires_at?.S, revoked_at?.S].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
