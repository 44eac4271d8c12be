import { ApiError } from "../shared/errors/api-error.ts";
import { time as timeSchema } from "../shared/validation/fields.ts";
import type { Codec } from "./attributes.ts";
import { entryAddition, hasEntry } from "./change-history.ts";
import { operationMilliseconds } from "./client/deadline.ts";
import { type Item, invalidResponse, readOptional, type Values } from "./records.ts";
import type { Change, Changed, ChangedTable, Update, Updated } from "./table.ts";
import { movedForward, toTime } from "./times.ts";

const storedTime = timeSchema();

/** Maximum difference between the clocks of two environments. */
export const clockDifferenceMilliseconds = 5_000;

/** Maximum delay between the time that a change stores and the acknowledgement of the change. */
export const restMilliseconds = clockDifferenceMilliseconds + operationMilliseconds;

/** A change that competes with other changes is not retried after this time. */
export const giveUpMilliseconds = 2_000;

interface Changer<R extends object> extends ChangedTable<R> {
  /** Updates the item that is being changed. */
  update: (update: Update) => Promise<Updated>;
  /** Reads that item, strongly consistent. */
  getItem: () => Promise<Item | undefined>;
}

/** The part of a condition that stops late attempts. */
interface Guard {
  condition: string;
  values: Values;
}

/**
 * Changes a record safely: if DynamoDB applies an attempt late or twice, the attempt cannot undo anything that happened after it
 * began.
 *
 * The time of an item's last change only moves forward: to the current time, or to one millisecond after the previous change. The
 * first attempt requires that the item has been at rest for a while. Any change acknowledged since the attempt began has a later
 * time, so it stops the attempt. If the item was changed recently, DynamoDB returns it, and the next attempt applies to exactly the
 * returned item. That takes a second round trip, unless the caller has already read the item.
 *
 * @throws {ApiError} `unavailable` if it is unknown whether the change was made.
 */
export const changeRecord = async <R extends object>(
  { update, getItem, ...table }: Changer<R>,
  change: Change<R>,
): Promise<Changed<R>> => {
  const began = Date.now();
  const { readsFirst = false } = change;
  let state = readsFirst ? stateOf(await getItem(), change, table) : unreadState(change, table);
  while (state.applies) {
    if (Date.now() - began > giveUpMilliseconds) {
      throw new ApiError("unavailable", { cause: new Error("Other changes of the same record came first.") });
    }
    const { time } = state;
    const { made, ...attempt } = attemptAt(change, state, table);
    const updated = await update(attempt.update);
    if (updated.applied) {
      if (!isMade(updated.attributes, made)) throw invalidResponse("The item is not what the update makes of it.");
      return { outcome: "changed", record: table.read(updated.attributes) };
    }

    const { item, isRepeated } = updated;
    const changedAt = item && readOptional(item, table.timeOfChange, storedTime);
    if (isRepeated && item && changedAt !== undefined && changedAt >= time) {
      // The attempt whose response was lost made this change, unless another change followed it.
      if (changedAt === time && isMade(item, made)) return { outcome: "found changed", record: table.read(item) };
      throw new ApiError("unavailable", { cause: new Error("An attempt may have been carried out and overwritten.") });
    }
    state = stateOf(item, change, table);
    if (state.applies && !readsFirst && changedAt === undefined) {
      throw invalidResponse("An update was refused although its condition holds.");
    }
  }
  return { outcome: "refused", record: state.record };
};

/** What an attempt is based on. */
export interface State<R extends object> {
  /** Whether the change applies to the record. */
  applies: boolean;
  /** The record and its item, if they have been read. */
  record: R | undefined;
  known: Item | undefined;
  /** The current time, and the time of the change. */
  now: string;
  time: string;
  /** What stops late attempts. */
  guard: Guard;
}

/** Returns the state for a change that begins without reading the item. */
const unreadState = <R extends object>({ seen }: Change<R>, { timeOfChange }: ChangedTable<R>): State<R> => {
  const now = toTime(Date.now());
  const [seenAt] = seen ?? [];
  const time = seenAt === undefined ? now : movedForward(now, seenAt);
  const guard = seenAt === undefined ? atRest(timeOfChange, time) : changedAtExactly(timeOfChange, seenAt);
  return { applies: true, record: undefined, known: undefined, now, time, guard };
};

