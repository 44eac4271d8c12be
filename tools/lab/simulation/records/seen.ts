import type { Database } from "../database/database.ts";
import type { Done } from "../situation.ts";
import type { RecordBody } from "./service.ts";
import { placeOfRecord, type RecordCall, type RecordName, recordNames, type Walk } from "./tables.ts";

/** Returns the body of a response. */
export const bodyOf = ({ answer }: Pick<Done, "answer">): RecordBody => (answer?.body ?? {}) as RecordBody;

/** Returns the versions of a record that clients have seen, by their `updated_at`. The first is the version of the setup. */
export const versionsOf = (name: RecordName, initial: Database, done: readonly Done[]): string[] => {
  const { table } = placeOfRecord(name);
  const shown = done.flatMap((one) => {
    const { call } = one.operation;
    return "name" in call && call.name === name ? [bodyOf(one).results?.[0]?.record?.updated_at] : [];
  });
  return [initial.itemsOf(table).get(name)?.updated_at?.S, ...shown].filter((time) => time !== undefined);
};

const walk = (by: Walk["by"], table: Walk["table"], more: Partial<Walk["partition"]> = {}): RecordCall[] =>
  (["ascending", "descending"] as const).map((order) => {
    const partition = { parcel_id: "one", place: "here", state: "open", ...more } as const;
    return { kind: "record", operation: "walk", table, by, partition, order, limit: 1, bounds: {} };
  });

/** The final calls, which read the stored records in every way. */
export const finalRecordCalls: readonly RecordCall[] = [
  ...recordNames.map((name) => ({ kind: "record", operation: "get", name }) as const),
  ...(["parcels", "events"] as const).flatMap((table) => [
    ...walk("list", table).slice(1),
    ...(["here", "there"] as const).flatMap((place) => walk("byPlace", table, { place })),
    ...(["open", "packed"] as const).flatMap((state) => walk("byPlaceAndState", table, { state })),
  ]),
  ...walk("query", "events"),
];
