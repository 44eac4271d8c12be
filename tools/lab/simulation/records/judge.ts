import type { Item } from "cdk-local-runner/database";
import { isLinearizable, type Operation } from "../../linearizability/linearizability.ts";
import { type RecordAction, recordModel, type Shown, type StepResult } from "../../linearizability/record-model.ts";
import type { Run } from "../execute.ts";
import { endOf, isUnknown } from "../judges/outcome.ts";
import { repetitionsOn } from "../judges/writes.ts";
import type { Done } from "../situation.ts";
import { bodyOf } from "./seen.ts";
import type { Result, StoredContent } from "./service.ts";
import {
  type Content,
  changeNamed,
  contentOf,
  placeOfRecord,
  type RecordName,
  type RecordStep,
  recordNames,
} from "./tables.ts";

/** A change or a read of one record. */
type Step = (RecordStep | { name: RecordName; operation: "get" }) & { seen?: string | undefined };

const model = recordModel<Content, Step>({
  contentAfter(stored, step) {
    if (step.operation === "create" || step.operation === "put") return step.content;
    return stored && step.operation === "update" ? changeNamed(step.change).apply(stored) : undefined;
  },
  allows(content, step) {
    if (step.operation !== "update" && step.operation !== "delete") return true;
    const states = step.operation === "update" ? changeNamed(step.change).states : step.states;
    return states?.includes(content.state) ?? true;
  },
  isSame: (stored, shown) => JSON.stringify(contentOf(stored)) === JSON.stringify(contentOf(shown)),
});

/** Checks that some ordering of the calls explains the responses about all records. */
export const judgeRecords = (run: Run): string[] => {
  const { done, initial } = run;
  const repeated = recordNames.flatMap((name) => repetitionsOn(run, placeOfRecord(name).table, name));
  const history = [...done, ...repeated].flatMap((one): Operation<Action>[] =>
    actionsOf(one).map((action) => ({ action, calledAt: one.calledAt, answeredAt: endOf(one) })),
  );
  const stored = recordNames.map((name) => [name, shownIn(initial.itemsOf(placeOfRecord(name).table).get(name))]);
  return isLinearizable(history, { ...model, initial: Object.fromEntries(stored) })
    ? []
    : [`the responses about the records are impossible: ${JSON.stringify(history)}`];
};

type Action = RecordAction<Content, Step>;

/**
 * Returns the actions of a call as far as its caller knows. A refused transaction counts as separate reads, because it reads its
 * records at different moments.
 */
const actionsOf = (done: Done): Action[] => {
  const { call } = done.operation;
  if (call.kind !== "record" || call.operation === "follow") return [];
  const steps: Step[] = call.operation === "transaction" ? call.steps : [{ ...call, seen: done.ifMatch }];
  if (isUnknown(done)) return call.operation === "get" ? [] : [{ steps }];
  const { results = [], code } = bodyOf(done);
  const read = steps.map((step, place) => ({ step, result: results[place] && stepResult(results[place]) }));
  if (code === undefined) return [{ steps, results: read.flatMap(({ result }) => result ?? []) }];
  return read.flatMap(({ step, result }) => (result ? [{ steps: [step], results: [result] }] : []));
};

const stepResult = ({ outcome, record }: Result): StepResult<Content> => ({
  outcomes: [outcome],
  record: record && shownAs(record),
});

export const shownAs = (record: StoredContent): Shown<Content> => ({
  content: contentOf(record),
  created_at: record.created_at,
  updated_at: record.updated_at,
});

/** Converts an item to a record as responses show it. Returns `undefined` for a tombstone. */
export const shownIn = (item: Item | undefined): Shown<Content> | undefined => {
  if (!item?.created_at) return undefined;
  const { M: size } = item.size ?? {};
  const record = {
    ...Object.fromEntries(Object.entries(item).map(([name, { S, N }]) => [name, S ?? Number(N)])),
    size: size && { width: Number(size.width?.N), height: Number(size.height?.N) },
  } as StoredContent;
  return shownAs(record);
};