/** Returns the state for a change of exactly the item that was read. */
export const stateOf = <R extends object>(
  item: Item | undefined,
  { seen, appliesTo }: Change<R>,
  { read, timeOfChange }: ChangedTable<R>,
): State<R> => {
  const changedAt = item && readOptional(item, timeOfChange, storedTime);
  const record = item && read(item);
  const now = toTime(Date.now());
  const isSeen = !seen || (changedAt !== undefined && seen.includes(changedAt));
  return {
    applies: isSeen && appliesTo(record, now),
    record,
    known: item,
    now,
    time: changedAt === undefined ? now : movedForward(now, changedAt),
    guard: changedAt === undefined ? unchanged(timeOfChange) : changedAtExactly(timeOfChange, changedAt),
  };
};

/** Returns the update that makes a change, and its effect. */
export const attemptAt = <R extends object>(
  { condition, checkItem, set, setOnce, remove = [], entry }: Change<R>,
  { record, known, now, time, guard }: State<R>,
  { toItem, isSame, timeOfChange }: ChangedTable<R>,
): { update: Update; made: Made } => {
  if (known) checkItem?.(known);
  const newEntry = entry?.(time);
  const addition = newEntry === undefined ? undefined : entryAddition(newEntry, known);
  const values: Values = { ...set(time, record), [timeOfChange]: time };
  const once = setOnce?.(time) ?? {};
  const removed = (typeof remove === "function" ? remove(values) : remove).filter((name) => values[name] === undefined);
  const conditions = [condition && `(${condition})`, guard.condition, addition?.condition];
  return {
    made: { item: toItem(values), once: toItem(once), isSame, removed, entry: newEntry },
    update: {
      expression: expressionOf({ ...values, ...addition?.set }, { once, removed, clause: addition?.clause }),
      condition: conditions.filter(Boolean).join(" AND "),
      values: {
        ...values,
        ...once,
        ...addition?.set,
        ...addition?.values,
        ...guard.values,
        ...(condition?.includes(":now") && { now }),
      },
      returns: "ALL_NEW",
      returnsItemIfRefused: true,
    },
  };
};

/** Returns the condition that an item is at rest: any attempt that may still be running began after the item's last change. */
const atRest = (attribute: string, time: string): Guard => ({
  condition: `(attribute_not_exists(#${attribute}) OR #${attribute} < :rested)`,
  values: { rested: toTime(Date.parse(time) - restMilliseconds) },
});

/** Returns the condition that an item was last changed at exactly this time. */
const changedAtExactly = (attribute: string, time: string): Guard => ({
  condition: `#${attribute} = :seen`,
  values: { seen: time },
});

/** Returns the condition that an item does not exist, or was written without a time. */
const unchanged = (attribute: string): Guard => ({ condition: `attribute_not_exists(#${attribute})`, values: {} });

interface OtherParts {
  /** The values to set where the item has none. */
  once: Values;
  removed: readonly string[];
  clause: string | undefined;
}

const expressionOf = (values: Values, { once, removed, clause = "" }: OtherParts): string => {
  const sets = [
    ...Object.keys(values)
      .filter((name) => values[name] !== undefined)
      .map((name) => `#${name} = :${name}`),
    ...Object.keys(once).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
  ];
  const removals = removed.length > 0 ? ` REMOVE ${removed.map((name) => `#${name}`).join(", ")}` : "";
  return `SET ${sets.join(", ")}${removals}${clause}`;
};

/** The effect of a change on an item. */
export interface Made {
  /** The attributes that it sets, always or only where the item has none. */
  item: Item;
  once: Item;
  isSame: Codec["isSame"];
  removed: readonly string[];
  entry: string | undefined;
}

const isMade = (item: Item, { item: values, isSame, removed, entry }: Made): boolean =>
  Object.entries(values).every(([name, value]) => isSame(item[name], value)) &&
  removed.every((name) => item[name] === undefined) &&
  (entry === undefined || hasEntry(item, entry));
