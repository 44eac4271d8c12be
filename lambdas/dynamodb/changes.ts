import { ApiError } from "../shared/errors/api-error.ts";
import { time as timeSchema } from "../shared/validation/fields.ts";
import type { Codec } from "./attributes.ts";
import { entryAddition, hasEntry } from "./change-history.ts";
import { operationMilliseconds } from "./client/deadline.ts";
import { type Item, invalidResponse, readOptional, type Values } from "./records.ts";
import type { Change, Changed, Update, Updated } from "./table.ts";
import { movedForward, toTime } from "./times.ts";

const storedTime = timeSchema();

/** Maximum difference between the clocks of two environments. */
const clockDifferenceMilliseconds = 5_000;

/** Maximum delay between the time that a change stores and the acknowledgement of the change. */
const restMilliseconds = clockDifferenceMilliseconds + operationMilliseconds;

/** A change that competes with other changes is not retried after this time. */
const giveUpMilliseconds = 2_000;

interface Changer<R extends object> {
  /** Updates the item that is being changed. */
  update: (update: Update) => Promise<Updated>;
  /** Reads that item, strongly consistent. */
  getItem: () => Promise<Item | undefined>;
  /** Reads an item; `undefined` if it is the tombstone of a deleted record. */
  read: (item: Item) => R | undefined;
  toItem: (values: Values) => Item;
  isSame: Codec["isSame"];
  /** The attribute with the time of an item's last change. */
  timeOfChange: string;
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
  { update, getItem, read, toItem, isSame, timeOfChange }: Changer<R>,
  { condition, readsFirst = false, appliesTo, set, setOnce, remove = [], entry, seen }: Change<R>,
): Promise<Changed<R>> => {
  const began = Date.now();
  let now = toTime(began);
  let time = seen?.[0] === undefined ? now : movedForward(now, seen[0]);
  let guard = seen?.[0] === undefined ? atRest(timeOfChange, time) : changedAtExactly(timeOfChange, seen[0]);
  let known: Item | undefined;
  let record: R | undefined;

  /** Prepares the next attempt for exactly this item. Returns false if the change does not apply to it. */
  const prepare = (item: Item | undefined): boolean => {
    const changedAt = item && readOptional(item, timeOfChange, storedTime);
    record = item && read(item);
    now = toTime(Date.now());
    time = changedAt === undefined ? now : movedForward(now, changedAt);
    const isSeen = !seen || (changedAt !== undefined && seen.includes(changedAt));
    if (!isSeen || !appliesTo(record, now)) return false;
    guard = changedAt === undefined ? unchanged(timeOfChange) : changedAtExactly(timeOfChange, changedAt);
    known = item;
    return true;
  };

  if (readsFirst && !prepare(await getItem())) return { outcome: "refused", record };

  for (;;) {
    const newEntry = entry?.(time);
    const addition = newEntry === undefined ? undefined : entryAddition(newEntry, known);
    const values: Values = { ...set(time, record), [timeOfChange]: time };
    const once = setOnce?.(time) ?? {};
    const removed = (typeof remove === "function" ? remove(record) : remove).filter(
      (name) => values[name] === undefined,
    );
    const made: Made = { item: toItem(values), isSame, removed, entry: newEntry };
    const conditions = [condition && `(${condition})`, guard.condition, addition?.condition];
    const updated = await update({
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
    });
    if (updated.applied) {
      if (!isMade(updated.attributes, made)) throw invalidResponse("The item is not what the update makes of it.");
      return { outcome: "changed", record: read(updated.attributes) };
    }

    const { item, isRepeated } = updated;
    const changedAt = item && readOptional(item, timeOfChange, storedTime);
    if (isRepeated && item && changedAt !== undefined && changedAt >= time) {
      // The attempt whose response was lost made this change, unless another change followed it.
      if (changedAt === time && isMade(item, made)) return { outcome: "found changed", record: read(item) };
      throw new ApiError("unavailable", { cause: new Error("An attempt may have been carried out and overwritten.") });
    }
    if (!prepare(item)) return { outcome: "refused", record };
    if (!readsFirst && changedAt === undefined) {
      throw invalidResponse("An update was refused although its condition holds.");
    }
    if (Date.now() - began > giveUpMilliseconds) {
      throw new ApiError("unavailable", { cause: new Error("Other changes of the same record came first.") });
    }
  }
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
interface Made {
  /** The attributes that it sets. */
  item: Item;
  isSame: Codec["isSame"];
  removed: readonly string[];
  entry: string | undefined;
}

const isMade = (item: Item, { item: values, isSame, removed, entry }: Made): boolean =>
  Object.entries(values).every(([name, value]) => isSame(item[name], value)) &&
  removed.every((name) => item[name] === undefined) &&
  (entry === undefined || hasEntry(item, entry));
