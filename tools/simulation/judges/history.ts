import type { Item } from "cdk-local-runner/database";
import type { Done } from "../answers.ts";
import { requestIdOf } from "../calls.ts";
import type { Run } from "../execute.ts";
import type { Applied } from "../world/chronicle.ts";
import { isRepetition } from "./changes.ts";
import { type Entry, type Expected, entriesIn, expectedOf, keptInHistory } from "./history-entries.ts";
import { fieldOf, isSuccess, isUnknown, listOf } from "./outcome.ts";

/*
 * The history of each record has every change that was acknowledged exactly once, no change that was refused, and any other at
 * most once; and the action `history` returns the contents of the records.
 */
export const judgeHistory = (run: Run): string[] => [
  ...withEachWrite(run),
  ...recordsOf(run).flatMap((record) => problemsOf(record, run)),
  ...acknowledged(run),
  ...shown(run),
];

const tables = ["tokens", "keys"] as const;

interface Recorded {
  table: (typeof tables)[number];
  key: string;
  item: Item;
}

const recordsOf = ({ database }: Run): Recorded[] =>
  tables.flatMap((table) => [...database.itemsOf(table)].map(([key, item]) => ({ table, key, item })));

/** The archived histories of the keys that were deleted hours ago. */
const archived = ({ database }: Run): Recorded[] =>
  [...database.itemsOf("history").values()].map((item) => ({ table: "keys", key: item.key_id?.S ?? "", item }));

/** The attributes that change without an entry in the history: uses, and times that only stop earlier attempts. */
const silent = new Set(["last_used_at", "repeat_nonce", "changed_at", "updated_at", "change_shard"]);
const ofHistory = new Set(["history", "history_dropped"]);

