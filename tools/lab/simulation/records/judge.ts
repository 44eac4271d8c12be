import type { Item } from "cdk-local-runner/database";
import { isLinearizable, type Operation } from "../../linearizability/linearizability.ts";
import {
  type OneStep,
  type RecordAction,
  type Records,
  recordModel,
  type Shown,
  type StepResult,
} from "../../linearizability/record-model.ts";
import type { Run } from "../execute.ts";
import { endOf, isUnknown } from "../judges/outcome.ts";
import { repetitionsOn } from "../judges/writes.ts";
import type { Done } from "../situation.ts";
import { bodyOf } from "./seen.ts";
import type { Result, StoredContent } from "./service.ts";
import { contentOf, partitionOf, placeOfRecord, type RecordName, recordNames, sortOf, type Walk } from "./tables.ts";

/** Checks that some ordering of the calls explains the responses about all records. */
export const judgeRecords = (run: Run): string[] => {
  const { done, initial } = run;
  const repeated = recordNames.flatMap((name) => repetitionsOn(run, placeOfRecord(name).table, name));
  const history = [...done, ...repeated].flatMap((one): Operation<RecordAction>[] =>
    actionsOf(one).map((action) => ({ action, calledAt: one.calledAt, answeredAt: endOf(one) })),
  );
  const stored = recordNames.map((name) => [name, shownIn(initial.itemsOf(placeOfRecord(name).table).get(name))]);
  const model = { ...recordModel, initial: Object.fromEntries(stored) as Records };
  return isLinearizable(history, model)
    ? []
    : [`the responses about the records are impossible: ${JSON.stringify(history)}`];
};

/**
 * Returns the actions of a call as far as its caller knows. A refused transaction counts as separate reads, because it reads its
 * records at different moments.
 */
const actionsOf = (done: Done): RecordAction[] => {
  const { call } = done.operation;
  if (call.kind !== "record" || call.operation === "walk" || call.operation === "follow") return [];
  const steps: OneStep[] = call.operation === "transaction" ? call.steps : [{ ...call, seen: done.ifMatch }];
  if (isUnknown(done)) return call.operation === "get" ? [] : [{ steps }];
  const { results = [], code } = bodyOf(done);
  const read = steps.map((step, place) => ({ step, result: results[place] && stepResult(results[place]) }));
  if (code === undefined) return [{ steps, results: read.flatMap(({ result }) => result ?? []) }];
  return read.flatMap(({ step, result }) => (result ? [{ steps: [step], results: [result] }] : []));
};

const stepResult = ({ outcome, record }: Result): StepResult => ({ outcome, record: record && shownAs(record) });

export const shownAs = (record: StoredContent): Shown => ({
  content: contentOf(record),
  created_at: record.created_at,
  updated_at: record.updated_at,
});

/** Converts an item to a record as responses show it. Returns `undefined` for a tombstone. */
export const shownIn = (item: Item | undefined): Shown | undefined => {
  if (!item?.created_at) return undefined;
  const { M: size } = item.size ?? {};
  const record = {
    ...Object.fromEntries(Object.entries(item).map(([name, { S, N }]) => [name, S ?? Number(N)])),
    size: size && { width: Number(size.width?.N), height: Number(size.height?.N) },
  } as StoredContent;
  return shownAs(record);
};

/** Checks that each walk through pages shows every record once, in order, and in a state that the record had meanwhile. */
export const judgePages = (run: Run): string[] =>
  run.done.flatMap((done) => {
    const { call, id } = done.operation;
    if (call.kind !== "record" || call.operation !== "walk" || isUnknown(done)) return [];
    const { pages = [] } = bodyOf(done);
    const problems = [...problemsOf(pages, call), ...problemsOfRecords(pages.flat(), call, done, run)];
    return problems.map((problem) => `#${id} (${call.by} of ${call.table}) ${problem}: ${JSON.stringify(pages)}`);
  });

const problemsOf = (pages: readonly StoredContent[][], { by, limit, order }: Walk): string[] => {
  const sort = sortOf(by);
  const values = pages.flat().map((record) => (sort === undefined ? undefined : Reflect.get(record, sort)));
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const expected = order === "ascending" ? sorted : sorted.toReversed();
  return [
    ...(pages.some(({ length }) => length > limit) ? ["has a page that is too long"] : []),
    ...(JSON.stringify(values) === JSON.stringify(expected) ? [] : ["is not in order"]),
  ];
};

/** Compares the records of a walk with the states in which the walk could find them. */
const problemsOfRecords = (records: readonly StoredContent[], walk: Walk, done: Done, run: Run): string[] =>
  recordNames.flatMap((name) => {
    const { table, key } = placeOfRecord(name);
    if (table !== walk.table) return [];
    const isOf = (record: object) =>
      Object.entries(key).every(([field, value]) => Reflect.get(record, field) === value);
    const found = records.filter(isOf).map((record) => JSON.stringify(shownAs(record)));
    const possible = statesDuring(name, walk, done, run).map((item) => {
      const shown = shownIn(item);
      return shown && isWithin({ ...key, ...shown.content, ...shown }, walk) ? JSON.stringify(shown) : undefined;
    });
    if (found.some((one) => !possible.includes(one))) return [`shows ${name} as it was not`];
    const [only] = possible;
    const isSteady = possible.every((one) => one === only);
    return isSteady && found.length !== (only === undefined ? 0 : 1) ? [`shows ${name} ${found.length} times`] : [];
  });

/** Returns the states of a record during a walk. A walk through an index sees a state only once the index has it. */
const statesDuring = (name: RecordName, { table, by }: Walk, { calledAt, answeredAt }: Done, run: Run) => {
  const { applied, indexed } = run.chronicle;
  const isConsistent = by === "list" || by === "query";
  const versions = isConsistent
    ? applied.map(({ appliedAt, change }) => ({
        at: appliedAt,
        table: change.table,
        key: change.key,
        item: change.after,
      }))
    : indexed.map(({ indexedAt, ...one }) => ({ at: indexedAt, ...one }));
  const own = versions.filter((one) => one.table === table && one.key === name && one.at < answeredAt);
  const first = own.findLast(({ at }) => at < calledAt)?.item ?? run.initial.itemsOf(table).get(name);
  return [first, ...own.filter(({ at }) => at > calledAt).map(({ item }) => item)];
};

const isWithin = (record: object, walk: Walk): boolean => {
  const sort = sortOf(walk.by);
  const value = sort === undefined ? undefined : Reflect.get(record, sort);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = walk.bounds;
  const isBounded = walk.by === "byPlace" || walk.by === "query";
  return (
    Object.entries(partitionOf(walk)).every(([field, each]) => Reflect.get(record, field) === each) &&
    (!isBounded || (value >= from && value <= to))
  );
};
