import {
  type Content,
  changeNamed,
  contentOf,
  type RecordName,
  type State as RecordState,
  type RecordStep,
} from "../simulation/records/tables.ts";
import type { Model } from "./linearizability.ts";

/** A record as a response shows it. */
export interface Shown {
  content: Content;
  created_at: string;
  updated_at: string;
}

/** Stands for a time that no response has shown yet, because the response to the write was lost. */
const unseen = "?";

/** The result of a step: its outcome, and the record that the response shows. */
export interface StepResult {
  outcome: string;
  record: Shown | undefined;
}

/** A change or a read of one record. */
export type OneStep = (RecordStep | { name: RecordName; operation: "get" }) & {
  /** The `updated_at` that the change requires. */
  seen?: string | undefined;
};

/** Steps that happen atomically. Steps without results may not have happened. */
export interface RecordAction {
  steps: readonly OneStep[];
  results?: readonly StepResult[];
}

export type Stored = Shown | undefined;
export type Records = Readonly<Record<RecordName, Stored>>;

/** The model of all records in the stores. */
export const recordModel: Omit<Model<Records, RecordAction>, "initial"> = {
  keyOf: (records) => JSON.stringify(records),
  after(records, { steps, results }) {
    if (results) {
      return steps.reduce<Records[]>(
        (possible, step, place) => {
          const result = results[place];
          return possible.flatMap((each) =>
            result ? after(each[step.name], step, result).map((stored) => ({ ...each, [step.name]: stored })) : [],
          );
        },
        [records],
      );
    }
    if (!steps.every((step) => applies(records[step.name], step))) return [records];
    const changed = steps.map((step) => [step.name, effectOn(records[step.name], step)] as const);
    return [{ ...records, ...Object.fromEntries(changed) }, records];
  },
};

/** Returns the possible states of a record after a step with this result. Empty if the result is impossible. */
const after = (stored: Stored, step: OneStep, { outcome, record }: StepResult): Stored[] => {
  const found = seenAs(stored, record);
  const isRepeated = step.seen !== undefined && stored?.updated_at !== step.seen && isDone(stored, step);
  switch (outcome) {
    case "found":
      return found;
    case "created":
    case "replaced":
    case "updated": {
      const isNew = outcome === "created";
      if (outcome !== "updated" && isNew !== (record?.created_at === record?.updated_at)) return [];
      const isMade = applies(stored, step) && isNew === (stored === undefined);
      return [...(isMade ? madeAs(stored, step, record) : []), ...(isRepeated ? found : [])];
    }
    case "unchanged":
      return isDone(stored, step) ? found : [];
    case "taken":
      return stored && !isDone(stored, step) ? found : [];
    case "deleted":
      return applies(stored, step) ? [undefined] : [];
    case "not found":
      return stored ? [] : [stored];
    case "changed":
      return step.seen !== undefined && stored?.updated_at !== step.seen ? found : [];
    case "refused":
      return stored && hasVersion(stored, step) && !hasState(stored, step) ? found : [];
    default:
      return [];
  }
};

const statesOf = (step: OneStep): readonly RecordState[] | undefined => {
  if (step.operation === "delete") return step.states;
  return step.operation === "update" ? changeNamed(step.change).states : undefined;
};

const hasState = ({ content }: Shown, step: OneStep): boolean => statesOf(step)?.includes(content.state) ?? true;

const hasVersion = ({ updated_at }: Shown, { seen }: OneStep): boolean =>
  seen === undefined || isSeenAs(updated_at, seen);

/** Checks whether a step can be made on what is stored. */
const applies = (stored: Stored, step: OneStep): boolean => {
  if (step.operation === "create") return stored === undefined;
  if (!stored) return step.operation === "put" && step.seen === undefined;
  return hasVersion(stored, step) && hasState(stored, step);
};

/** Returns the content after a step. */
const contentAfter = (stored: Stored, step: OneStep): Content | undefined => {
  if (step.operation === "create" || step.operation === "put") return step.content;
  return stored && step.operation === "update" ? changeNamed(step.change).apply(stored.content) : undefined;
};

/** Returns the record after a step. */
const effectOn = (stored: Stored, step: OneStep): Stored => {
  const content = contentAfter(stored, step);
  return content && { content, created_at: stored?.created_at ?? unseen, updated_at: unseen };
};

/** Checks whether the record already has the content that a step would give it. */
const isDone = (stored: Stored, step: OneStep): boolean => {
  const content = contentAfter(stored, step);
  return stored !== undefined && content !== undefined && isSame(content, stored.content);
};

/** Returns the shown record if the step can have made it. Its time must be later than that of the stored record. */
const madeAs = (stored: Stored, step: OneStep, record: Shown | undefined): Stored[] => {
  const made = effectOn(stored, step);
  const isLater = !stored || stored.updated_at === unseen || (record && record.updated_at > stored.updated_at);
  return isLater ? seenAs(made, record) : [];
};

/** Returns the record if it can look like this, with the times that were unknown before. */
const seenAs = (stored: Stored, shown: Stored): Stored[] => {
  if (!stored || !shown) return stored === shown ? [stored] : [];
  const isSameRecord =
    isSame(stored.content, shown.content) &&
    isSeenAs(stored.created_at, shown.created_at) &&
    isSeenAs(stored.updated_at, shown.updated_at);
  return isSameRecord ? [shown] : [];
};

const isSeenAs = (time: string, shown: string): boolean => time === unseen || time === shown;

const isSame = (one: Content, other: Content): boolean =>
  JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
