import { time } from "./formats.ts";
import type { AnyFields, FieldsOf, RecordOf, Values } from "./records.ts";
import { type Page, type PageRequest, type Table, type TableDeclaration, table } from "./table.ts";

/** A record without the time of its last change. The store sets that time. */
type Content<R> = Omit<R, "updated_at">;

/** The store of a table whose records have ids chosen by clients. Clients create, read and replace the records. */
export interface RecordStore<R> {
  get(id: string): Promise<R | undefined>;
  /** Reads a page, in the table's own order. */
  list(request: PageRequest): Promise<Page<R>>;
  /** Stores a record unless its id is taken. Returns the record that is now stored, and whether it is new. */
  create(record: Content<R>): Promise<{ stored: R | undefined; isNew: boolean }>;
  /** Replaces the record with the same id, or creates it. */
  put(record: Content<R>): Promise<R>;
}

interface RecordTable<Fields extends AnyFields> {
  /** The field with the id, a string. */
  partitionKey: keyof Fields & string;
  /** All fields by name, including the id. Each record also gets an `updated_at`. */
  fields: Fields;
  /** A record for tests and the documentation. */
  example: RecordOf<Fields>;
}

/** Declares a table with the store that suits most resources: see `RecordStore`. Use `table` for any other store. */
export const recordTable = <const Fields extends AnyFields>({ partitionKey, fields, example }: RecordTable<Fields>) => {
  type R = RecordOf<Fields> & { updated_at: string };
  return table<R, RecordStore<R>>({
    partitionKey: partitionKey as string as keyof R & string,
    timeOfChange: "updated_at",
    // TypeScript cannot tell that these formats are the ones that `R` is derived from.
    fields: { ...fields, updated_at: time } as unknown as FieldsOf<R>,
    rights: { get: ["GetItem"], list: ["Scan"], create: ["UpdateItem"], put: ["UpdateItem"] },
    createStore: (records) => recordStore(records, partitionKey),
    example: { ...example, updated_at: "2026-11-21T10:15:30.123Z" } as R,
  } satisfies TableDeclaration<R, RecordStore<R>>);
};

const recordStore = <R extends object>(records: Table<R>, id: string): RecordStore<R> => {
  const write = (record: Content<R>, { replaces }: { replaces: boolean }) => {
    const { [id]: key, ...values } = record as Values;
    return records.change({ [id]: key } as Partial<R>, {
      condition: replaces ? `attribute_exists(#${id}) OR attribute_not_exists(#${id})` : `attribute_not_exists(#${id})`,
      appliesTo: (found) => replaces || found === undefined,
      set: () => values,
    });
  };
  return {
    get: (value) => records.get({ [id]: value } as Partial<R>),
    list: (request) => records.page(request),
    async create(record) {
      const { record: stored, outcome } = await write(record, { replaces: false });
      return { stored, isNew: outcome !== "refused" };
    },
    async put(record) {
      const { record: stored } = await write(record, { replaces: true });
      return stored as R;
    },
  };
};
