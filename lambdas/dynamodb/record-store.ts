import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import { mergePatch, type Patch } from "../shared/validation/merge-patch.ts";
import { checkedRecord } from "./checked-record.ts";
import { type Conditions, conditionsHold } from "./conditions.ts";
import { nestedCodec } from "./nested-attributes.ts";
import { type ListRequest, listPage, type PartitionRequest, partitionPage } from "./record-pages.ts";
import { type RecordSchema, toItem } from "./records.ts";
import type { Change, Page, Table, TableIndex } from "./table.ts";
import { deletableAfter } from "./times.ts";
import { seenIn } from "./versions.ts";

/** A record without the times that the store sets. */
export type Content<R> = Omit<R, "created_at" | "updated_at">;

type KeyOf<R, Partition extends string, Sort extends string> = [Sort] extends [never]
  ? R[Partition & keyof R]
  : Pick<R, (Partition | Sort) & keyof R>;

/** A merge patch of everything but the key. */
type PatchOf<R, Partition extends string, Sort extends string> = Patch<Omit<Content<R>, Partition | Sort>>;

/** What a change requires of the stored record. */
export interface Requirements<R> {
  /** The versions in which the record may be changed, from `If-Match`; `undefined` allows any version. */
  ifMatch?: readonly string[] | undefined;
  /** What the stored record must be like: values by field, or a function. */
  if?: Conditions<R> | undefined;
}

type AnyIndexes = Readonly<Record<string, Pick<TableIndex, "partition" | "sort" | "attributes" | "retired">>>;

/** The operations that find records by an index. */
type IndexOperations<R, I> = {
  [Name in keyof I as I[Name] extends { retired: true } ? never : Name]: I[Name] extends {
    partition: readonly (infer P)[];
    sort: infer S;
  }
    ? (partition: Pick<R, P & keyof R>, request?: PartitionRequest<R[S & keyof R]>) => Promise<Page<R>>
    : never;
};

/**
 * The store of a table that `recordTable` declares. Whatever a change has acknowledged stays, even if an attempt of an earlier one
 * takes effect late. Each record is checked as a whole before it is written.
 */
export type RecordStore<R, Partition extends string, Sort extends string, I> = {
  /** Reads a record, strongly consistent. */
  get(key: KeyOf<R, Partition, Sort>): Promise<R | undefined>;
  /** Reads a page of all records, in the table's own order. */
  list(request?: ListRequest): Promise<Page<R>>;
  /** Stores a record unless its key is taken. `unchanged` means that exactly this record already existed. */
  create(
    record: Content<R>,
  ): Promise<{ outcome: "created" | "unchanged"; record: R } | { outcome: "taken"; record: R }>;
  /** Stores a record, and replaces the record with the same key. */
  put(record: Content<R>): Promise<{ outcome: "created" | "replaced"; record: R }>;
  put(
    record: Content<R>,
    requirements: Pick<Requirements<R>, "ifMatch">,
  ): Promise<{ outcome: "created" | "replaced"; record: R } | { outcome: "changed"; record: R | undefined }>;
  /**
   * Changes some fields of a record: see `mergePatch`. A function gets the stored record, and may be called again if another change
   * comes first. `refused` means that the record is not as `if` requires, and `changed` that it has another version.
   */
  update(
    key: KeyOf<R, Partition, Sort>,
    patch: PatchOf<R, Partition, Sort> | ((stored: R) => PatchOf<R, Partition, Sort>),
    requirements?: Requirements<R>,
  ): Promise<{ outcome: "updated" | "changed" | "refused"; record: R } | { outcome: "not found"; record?: undefined }>;
  delete(
    key: KeyOf<R, Partition, Sort>,
    requirements?: Requirements<R>,
  ): Promise<{ outcome: "deleted" | "not found"; record?: undefined } | { outcome: "changed" | "refused"; record: R }>;
} & ([Sort] extends [never]
  ? unknown
  : {
      /** Reads a page of a partition, strongly consistent. */
      query(partition: R[Partition & keyof R], request?: PartitionRequest<R[Sort & keyof R]>): Promise<Page<R>>;
    }) &
  IndexOperations<R, I>;

interface StoreOptions {
  partitionKey: string;
  sortKey: string | undefined;
  /** The schema of what is written. */
  schema: z.core.$ZodObject;
  /** The schema of what is stored. */
  stored: RecordSchema;
  indexes: AnyIndexes;
}

type AnyRecord = Record<string, unknown> & { created_at: string; updated_at: string };

const deletionMark = "deletion_id";
const deletion = [deletionMark, "delete_at"];

/**
 * How long the tombstone of a deleted record stays. DynamoDB refuses attempts that are more than 15 minutes old, so a late attempt
 * cannot bring the record back.
 */
const tombstoneSeconds = 24 * 60 * 60;