const told = (item: Item | undefined): string =>
  JSON.stringify(
    Object.entries(item ?? {})
      .filter(([name]) => !silent.has(name) && !ofHistory.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Each write that changes a record adds its entry, and no other write does. */
const withEachWrite = ({ chronicle }: Run): string[] =>
  chronicle.applied.flatMap((applied) => {
    const { attempt, change } = applied;
    if (!tables.some((table) => table === change.table)) return [];
    const isChanged = told(change.before) !== told(change.after);
    const [before, after] = [entriesIn(change.before), entriesIn(change.after)];
    const added = after.filter(({ text }) => !before.some((entry) => entry.text === text));
    const name = `the write of #${attempt.operation} on ${change.table} ${change.key}`;
    if (added.length > 1) return [`history: ${name} added ${added.length} entries`];
    const [entry] = added;
    if (!entry) return isChanged && !isSame(applied) ? [`history: ${name} added no entry`] : [];
    const count = countIn(change.after) - countIn(change.before);
    return [
      ...(entry.requestId === requestIdOf(attempt.operation) ? [] : [`history: ${name} added that of another request`]),
      ...(count === 1 ? [] : [`history: ${name} changed the number of entries by ${count}`]),
    ];
  });

/** Whether an attempt was carried out again, with an entry that already exists. */
const isSame = ({ attempt, change }: Applied): boolean =>
  entriesIn(change.after).some(({ text }) => attempt.body.includes(JSON.stringify(text)));

/** How many entries an item has had. */
const countIn = (item: Item | undefined): number => entriesIn(item).length + Number(item?.history_dropped?.N ?? 0);

const problemsOf = ({ table, key, item }: Recorded, run: Run): string[] => {
  const entries = entriesIn(item);
  const name = `history: that of ${table} ${key}`;
  const problems: string[] = [];
  const dropped = Number(item.history_dropped?.N ?? 0);
  const [first] = entries;
  const isComplete = dropped === 0 || entries.length >= keptInHistory;
  if (first && !["issued", "invited", "succeeded", "created"].includes(first.kind)) {
    problems.push(`${name} begins with ${first.kind} and not with its creation`);
  }
  if (!isComplete) problems.push(`${name} has only ${entries.length} entries although ${dropped} were dropped`);
  for (const [index, { time }] of entries.entries()) {
    if (index > 0 && (entries[index - 1]?.time ?? "") >= time) problems.push(`${name} has two changes at one time`);
  }
  const changedAt = (table === "keys" ? item.updated_at : item.changed_at)?.S ?? "";
  const last = entries.at(-1);
  if (last && last.time > changedAt) problems.push(`${name} is ahead of the record`);
  return [...problems, ...entries.flatMap((entry) => entryProblems(entry, { table, key, item }, run))];
};

/** An entry belongs to an operation that may have made such a change, and each operation makes it once. */
const entryProblems = (entry: Entry, { table, key, item }: Recorded, run: Run): string[] => {
  const name = `history: the entry ${entry.kind} of ${table} ${key}`;
  const done = run.done.find(({ operation }) => requestIdOf(operation.id) === entry.requestId);
  const isFromSetup = entriesIn(run.initial.itemsOf(table).get(key)).some(({ text }) => text === entry.text);
  if (isFromSetup) return [];
  if (!done) return [`${name} belongs to no operation`];
  const twins = entriesIn(item).filter(({ requestId, kind }) => requestId === entry.requestId && kind === entry.kind);
  const possible = expectedOf(done).find((one) => one.table === table && one.kinds.includes(entry.kind));
  return [
    ...(twins.length > 1 ? [`${name} is there ${twins.length} times for #${done.operation.id}`] : []),
    ...(possible ? authorProblems(name, entry, possible) : [`${name} cannot be of #${done.operation.id}`]),
    ...(isRefused(done) && !isSuccessor(entry) && !isRepeatedBy(done, entry, run)
      ? [`${name} is of #${done.operation.id}, which was refused`]
      : []),
  ];
};

const authorProblems = (name: string, { by, from }: Entry, expected: Expected): string[] =>
  by === expected.by && from === expected.from
    ? []
    : [`${name} is by ${by} from ${from} instead of ${expected.by} from ${expected.from}`];

const isRefused = (done: Done): boolean => !isSuccess(done) && !isUnknown(done);

/** A rotation that comes too late leaves a successor, which it revokes. */
const isSuccessor = ({ kind }: Entry): boolean => kind === "succeeded" || kind === "revoked";

/** See `isRepetition`: such an attempt follows an operation that failed. */
const isRepeatedBy = (done: Done, { text }: Entry, { done: all, chronicle }: Run): boolean => {
  const writes = chronicle.applied.filter(({ change }) => tables.some((table) => table === change.table));
  const index = writes.findIndex(({ change }) => entriesIn(change.after).some((entry) => entry.text === text));
  const write = writes[index];
  const before = writes.slice(0, Math.max(0, index)).findLast(({ change }) => change.key === write?.change.key);
  const byId = all.find(({ operation }) => operation.id === before?.attempt.operation);
  return write !== undefined && isRepetition(done, write.appliedAt, byId);
};

/** Every change that was acknowledged is in the history, unless it was dropped to make room. */
const acknowledged = (run: Run): string[] =>
  run.done.flatMap((done) => {
    if (!isSuccess(done)) return [];
    return expectedOf(done).flatMap(({ table, key, kinds, isCertain }) => {
      if (!isCertain || key === undefined) return [];
      const item = run.database.itemsOf(table).get(key);
      const requestId = requestIdOf(done.operation.id);
      const found = entriesIn(item).filter((entry) => entry.requestId === requestId && kinds.includes(entry.kind));
      if (found.length === 1 || (found.length === 0 && madeRoom(run, table, key, requestId))) return [];
      return [`history: #${done.operation.id} (${kinds[0]}) is ${found.length} times in that of ${table} ${key}`];
    });
  });

/** Whether an entry was there, and was dropped when others came. */
const madeRoom = ({ chronicle, database }: Run, table: string, key: string, requestId: string): boolean =>
  database.itemsOf(table).get(key)?.history_dropped !== undefined &&
  chronicle.applied.some(
    ({ change }) =>
      change.table === table &&
      change.key === key &&
      entriesIn(change.after).some((entry) => entry.requestId === requestId),
  );

/** The last response about the history of one record, or of all records, lists the entries of the records, newest first. */
const shown = (run: Run): string[] => {
  const asked = run.done.filter((done) => done.operation.call.kind === "history" && isSuccess(done));
  return [...Map.groupBy(asked, ({ operation }) => JSON.stringify(operation.call)).values()].flatMap((group) => {
    const last = group.at(-1);
    const { call } = last?.operation ?? {};
    if (!last?.answer || call?.kind !== "history") return [];
    const records = [...recordsOf(run), ...archived(run)].filter(
      ({ table, key }) =>
        (call.token === undefined || (table === "tokens" && key === last.token?.token_id)) &&
        (call.key === undefined || (table === "keys" && key === call.key)),
    );
    const stored = records
      .flatMap(({ table, key, item }) =>
        entriesIn(item).map(({ time, kind, requestId }) => [time, kind, requestId, table, key].join(" ")),
      )
      .toSorted()
      .toReversed();
    const answered = listOf(last.answer, "changes").map((change) => {
      const token = fieldOf(change, "token_id");
      const key = fieldOf(change, "key_id");
      const names = [token === null ? "keys" : "tokens", token ?? key];
      return [...["time", "kind", "request_id"].map((name) => fieldOf(change, name)), ...names].join(" ");
    });
    const isOrdered = answered.every((text, index) => index === 0 || timeOf(answered[index - 1]) >= timeOf(text));
    return [
      ...(isOrdered ? [] : [`history: that of ${JSON.stringify(call)} is not in order`]),
      ...(answered.toSorted().toReversed().join() === stored.join()
        ? []
        : [`history: that of ${JSON.stringify(call)} is ${answered.length} changes instead of ${stored.length}`]),
    ];
  });
};

const timeOf = (text = ""): string => text.split(" ", 1)[0] ?? "";
