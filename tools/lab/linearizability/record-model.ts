import type { Model } from "./linearizability.ts";

/** A record as a response shows it. */
export interface Shown<Content> {
  content: Content;
  created_at: string;
  updated_at: string;
}

/** Stands for what no response has shown yet, such as a time whose response was lost. */
export const unseen = "?";

/** The result of a step: the outcomes that the response can stand for, and the record if the response shows it. */
export interface StepResult<Content> {
  outcomes: readonly string[];
  record?: Shown<Content> | undefined;
}

/** A change or a read of one record. */
export interface OneStep {
  name: string;
  operation: "get" | "create" | "put" | "update" | "delete";
  /** The `updated_at` that the change requires. */
  seen?: string | undefined;
}

/** Steps that happen atomically. Steps without results may not have happened. */
export interface RecordAction<Content, Step extends OneStep> {
  steps: readonly Step[];
  results?: readonly StepResult<Content>[];
}

/** What is special about some records. */
interface Kind<Content, Step> {
  /** Returns the content after a step. */
  contentAfter: (stored: Content | undefined, step: Step) => Content | undefined;
  /** Checks whether the content meets the condition of a step. */
  allows: (content: Content, step: Step) => boolean;
  /** Checks whether stored content can look like this. */
  isSame: (stored: Content, shown: Content) => boolean;
}

/** Returns the model of all records in some stores. */
export const recordModel = <Content, Step extends OneStep>({
  contentAfter,
  allows,
  isSame,
}: Kind<Content, Step>): Omit<Model<Records<Content>, RecordAction<Content, Step>>, "initial"> => {
  type Stored = Shown<Content> | undefined;

  const hasVersion = ({ updated_at }: Shown<Content>, { seen }: Step): boolean =>
    seen === undefined || isSeenAs(updated_at, seen);

  /** Checks whether a step can be made on what is stored. */
  const applies = (stored: Stored, step: Step): boolean => {
    if (step.operation === "create") return stored === undefined;
    if (!stored) return step.operation === "put" && step.seen === undefined;
    return hasVersion(stored, step) && allows(stored.content, step);
  };

  /** Returns the record after a step. */
  const effectOn = (stored: Stored, step: Step): Stored => {
    const content = contentAfter(stored?.content, step);
    return content && { content, created_at: stored?.created_at ?? unseen, updated_at: unseen };
  };

  /** Checks whether the record already has the content that a step would give it. */
  const isDone = (stored: Stored, step: Step): boolean => {
    const content = contentAfter(stored?.content, step);
    return stored !== undefined && content !== undefined && isSame(content, stored.content);
  };

  /** Returns the record if it can look like this, with the times that were unknown before. */
  const seenAs = (stored: Stored, shown: Stored): Stored[] => {
    if (!stored || !shown) return stored === shown ? [stored] : [];
    const isSameRecord =
      isSame(stored.content, shown.content) &&
      isSeenAs(stored.created_at, shown.created_at) &&
      isSeenAs(stored.updated_at, shown.updated_at);
    return isSameRecord ? [{ ...shown, content: stored.content }] : [];
  };

  /** Returns the shown record if the step can have made it. Its time must be later than that of the stored record. */
  const madeAs = (stored: Stored, step: Step, record: Stored): Stored[] => {
    const made = effectOn(stored, step);
    const isLater = !stored || stored.updated_at === unseen || (record && record.updated_at > stored.updated_at);
    return isLater ? seenAs(made, record) : [];
  };

  /** Returns the possible states of a record after a step with this outcome. Empty if the outcome is impossible. */
  const after = (stored: Stored, step: Step, outcome: string, record: Stored): Stored[] => {
    const found = seenAs(stored, record);
    const isOlder = step.seen !== undefined && stored?.updated_at !== step.seen;
    const isRepeated = stored && isOlder && allows(stored.content, step) && isDone(stored, step);
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
        return stored && !isDone(stored, step) ? (record ? found : [stored]) : [];
      case "deleted":
        return applies(stored, step) ? [undefined] : [];
      case "not found":
        return stored ? [] : [stored];
      case "changed":
        return isOlder ? found : [];
      case "refused":
        return stored && hasVersion(stored, step) && !allows(stored.content, step) ? found : [];
      default:
        return [];
    }
  };

  return {
    keyOf: (records) => JSON.stringify(records),
    after(records, { steps, results }) {
      if (results) {
        return steps.reduce<Records<Content>[]>(
          (possible, step, place) => {
            const { outcomes = [], record } = results[place] ?? {};
            return possible.flatMap((each) =>
              outcomes
                .flatMap((outcome) => after(each[step.name], step, outcome, record))
                .map((stored) => ({ ...each, [step.name]: stored })),
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
};

/** The records by name. */
type Records<Content> = Readonly<Record<string, Shown<Content> | undefined>>;

const isSeenAs = (time: string, shown: string): boolean => time === unseen || time === shown;
