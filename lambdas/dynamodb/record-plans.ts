import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import { RecordRefused } from "../shared/errors/record-refused.ts";
import { noVersion } from "../shared/http/entity-tags.ts";
import { mergePatch } from "../shared/validation/merge-patch.ts";
import { feedTombstoneSeconds } from "./change-feed-cursor.ts";
import { changeShard, shardOfKey } from "./change-history.ts";
import { checkedKey } from "./checked-key.ts";
import { checkedRecord } from "./checked-record.ts";
import { type Conditions, conditionsHold } from "./conditions.ts";
import { nestedCodec } from "./nested-attributes.ts";
import { type Item, type RecordSchema, toItem } from "./records.ts";
import { type Change, fixedFieldsOf, keyNamesOf, type TableChanges, type TableIndexes } from "./table.ts";
import { deletableAfter } from "./times.ts";
import { seenIn } from "./versions.ts";

/** A stored record with any fields. */
export type StoredValues = Record<string, unknown> & { created_at: string; updated_at: string };

/** What the operations need to know about a table that `recordTable` declares. */
export interface PlannedTable {
  partitionKey: string;
  sortKey: string | undefined;
  /** The schema of what is written. */
  written: z.core.$ZodObject;
  /** The schema of what is stored. */
  schema: RecordSchema;
  indexes: TableIndexes;
  changes?: TableChanges | undefined;
}

/** A change that an operation makes, alone or in a transaction. */
export interface Plan {
  key: Partial<StoredValues>;
  change: Change<StoredValues>;
  /** Returns the result of the operation if the change was made, or if it was rejected. */
  made(record: StoredValues | undefined): object;
  refused(record: StoredValues | undefined): object;
}

interface Requirements {
  ifMatch?: readonly string[] | undefined;
  if?: Conditions<StoredValues> | undefined;
}

const deletionMark = "deletion_id";
const deletion = [deletionMark, "delete_at"];

/**
 * How long the tombstone of a deleted record stays. DynamoDB rejects attempts that are more than 15 minutes old, so a late attempt
 * cannot bring the record back. A table whose changes are followed keeps it longer, because pages of changes show it.
 */
const tombstoneSeconds = 24 * 60 * 60;