/** Creates the store of a table that `recordTable` declares. */
export const recordStore = (
  table: Table<object>,
  { partitionKey, sortKey, schema, stored, indexes }: StoreOptions,
): object => {
  const records = table as unknown as Table<AnyRecord>;
  const keyNames = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const contentNames = Object.keys(schema._zod.def.shape).filter((name) => !keyNames.includes(name));
  const check = checkedRecord(schema);

  const keyOf = (key: unknown): Partial<AnyRecord> =>
    sortKey === undefined ? { [partitionKey]: key } : pick(key as AnyRecord, keyNames);
  const contentOf = (record: object): Record<string, unknown> => pick(record, contentNames);
  const declaration = { partitionKey, sortKey, schema: stored, indexes };
  const itemOf = (record: object) => toItem(contentOf(record), stored, nestedCodec);
  const isSame = (record: object, other: object): boolean =>
    nestedCodec.isSame({ M: itemOf(record) }, { M: itemOf(other) });

  /** Returns why a stored record may not be changed. */
  const problemOf = (record: AnyRecord | undefined, { ifMatch, if: conditions }: Requirements<AnyRecord>) => {
    if (!record) return "not found";
    if (ifMatch && !seenIn(ifMatch).includes(record.updated_at)) return "changed";
    return conditions === undefined || conditionsHold(conditions, record) ? undefined : "refused";
  };

  const store = {
    get: (key: unknown) => records.get(keyOf(key)),

    list: (request: ListRequest = {}) => listPage(records, declaration, request),

    async create(record: object) {
      const content = check(record);
      const { outcome, record: found } = await records.change(pick(content, keyNames), {
        condition: `attribute_not_exists(#${partitionKey}) OR (attribute_exists(${deletionMark}) AND attribute_not_exists(created_at))`,
        appliesTo: (existing) => existing === undefined,
        set: (created_at) => ({ ...contentOf(content), created_at }),
        remove: deletion,
      });
      if (outcome !== "refused") return { outcome: "created", record: found };
      return { outcome: found && isSame(found, content) ? "unchanged" : "taken", record: found };
    },

    async put(record: object, { ifMatch }: Requirements<AnyRecord> = {}) {
      const content = check(record);
      const { outcome, record: found } = await records.change(pick(content, keyNames), {
        appliesTo: (existing) => ifMatch === undefined || existing !== undefined,
        set: () => contentOf(content) as AnyRecord,
        setOnce: (created_at) => ({ created_at }),
        remove: [...contentNames, ...deletion],
        seen: ifMatch && seenIn(ifMatch),
      });
      // A repeated request finds its own change, whose response was lost: RFC 9110, section 13.1.1.
      if (outcome === "refused" && !(found && isSame(found, content))) return { outcome: "changed", record: found };
      return { outcome: found?.created_at === found?.updated_at ? "created" : "replaced", record: found };
    },

    async update(key: unknown, patch: unknown, requirements: Requirements<AnyRecord> = {}) {
      const next = (record: AnyRecord): Record<string, unknown> => {
        const changes = typeof patch === "function" ? patch(record) : patch;
        return check(mergePatch({ ...keyOf(key), ...contentOf(record) }, changes, schema));
      };
      /** Returns the fields whose values change, so that what a newer release has stored in others stays. */
      const changesOf = (record: AnyRecord | undefined): Record<string, unknown> => {
        if (!record) return {};
        const after = next(record);
        const [before, item] = [itemOf(record), itemOf(after)];
        const changed = contentNames.filter((name) => !nestedCodec.isSame(before[name], item[name]));
        return Object.fromEntries(changed.map((name) => [name, after[name]]));
      };
      const change: Change<AnyRecord> = {
        readsFirst: true,
        appliesTo: (record) => problemOf(record, requirements) === undefined,
        set: (_time, record) => changesOf(record),
        remove: (record) =>
          Object.entries(changesOf(record)).flatMap(([name, value]) => (value === undefined ? [name] : [])),
      };
      const { outcome, record } = await keepingErrors(change, (kept) => records.change(keyOf(key), kept));
      if (outcome !== "refused") return { outcome: "updated", record };
      const problem = problemOf(record, requirements);
      const isRepeated = problem === "changed" && record && Object.keys(changesOf(record)).length === 0;
      return isRepeated ? { outcome: "updated", record } : { outcome: problem, record };
    },

    async delete(key: unknown, requirements: Requirements<AnyRecord> = {}) {
      const { ifMatch, if: conditions } = requirements;
      const change: Change<AnyRecord> = {
        condition: `attribute_exists(#${partitionKey}) AND attribute_not_exists(${deletionMark})`,
        readsFirst: conditions !== undefined,
        appliesTo: (found) => problemOf(found, requirements) === undefined,
        set: (time) => ({ [deletionMark]: randomUUID(), delete_at: deletableAfter(time, tombstoneSeconds) }),
        remove: [...contentNames, "created_at"],
        seen: ifMatch && seenIn(ifMatch),
      };
      const { outcome, record } = await keepingErrors(change, (kept) => records.change(keyOf(key), kept));
      if (outcome !== "refused") return { outcome: "deleted" };
      return { outcome: problemOf(record, requirements), ...(record && { record }) };
    },

    ...(sortKey !== undefined && {
      query: (partition: unknown, request: PartitionRequest<string | number> = {}) =>
        partitionPage(records, declaration, { values: { [partitionKey]: partition } }, request),
    }),
  };

  const byIndex =
    (index: string) =>
    (partition: Record<string, unknown>, request: PartitionRequest<string | number> = {}) =>
      partitionPage(records, declaration, { index, values: pick(partition, indexes[index]?.partition ?? []) }, request);
  return { ...Object.fromEntries(Object.keys(indexes).map((index) => [index, byIndex(index)])), ...store };
};

/**
 * Makes a change, and throws what a handler's own functions throw while it is made. Without this, such an error would look as if
 * the database could not be reached.
 */
const keepingErrors = async <Result>(
  change: Change<AnyRecord>,
  make: (change: Change<AnyRecord>) => Promise<Result>,
): Promise<Result> => {
  let thrown: { error: unknown } | undefined;
  const keep =
    <Args extends unknown[], Value>(own: (...args: Args) => Value) =>
    (...args: Args): Value => {
      try {
        return own(...args);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
  try {
    return await make({ ...change, appliesTo: keep(change.appliesTo), set: keep(change.set) });
  } catch (error) {
    throw thrown ? thrown.error : error;
  }
};

const pick = (values: object, names: readonly string[]): Record<string, unknown> & object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
