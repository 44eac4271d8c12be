import type { Patch } from "../shared/validation/merge-patch.ts";
import type { ChangesOperation } from "./change-feed.ts";
import type { Conditions } from "./conditions.ts";
import { keepingErrors } from "./keeping-errors.ts";
import { type ListRequest, listPage, type PartitionRequest, partitionPage } from "./record-pages.ts";
import { keyOf, type Plan, type PlannedTable, pick, recordPlans, type StoredValues } from "./record-plans.ts";
import type { Values } from "./records.ts";
import type { Page, Table } from "./table.ts";

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

/** The operations that find records by an index. */
type IndexOperations<R, I> = {
  [Name in keyof I as I[Name] extends { retired: true } ? never : Name]: I[Name] extends {
    partition: readonly (infer P)[];
    sort: infer S;
  }
    ? (partition: Pick<R, P & keyof R>, request?: PartitionRequest<R[S & keyof R]>) => Promise<Page<R>>
    : never;
};

/** The operation of a table that declares `changes`. It is added to the store where stores are created. */
type ChangesOperationOf<R, Key, C> = C extends { retired: true }
  ? unknown
  : C extends { partition: readonly (infer P)[] }
    ? ChangesOperation<R, Key, [partition: Pick<R, P & keyof R>]>
    : C extends undefined
      ? unknown
      : ChangesOperation<R, Key, []>;

/**
 * The store of a table that `recordTable` declares. Whatever a change has acknowledged stays, even if an attempt of an earlier one
 * takes effect late. Each record is checked as a whole before it is written.
 */
export type RecordStore<R, Written, Partition extends string, Sort extends string, I, C> = {
  /** Reads a record, strongly consistent. */
  get(key: KeyOf<R, Partition, Sort>): Promise<R | undefined>;
  /** Reads a page of all records, in the table's own order. */
  list(request?: ListRequest): Promise<Page<R>>;
  /** Stores a record unless its key is taken. `unchanged` means that exactly this record already existed. */
  create(
    record: Written,
  ): Promise<{ outcome: "created"; record: R } | { outcome: "unchanged"; record: R } | { outcome: "taken"; record: R }>;
  /** Stores a record, and replaces the record with the same key. */
  put<Required extends Pick<Requirements<R>, "ifMatch"> = { ifMatch?: undefined }>(
    record: Written,
    requirements?: Required,
  ): Promise<
    | { outcome: "created" | "replaced"; record: R }
    | (Required extends { ifMatch?: undefined } ? never : { outcome: "changed"; record: R | undefined })
  >;
  /**
   * Changes some fields of a record: see `mergePatch`. A function gets the stored record, and may be called again if another change
   * comes first. `refused` means that the record is not as `if` requires, and `changed` that it has another version.
   */
  update(
    key: KeyOf<R, Partition, Sort>,
    patch: PatchOf<R, Partition, Sort> | ((stored: R) => PatchOf<R, Partition, Sort>),
    requirements?: Requirements<R>,
  ): Promise<
    | { outcome: "updated"; record: R }
    | { outcome: "changed" | "refused"; record: R }
    | { outcome: "not found"; record?: undefined }
  >;
  delete(
    key: KeyOf<R, Partition, Sort>,
    requirements?: Requirements<R>,
  ): Promise<
    | { outcome: "deleted"; record?: undefined }
    | { outcome: "changed" | "refused"; record: R }
    | { outcome: "not found"; record?: undefined }
  >;
} & ([Sort] extends [never]
  ? unknown
  : {
      /** Reads a page of a partition, strongly consistent. */
      query(partition: R[Partition & keyof R], request?: PartitionRequest<R[Sort & keyof R]>): Promise<Page<R>>;
    }) &
  IndexOperations<R, I> &
  ChangesOperationOf<R, Pick<R, (Partition | Sort) & keyof R>, C>;

/** Creates the store of a table that `recordTable` declares. */
export const recordStore = (table: Table<object>, declaration: PlannedTable): object => {
  const records = table as unknown as Table<StoredValues>;
  const { partitionKey, sortKey, indexes } = declaration;
  const plans = recordPlans(declaration);
  const make =
    (plan: (...args: never[]) => Plan) =>
    async (...args: never[]): Promise<object> => {
      const { key, change, made, refused } = plan(...args);
      const { outcome, record } = await keepingErrors(change, (kept) => records.change(key, kept));
      return outcome === "refused" ? refused(record) : made(record);
    };
  const byIndex =
    (index: string) =>
    (partition: Values, request: PartitionRequest<string | number> = {}): Promise<Page<object>> =>
      partitionPage(records, declaration, { index, values: pick(partition, indexes[index]?.partition ?? []) }, request);

  return {
    ...Object.fromEntries(Object.keys(indexes).map((index) => [index, byIndex(index)])),
    ...Object.fromEntries(Object.entries(plans).map(([operation, plan]) => [operation, make(plan)])),
    get: (key: unknown) => records.get(keyOf(declaration, key)),
    list: (request: ListRequest = {}) => listPage(records, declaration, request),
    ...(sortKey !== undefined && {
      query: (partition: unknown, request: PartitionRequest<string | number> = {}) =>
        partitionPage(records, declaration, { values: { [partitionKey]: partition } }, request),
    }),
  };
};
