import type { Item } from "cdk-local-runner/database";
import { requestIdOf } from "../calls.ts";
import type { Run } from "../execute.ts";
import { addressOf, type Done } from "../situation.ts";
import type { Applied } from "../world/agenda.ts";
import { fieldOf } from "./outcome.ts";

/*
 * Checks that each record's history has every change exactly once, from the record's creation on. To make room, only the oldest
 * entries after the creation may be dropped. Before anybody is shown a v_code, this must be recorded.
 */
export const judgeHistory = (run: Run): string[] => [
  ...run.chronicle.applied.flatMap((applied) => withEntry(applied, run)),
  ...recordsOf(run).flatMap(problemsOf),
  ...run.done.flatMap((done) => shownWithEntry(done, run)),
];

const tables = ["tokens", "keys"] as const;

interface Recorded {
  table: (typeof tables)[number];
  key: string;
  item: Item;
}

const recordsOf = ({ database }: Run): Recorded[] =>
  tables.flatMap((table) => [...database.itemsOf(table)].map(([key, item]) => ({ table, key, item })));

interface Entry {
  text: string;
  time: string;
  kind: string;
  by: string;
  from: string | null;
  requestId: string;
}

/** A history that has dropped entries still has at least this many entries. */
const keptEntries = 10;

const entriesIn = (item: Item | undefined): Entry[] =>
  (item?.history?.SS ?? []).toSorted().map((text) => {
    const [time, kind, by, from, requestId] = JSON.parse(text);
    return { text, time, kind, by, from, requestId };
  });

/** The attributes that change without an entry: uses, times that only stop earlier attempts, and the history itself. */
const silent = new Set([
  "last_used_at",
  "repeat_nonce",
  "changed_at",
  "updated_at",
  "change_shard",
  "history",
  "history_dropped",
]);

const told = (item: Item | undefined): string =>
  JSON.stringify(
    Object.entries(item ?? {})
      .filter(([name]) => !silent.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/**
 * Checks that each write that changes a record adds its own entry, which names who asked for the change, and that no other write
 * adds one.
 */
const withEntry = ({ attempt, change }: Applied, { done }: Run): string[] => {
  if (!tables.some((table) => table === change.table)) return [];
  const [before, after] = [entriesIn(change.before), entriesIn(change.after)];
  const added = after.filter(({ text }) => !before.some((entry) => entry.text === text));
  const name = `history: the write of #${attempt.operation} on ${change.table} ${change.key}`;
  if (added.length > 1) return [`${name} added ${added.length} entries`];
  const [entry] = added;
  if (!entry) {
    // An attempt that is carried out again contains an entry that already exists.
    const isSame = after.some(({ text }) => attempt.body.includes(JSON.stringify(text)));
    return told(change.before) !== told(change.after) && !isSame ? [`${name} added no entry`] : [];
  }
  const count = countIn(change.after) - countIn(change.before);
  const author = done.filter(({ operation }) => operation.id === attempt.operation).map(authorOf)[0];
  const isOwn = entry.requestId === requestIdOf(attempt.operation);
  return [
    ...(isOwn && (!author || author === authorIn(entry)) ? [] : [`${name} added an entry by ${authorIn(entry)}`]),
    ...(before.some(({ requestId, kind }) => requestId === entry.requestId && kind === entry.kind)
      ? [`${name} added a second entry ${entry.kind}`]
      : []),
    ...(count === 1 ? [] : [`${name} changed the number of entries by ${count}`]),
  ];
};

/** Counts the entries that an item has ever had. */
const countIn = (item: Item | undefined): number => entriesIn(item).length + Number(item?.history_dropped?.N ?? 0);

const authorIn = ({ by, from }: Entry): string => `${by} from ${from}`;

/** Returns who makes a change, and from where. */
const authorOf = ({ operation: { id, call }, token }: Done): string => {
  if ("from" in call) return `token:${token?.token_id} from ${addressOf(call.from)}`;
  if ("door" in call && call.door === "api") return `token:${token?.token_id} from ${token?.ip}`;
  return `invoke:${requestIdOf(id)} from null`;
};

const problemsOf = ({ table, key, item }: Recorded): string[] => {
  const entries = entriesIn(item);
  const name = `history: that of ${table} ${key}`;
  const dropped = Number(item.history_dropped?.N ?? 0);
  const [first] = entries;
  const isBegun = !first || ["issued", "invited", "succeeded", "exchanged", "trusted", "created"].includes(first.kind);
  const isUnordered = entries.some(({ time }, index) => index > 0 && (entries[index - 1]?.time ?? "") >= time);
  const changedAt = (table === "keys" ? item.updated_at : item.changed_at)?.S ?? "";
  return [
    ...(isBegun ? [] : [`${name} begins with ${first.kind} and not with its creation`]),
    ...(dropped > 0 && entries.length < keptEntries ? [`${name} has only ${entries.length} entries`] : []),
    ...(isUnordered ? [`${name} has two changes at one time`] : []),
    ...((entries.at(-1)?.time ?? "") > changedAt ? [`${name} is ahead of the record`] : []),
  ];
};

/** Checks that the key's history names everybody who was shown its v_code. */
const shownWithEntry = (done: Done, { database }: Run): string[] => {
  const { operation, answer } = done;
  const { id, call } = operation;
  if (call.kind !== "get" || call.door !== "admin" || fieldOf(answer?.body, "v_code") === undefined) return [];
  const isRecorded = [...database.itemsOf("history").values()]
    .filter(({ key_id }) => key_id?.S === call.key)
    .flatMap(entriesIn)
    .some((entry) => entry.kind === "revealed" && authorIn(entry) === authorOf(done));
  return isRecorded ? [] : [`history: #${id} was shown the v_code of ${call.key} without an entry`];
};
