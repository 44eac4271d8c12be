import * as z from "zod/mini";
import type { Conditions } from "../../../../lambdas/dynamodb/conditions.ts";
import { recordTable } from "../../../../lambdas/dynamodb/record-table.ts";
import { text, wholeNumber } from "../../../../lambdas/shared/validation/fields.ts";
import type { Patch } from "../../../../lambdas/shared/validation/merge-patch.ts";

/* The application whose stores the simulation of records calls. Both of its tables have the same fields, except for their keys. */

const content = {
  state: z.enum(["open", "packed", "sent"]),
  count: wholeNumber({ min: 0, max: 1_000 }),
  note: z.optional(text({ min: 1, max: 10 })),
  size: z.optional(z.object({ width: wholeNumber({ min: 1, max: 9 }), height: wholeNumber({ min: 1, max: 9 }) })),
};

/** The function that calls the stores. */
export const recordFunction = "records";

const id = text({ min: 1, max: 10 });

export const parcels = recordTable({
  partitionKey: "parcel_id",
  schema: z.object({ parcel_id: id, ...content }),
  changes: true,
});

export const events = recordTable({
  partitionKey: "parcel_id",
  sortKey: "number",
  schema: z.object({ parcel_id: id, number: wholeNumber({ min: 1, max: 9 }), ...content }),
  changes: { partition: ["parcel_id"] },
});

export const recordTables = { parcels, events };

/** The names of the records. Those with a number are events. */
export const recordNames = ["one", "two", "three", "one 1", "one 2", "two 1"] as const;
export type RecordName = (typeof recordNames)[number];

/** Returns the table of a record, and its key. */
export const placeOfRecord = (name: RecordName) => {
  const [parcel_id = "", number] = name.split(" ");
  if (number === undefined) return { table: "parcels", id: parcel_id, key: { parcel_id } } as const;
  const key = { parcel_id, number: Number(number) };
  return { table: "events", id: key, key } as const;
};

/** What readers follow: the changes of all parcels, or of the events of one parcel. Each has the names of its records. */
export const feeds = {
  parcels: recordNames.filter((name) => placeOfRecord(name).table === "parcels"),
  one: ["one 1", "one 2"],
  two: ["two 1"],
} as const satisfies Record<string, readonly RecordName[]>;
export type FeedName = keyof typeof feeds;

/** The fields of a record besides its key and its times. */
export type Content = z.infer<z.ZodMiniObject<typeof content>>;
export type State = Content["state"];

/** Returns the content of a record, with its fields in the order of the schema, so that equal contents have equal JSON. */
export const contentOf = ({ state, count, note, size }: Content): Content => ({
  ...{ state, count },
  ...(note !== undefined && { note }),
  ...(size && { size: { width: size.width, height: size.height } }),
});

export type ContentPatch = Patch<Content>;

/** A change of a record: its merge patch, the states that it requires, and its effect on the content. */
interface RecordChange {
  patch: ContentPatch | ((stored: Content) => ContentPatch);
  states?: readonly State[];
  apply: (stored: Content) => Content;
}

/** The changes that the simulation makes, by name. */
export const recordChanges = {
  count: { patch: ({ count }: Content) => ({ count: count + 1 }), apply: (one) => ({ ...one, count: one.count + 1 }) },
  pack: { patch: { state: "packed" }, states: ["open"], apply: (one) => ({ ...one, state: "packed" }) },
  send: { patch: { state: "sent" }, states: ["open", "packed"], apply: (one) => ({ ...one, state: "sent" }) },
  reopen: { patch: { state: "open" }, apply: (one) => ({ ...one, state: "open" }) },
  note: { patch: { note: "noted" }, apply: (one) => ({ ...one, note: "noted" }) },
  clear: { patch: { note: null }, apply: ({ note: _, ...one }) => one },
  widen: {
    patch: ({ size }: Content) => (size ? { size: { width: 9 } } : {}),
    apply: (one) => (one.size ? { ...one, size: { ...one.size, width: 9 } } : one),
  },
  nothing: { patch: {}, apply: (one) => one },
} satisfies Record<string, RecordChange>;
export type ChangeName = keyof typeof recordChanges;

export const changeNamed = (name: ChangeName): RecordChange => recordChanges[name];

/** Returns the condition of a change or a deletion. */
export const conditionOf = (states: readonly State[] | undefined): Conditions<Content> | undefined =>
  states && { state: states };

/** A step that changes one record. */
export type RecordStep = { name: RecordName } & (
  | { operation: "create" | "put"; content: Content }
  | { operation: "update"; change: ChangeName }
  | { operation: "delete"; states?: readonly State[] }
);

/** Reads pages of changes, from where a reader has come to, and applies them to the reader's copy. */
export interface Follow {
  operation: "follow";
  reader: number;
  feed: FeedName;
  limit: number;
  /** Maximum number of pages. */
  pages: number;
  /** Whether the reader stops before it has stored the pages. */
  isForgotten?: boolean;
}

export type RecordCall = { kind: "record" } & (
  | (RecordStep & {
      /** Requires a version that a client has seen, which is current or outdated. */
      ifUnchanged?: boolean;
    })
  | { operation: "get"; name: RecordName }
  | Follow
  | { operation: "transaction"; steps: RecordStep[] }
);