/** Returns the changes that the operations of a store make. `RecordStore` describes their arguments and results. */
export const recordPlans = (table: PlannedTable) => {
  const { partitionKey, written } = table;
  const keyNames = keyNamesOf(table);
  const contentNames = Object.keys(written._zod.def.shape).filter((name) => !keyNames.includes(name));
  const check = checkedRecord(written);
  const contentOf = (record: object) => pick(record, contentNames);
  const itemOf = (record: object) => toItem(contentOf(record), table.schema, nestedCodec);
  const isSame = (record: object, other: object) => nestedCodec.isSame({ M: itemOf(record) }, { M: itemOf(other) });
  const keptSeconds = table.changes ? feedTombstoneSeconds : tombstoneSeconds;
  const fixed = fixedFieldsOf(table).filter((name) => !keyNames.includes(name));
  const changeable = contentNames.filter((name) => !fixed.includes(name));
  const isFixed = fixed.map((name) => `attribute_not_exists(#${name}) OR #${name} = :${name}`);
  /** Returns the field that would move an item to another reader's changes. The previous reader would not learn that it is gone. */
  const movedField = (item: Item, content: object): string | undefined => {
    const after = itemOf(content);
    return fixed.find((name) => item[name] && !nestedCodec.isSame(item[name], after[name]));
  };
  /** Rejects a record whose key belongs to another reader's changes. Clients choose the key, but perhaps not the field. */
  const refuseMoves = (item: Item, content: object): void => {
    const moved = movedField(item, content);
    if (moved === undefined) return;
    const key = keyNames.join(" and ");
    const problem = `The ${moved} of the record with this ${key} cannot change, not even after its deletion. Use another ${key}.`;
    throw new RecordRefused({ [partitionKey]: [problem] });
  };
  /**
   * Returns values that every change sets. Each change sets a unique id. If the response to a change is lost, it tells the change
   * apart from an equal one in the same millisecond. Otherwise, two counts could be acknowledged although only one has been made.
   */
  const newChange = (key: object) => ({ change_id: randomUUID(), ...shardIn(key) });
  /** Returns the part of the index of changes that a record is in. All records have it, so that such an index can be added later. */
  const shardIn = (key: object) => ({ [changeShard]: shardOfKey(keyNames.map((name) => Reflect.get(key, name))) });

  const isPresent = [`attribute_exists(#${partitionKey})`, `attribute_not_exists(${deletionMark})`];

  const create = (record: object): Plan => {
    const content = check(record);
    const key = pick(content, keyNames);
    const isDeleted = [
      `attribute_exists(${deletionMark})`,
      "attribute_not_exists(created_at)",
      ...isFixed.map(inParentheses),
    ];
    return {
      key,
      change: {
        condition: `attribute_not_exists(#${partitionKey}) OR (${isDeleted.join(" AND ")})`,
        checkItem: (item) => refuseMoves(item, content),
        appliesTo: (existing) => existing === undefined,
        set: (created_at) => ({ ...contentOf(content), created_at, ...newChange(key) }),
        remove: deletion,
      },
      made: (stored) => ({ outcome: "created", record: stored }),
      refused: (stored) => ({ outcome: stored && isSame(stored, content) ? "unchanged" : "taken", record: stored }),
    };
  };

  const put = (record: object, { ifMatch }: Requirements = {}): Plan => {
    const content = check(record);
    const key = pick(content, keyNames);
    const made = (stored: StoredValues | undefined) => ({
      outcome: stored?.created_at === stored?.updated_at ? "created" : "replaced",
      record: stored,
    });
    // A repeated request finds its own change, whose response was lost: RFC 9110, section 13.1.1.
    const refused = (stored: StoredValues | undefined) =>
      stored && isSame(stored, content) ? made(stored) : { outcome: "changed", record: stored };
    if (ifMatch?.includes(noVersion))
      return { ...create(record), made, refused: (stored) => ({ outcome: "changed", record: stored }) };
    const conditions = ifMatch ? [...isFixed, ...isPresent] : isFixed;
    return {
      key,
      change: {
        ...(conditions.length > 0 && { condition: allOf(conditions) }),
        checkItem: (item) => refuseMoves(item, content),
        appliesTo: (existing) => ifMatch === undefined || existing !== undefined,
        set: () => ({ ...contentOf(content), ...newChange(key) }),
        setOnce: (created_at) => ({ created_at }),
        remove: [...contentNames, ...deletion],
        seen: seenIn(ifMatch),
      },
      made,
      refused,
    };
  };

  const update = (id: unknown, patch: unknown, requirements: Requirements = {}): Plan => {
    const key = keyOf(table, id);
    /** Returns the fields whose values change, so that what a newer release has stored in others stays. */
    const changesOf = (record: StoredValues): Record<string, unknown> => {
      const changes = typeof patch === "function" ? patch(record) : patch;
      const after = check(mergePatch({ ...contentOf(record), ...key }, { ...changes, ...key }, written));
      const [before, item] = [itemOf(record), itemOf(after)];
      const moved = movedField(before, after);
      if (moved !== undefined) {
        throw new RecordRefused({
          [moved]: [`The ${moved} of this record cannot change, because others follow its changes.`],
        });
      }
      const changed = contentNames.filter((name) => !nestedCodec.isSame(before[name], item[name]));
      return Object.fromEntries(changed.map((name) => [name, after[name]]));
    };
    /**
     * Checks whether a record is as `if` requires, and already as the update makes it. For a version that it does not
     * expect, the update may be impossible, which counts as not made.
     */
    const hasChange = (record: StoredValues): boolean => {
      try {
        return problemOf(record, { if: requirements.if }) === undefined && Object.keys(changesOf(record)).length === 0;
      } catch {
        return false;
      }
    };
    return {
      key,
      change: {
        readsFirst: true,
        appliesTo: (record) => problemOf(record, requirements) === undefined,
        set: (_time, record) => ({ ...(record && changesOf(record)), ...newChange(key) }),
        remove: (values) => contentNames.filter((name) => name in values && values[name] === undefined),
      },
      made: (record) => ({ outcome: "updated", record }),
      refused: (record) => {
        const problem = problemOf(record, requirements);
        return problem === "changed" && record && hasChange(record)
          ? { outcome: "updated", record }
          : { outcome: problem, ...(record && { record }) };
      },
    };
  };

  const remove = (id: unknown, requirements: Requirements = {}): Plan => {
    const key = keyOf(table, id);
    return {
      key,
      change: {
        condition: isPresent.join(" AND "),
        readsFirst: requirements.if !== undefined,
        appliesTo: (record) => problemOf(record, requirements) === undefined,
        set: (time) => ({
          [deletionMark]: randomUUID(),
          delete_at: deletableAfter(time, keptSeconds),
          ...shardIn(key),
        }),
        remove: [...changeable, "created_at", "change_id"],
        seen: seenIn(requirements.ifMatch),
      },
      made: () => ({ outcome: "deleted" }),
      refused: (record) => ({ outcome: problemOf(record, requirements), ...(record && { record }) }),
    };
  };

  return { create, put, update, delete: remove };
};

const inParentheses = (condition: string): string => `(${condition})`;

/** DynamoDB rejects redundant parentheses. */
const allOf = (conditions: readonly string[]): string =>
  conditions.length === 1 ? conditions.join() : conditions.map(inParentheses).join(" AND ");

/** Returns why a stored record may not be changed; `undefined` if it may. */
const problemOf = (record: StoredValues | undefined, { ifMatch, if: conditions }: Requirements) => {
  if (!record) return "not found";
  if (seenIn(ifMatch)?.includes(record.updated_at) === false) return "changed";
  return conditions === undefined || conditionsHold(conditions, record) ? undefined : "refused";
};

/** Returns the key attributes that an operation's first argument names. */
export const keyOf = (table: PlannedTable, key: unknown): Record<string, unknown> => {
  const { partitionKey, sortKey, schema } = table;
  const values = sortKey === undefined ? { [partitionKey]: key } : pick(Object(key), keyNamesOf(table));
  checkedKey(values, { schema, codec: nestedCodec }, sortKey);
  return values;
};

/** Returns the values with these names, in the order of the names. */
export const pick = (values: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, Reflect.get(values, name)]),
  );
