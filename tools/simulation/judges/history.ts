import type { Item } from "cdk-local-runner/database";
import { requestIdOf } from "../calls.ts";
import type { Run } from "../execute.ts";
import type { Call } from "../schedule.ts";
import { addressOf, type Done, tokenIn } from "../situation.ts";
import type { Applied } from "../world/agenda.ts";
import { fieldOf, isSuccess, listOf } from "./outcome.ts";

/*
 * The history of each record has every change exactly once, from its creation on; only the oldest after that are dropped to
 * make room. The action `history` returns the contents of the records.
 */
export const judgeHistory = (run: Run): string[] => [
  ...run.chronicle.applied.flatMap((applied) => withEntry(applied, run)),
  ...recordsOf(run).flatMap(problemsOf),
  ...run.done.flatMap((done) => acknowledged(done, run)),
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

interface Entry {
  text: string;
  time: string;
  kind: string;
  by: string;
  from: string | null;
  requestId: string;
}

/** A history that has dropped entries has at least this many entries. */
const keptEntries = 10;

const entriesIn = (item: Item | undefined): Entry[] =>
  (item?.history?.SS ?? []).toSorted().map((text) => {
    const [time, kind, by, from, requestId] = JSON.parse(text);
    return { text, time, kind, by, from, requestId };
  });

/** The attributes that change without an entry: uses, times that only stop earlier attempts, and the history itself. */
const silent = new Set([
  ...["last_used_at", "repeat_nonce", "changed_at", "updated_at", "change_shard"],
  ...["history", "history_dropped"],
]);

const told = (item: Item | undefined): string =>
  JSON.stringify(
    Object.entries(item ?? {})
      .filter(([name]) => !silent.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Each write that changes a record adds its own entry, which names who has asked for it, and no other write does. */
const withEntry = ({ attempt, change }: Applied, { done }: Run): string[] => {
  if (!tables.some((table) => table === change.table)) return [];
  const [before, after] = [entriesIn(change.before), entriesIn(change.after)];
  const added = after.filter(({ text }) => !before.some((entry) => entry.text === text));
  const name = `history: the write of #${attempt.operation} on ${change.table} ${change.key}`;
  if (added.length > 1) return [`${name} added ${added.length} entries`];
  const [entry] = added;
  if (!entry) {
    // An attempt that is carried out again has an entry that already exists.
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

/** How many entries an item has had. */
const countIn = (item: Item | undefined): number => entriesIn(item).length + Number(item?.history_dropped?.N ?? 0);

const authorIn = ({ by, from }: Entry): string => `${by} from ${from}`;

/** Who makes a change, and from where. */
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
  const isBegun = !first || ["issued", "invited", "succeeded", "created"].includes(first.kind);
  const isUnordered = entries.some(({ time }, index) => index > 0 && (entries[index - 1]?.time ?? "") >= time);
  const changedAt = (table === "keys" ? item.updated_at : item.changed_at)?.S ?? "";
  return [
    ...(isBegun ? [] : [`${name} begins with ${first.kind} and not with its creation`]),
    ...(dropped > 0 && entries.length < keptEntries ? [`${name} has only ${entries.length} entries`] : []),
    ...(isUnordered ? [`${name} has two changes at one time`] : []),
    ...((entries.at(-1)?.time ?? "") > changedAt ? [`${name} is ahead of the record`] : []),
  ];
};

/** The kind of the entry of a change, by the kind of the call. */
const entryKinds: Partial<Record<Call["kind"], string>> = {
  ...{ create: "created", replace: "replaced", delete: "deleted" },
  ...{ issue: "issued", invite: "invited", update: "updated", rotate: "rotated" },
};

/** The change that a call certainly made if it succeeded: the record, and the kind of the entry. */
const certainChange = ({ operation: { call }, answer, token, ifMatch }: Done) => {
  const kind = entryKinds[call.kind];
  // A key that exists with the same v_code is left unchanged. By invocation, a response has no status.
  const isUncertain =
    call.kind === "create" ? answer?.status !== 201 : call.kind === "replace" && ifMatch !== undefined;
  if (kind === undefined || isUncertain) return undefined;
  if ("key" in call) return { table: "keys", key: call.key, kind };
  const isNew = call.kind === "issue" || call.kind === "invite";
  return { table: "tokens", key: (isNew ? tokenIn(answer?.body) : token)?.token_id, kind };
};

/** Every change that was acknowledged was in the history once. */
const acknowledged = (done: Done, { chronicle, database }: Run): string[] => {
  const change = isSuccess(done) ? certainChange(done) : undefined;
  if (change?.key === undefined) return [];
  const requestId = requestIdOf(done.operation.id);
  const isIn = (item: Item | undefined): boolean =>
    entriesIn(item).some((entry) => entry.requestId === requestId && entry.kind === change.kind);
  const item = database.itemsOf(change.table).get(change.key);
  const wasIn = chronicle.applied.some(({ change: { table, key, after } }) => {
    return table === change.table && key === change.key && isIn(after);
  });
  const isFound = isIn(item) || (wasIn && item?.history_dropped !== undefined);
  return isFound
    ? []
    : [`history: #${done.operation.id} (${change.kind}) is not in that of ${change.table} ${change.key}`];
};

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
    const stored = records.flatMap(({ table, key, item }) =>
      entriesIn(item).map(({ time, kind, requestId }) => [time, kind, requestId, table, key].join(" ")),
    );
    const answered = listOf(last.answer, "changes").map((change) => {
      const token = fieldOf(change, "token_id");
      const names = token === null ? ["keys", fieldOf(change, "key_id")] : ["tokens", token];
      return [...["time", "kind", "request_id"].map((name) => fieldOf(change, name)), ...names].join(" ");
    });
    const times = answered.map((text) => text.split(" ", 1)[0] ?? "");
    const isOrdered = times.join() === times.toSorted().toReversed().join();
    const isAsStored = answered.toSorted().join() === stored.toSorted().join();
    const name = `history: that of ${JSON.stringify(call)}`;
    return [
      ...(isOrdered ? [] : [`${name} is not in order`]),
      ...(isAsStored ? [] : [`${name} is ${answered.length} changes instead of ${stored.length}`]),
    ];
  });
};
