import type { Item } from "cdk-local-runner/database";
import type { Deleted } from "../database/database.ts";
import type { Run } from "../execute.ts";

/** An existing key is never deleted, however long it exists, and each token is deleted 90 days after its end. */
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
  if (table === "keys" && item.v_code) return [`the database deletes the key ${key}, which exists`];
  if (table !== "tokens") return [];
  const days = endsOf(item).map((end) => (Number(item.delete_at?.N) * 1_000 - end) / dayMilliseconds);
  const isDue = days.some((since) => Math.abs(since - 90) < 0.1);
  return isDue ? [] : [`the database deletes the token ${key} ${days.join(" or ")} days after its end`];
};

const dayMilliseconds = 24 * 60 * 60 * 1_000;

const endsOf = ({ expires_at, revoked_at }: Item): number[] =>
  [expires_at?.S, revoked_at?.S].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
