import * as z from "zod/mini";
import { time } from "../shared/validation/fields.ts";
import { changeShard } from "./change-history.ts";
import { nestedCodec } from "./nested-attributes.ts";
import { recordPlans } from "./record-plans.ts";
import { type RecordStore, recordStore } from "./record-store.ts";
import type { RecordSchema } from "./records.ts";
import {
  type AnyTable,
  changeIndexName,
  fixedFieldsOf,
  type Right,
  type Table,
  type TableChanges,
  type TableDeclaration,
  type TableIndex,
} from "./table.ts";

/** The fields that the store adds to each record. */
const storedTimes = {
  created_at: time("When it was created.").check(z.meta({ readOnly: true })),
  updated_at: time("When it was last changed.").check(z.meta({ readOnly: true })),
};

/** The schema of records as they are stored: what is written, and the store's times. */
type StoredSchema<S extends z.core.$ZodObject> = z.ZodMiniObject<S["_zod"]["def"]["shape"] & typeof storedTimes>;

/** A record as it is stored. Spelled out, so that the compiler's messages name its fields. */
export type StoredRecord<S extends z.core.$ZodObject> = z.output<S> & {
  created_at: string;
  updated_at: string;
} extends infer R
  ? { [Name in keyof R]: R[Name] }
  : never;

/** The indexes of a table, by the name of the store's operation. */
export type IndexesOf<S extends z.core.$ZodObject> = Readonly<
  Record<
    string,
    Pick<TableIndex, "retired"> & {
      readonly partition: readonly (keyof StoredRecord<S> & string)[];
      readonly sort: keyof StoredRecord<S> & string;
      /** An index contains whole items, because its pages show whole records. */
      readonly attributes?: never;
    }
  >
>;

/** How the changes of a table can be followed. */
export type ChangesOf<S extends z.core.$ZodObject> =
  | true
  | {
      /** The fields that divide the changes. A record can never change their values. */
      readonly partition?: readonly (keyof z.output<S> & string)[];
      /** Nobody follows the changes any more, and the deployment after this one may remove their index. */
      readonly retired?: true;
    };

interface RecordTable<S extends z.core.$ZodObject, Partition, Sort, I, C> {
  /** The field with the id, or the first field of the key: text. */
  partitionKey: Partition;
  /** The second field of the key: text or a number. The store then has `query` for the records of a partition. */
  sortKey?: Sort;
  /** The schema of a record, without `created_at` and `updated_at`, which the store adds. */
  schema: S;
  /** Further ways to find records, by the name of the store's operation. */
  indexes?: I;
  /**
   * Adds `changes` to the store, which returns what has changed since a cursor: of all records, or for each value of some fields.
   * Deleted records then leave a tombstone for 35 days.
   */
  changes?: C;
}

/**
 * Declares a table with the store that suits most resources: see `RecordStore`. The schema decides what is stored, and the
 * result's `schema` is what responses return.
 *
 * @example
 * export const shipments = recordTable({
 *   partitionKey: "shipment_id",
 *   schema: z.object({ shipment_id: z.uuid(), customer_id: fields.text({ min: 1, max: 40 }), weight_grams: z.int() }),
 *   indexes: { byCustomer: { partition: ["customer_id"], sort: "created_at" } },
 *   changes: { partition: ["customer_id"] },
 * });
 */
export const recordTable = <
  const S extends z.core.$ZodObject,
  const Partition extends keyof z.output<S> & string,
  const Sort extends keyof z.output<S> & string = never,
  const I extends IndexesOf<S> = Record<never, never>,
  const C extends ChangesOf<S> | undefined = undefined,
>({
  partitionKey,
  sortKey,
  schema,
  indexes,
  changes,
}: RecordTable<S, Partition, Sort, I, C>) => {
  type R = StoredRecord<S>;
  type Store = RecordStore<R, z.input<S>, Partition, Sort, I, C>;
  const names = Object.keys(indexes ?? {});
  const taken = names.find((name) => name in operationRights || name === "changes");
  if (taken !== undefined) throw new Error(`An index cannot be called ${taken}: the store has that operation already.`);
  const own = Object.keys(storedTimes).find((name) => name in schema._zod.def.shape);
  if (own !== undefined) throw new Error(`A record cannot declare ${own}: the store sets it.`);
  const storedRecord = storedSchema(schema) as unknown as RecordSchema;
  const allIndexes = { ...indexes, ...(changes && { [changeIndexName]: changesIndex(changes) }) };
  const planned = { partitionKey, sortKey, written: schema, schema: storedRecord, indexes: allIndexes, changes };
  const declaration = {
    partitionKey,
    ...(sortKey !== undefined && { sortKey }),
    ...((indexes || changes) && { indexes: allIndexes }),
    ...(changes && { changes }),
    timeOfChange: "updated_at",
    deletionMark: "deletion_id",
    timeToLive: "delete_at",
    schema: storedRecord,
    codec: nestedCodec,
    rights: {
      ...operationRights,
      ...(sortKey !== undefined && { query: ["Query"] as const }),
      ...(isFollowed(changes) && { changes: [{ action: "Query", index: changeIndexName }] as const }),
      ...Object.fromEntries(
        names
          .filter((name) => indexes?.[name]?.retired !== true)
          .map((name) => [name, [{ action: "Query", index: name }] as const]),
      ),
    },
    plans: () => recordPlans(planned),
    createStore: (records: Table<object>) => recordStore(records, planned),
  } satisfies AnyTable;
  // The store is typed by the schema and the indexes, which TypeScript cannot follow through their names.
  return declaration as unknown as Omit<TableDeclaration<R, Store>, "schema" | "example"> & {
    schema: StoredSchema<S>;
    partitionKey: Partition;
    indexes?: I;
  } & (C extends undefined ? unknown : { changes: C & TableChanges });
};

/** Returns the index of changes. Its partition consists of the fields that divide the records, or else of their shard. */
const changesIndex = (changes: TableChanges): TableIndex => {
  const fields = fixedFieldsOf({ changes });
  return { partition: fields.length > 0 ? fields : [changeShard], sort: "updated_at" };
};

/** Checks whether the store of a table has the operation `changes`. */
export const isFollowed = (changes: TableChanges | undefined): boolean =>
  changes !== undefined && !(typeof changes === "object" && changes.retired);

const operationRights = {
  get: ["GetItem"],
  list: ["Scan"],
  create: ["UpdateItem"],
  put: ["UpdateItem"],
  update: ["GetItem", "UpdateItem"],
  delete: ["GetItem", "UpdateItem"],
} as const satisfies Record<string, readonly Right[]>;

/** Adds the store's times to a schema. The result takes over its name in the API description. */
const storedSchema = <S extends z.core.$ZodObject>(schema: S): StoredSchema<S> => {
  const meta = z.globalRegistry.get(schema);
  if (meta) z.globalRegistry.remove(schema);
  const stored = z.safeExtend(schema as unknown as z.ZodMiniObject, storedTimes);
  if (meta) z.globalRegistry.add(stored, meta);
  return stored as unknown as StoredSchema<S>;
};
