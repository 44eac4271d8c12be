import * as z from "zod/mini";
import type { Action, ActionContext, Actions } from "../../declaration/action.ts";
import {
  type Column,
  readShown,
  type ShownRecords,
  type ShownTable,
  withShownRight,
} from "../../declaration/shown-records.ts";
import { nestedCodec } from "../../dynamodb/nested-attributes.ts";
import { positionsIn } from "../../dynamodb/position.ts";
import { type AnyTable, keyNamesOf, type Page, type PageRequest, type Table } from "../../dynamodb/table.ts";
import type { Tables } from "../../dynamodb/uses.ts";
import { decimal } from "../../shared/validation/decimal.ts";
import { text } from "../../shared/validation/fields.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { recordContract } from "./records-contract.ts";

type Values = Record<string, unknown>;
type Stores = Readonly<Record<string, Record<typeof readShown, (request: PageRequest) => Promise<Page<Values>>>>>;

/** Returns the action that lists the records that admins see, if the service has any. */
export const recordActions = (records: ShownRecords): Actions => {
  const [first, ...others] = Object.keys(records);
  if (first === undefined) return {};
  const stores = [first, ...others];
  const input = z.strictObject({
    store: z
      .enum(stores, { error: `must be one of ${stores.join(", ")}.` })
      .check(z.meta({ description: "Which records." })),
    limit: pageLimit,
    cursor: pageCursor(() => true),
    prefix: z
      .optional(text({ min: 1, max: 1000 }))
      .check(z.meta({ description: "How the ids, or the first parts of the keys, begin; case matters." })),
  });
  const listRecords: Action = {
    contract: recordContract.list_records,
    summary:
      "Returns a page of records with the columns that the service shows to admins, in the table's own order, which is stable but not alphabetical. With prefix, only records whose id, or the first part of their key, begins with it: such a call reads up to 4 MB of the table, so a page may have few records or none. While there are more, next_cursor is where the next page begins. examined is the number of items that were read, and left_out how many of them could not be read as records.",
    uses: Object.fromEntries(stores.map((store) => [store, [readShown]])),
    input,
    example: { store: first },
    async run({ store, limit, cursor, prefix }: z.output<typeof input>, { stores: from }: ActionContext<Stores>) {
      const [read, shown] = [from[store]?.[readShown], records[store]];
      if (!read || !shown) throw new Error(`There is no store ${store}.`);
      let left_out = 0;
      const unreadable = () => {
        left_out += 1;
      };
      const page = await read({ limit, after: cursor, prefix, unreadable });
      return {
        id_column: shown.partitionKey,
        sort_column: shown.sortKey ?? null,
        columns: Object.fromEntries(Object.entries(shown.columns).map(([name, { kind }]) => [name, kind])),
        records: page.records,
        next_cursor: page.next === undefined ? null : encodeCursor(page.next),
        examined: page.examined,
        left_out,
      };
    },
  };
  return { list_records: listRecords };
};

/** Returns the tables that this action reads. */
export const shownTables = (records: ShownRecords): Tables =>
  Object.fromEntries(Object.entries(records).map(([store, shown]) => [store, readableTable(shown)]));

const readableTable = (shown: ShownTable): AnyTable => {
  const { columns, ...declared } = shown;
  const keyNames = keyNamesOf(shown);
  // Earlier releases of the service may have stored records that lack some of these fields.
  const fields = Object.entries(columns).map(([name, column]) => {
    const schema = schemaOf(column);
    return [name, keyNames.includes(name) ? schema : z.optional(z.nullable(schema))] as const;
  });
  const schema = z.object(Object.fromEntries(fields));
  const table: AnyTable = {
    ...declared,
    codec: nestedCodec,
    hasOtherFields: true,
    schema,
    rights: {},
    createStore: ({ page }: Table<object>) => ({
      [readShown]: (request: PageRequest) => page({ ...request, positions: positionsIn({ ...declared, schema }) }),
    }),
    example: {},
  };
  return withShownRight(table, shown);
};

/** Returns a schema that knows only how values are stored, because an earlier release may have had other rules. */
const schemaOf = ({ kind, places = 0, fields, values }: Column): z.ZodMiniType => {
  switch (kind) {
    case "number":
      return z.number();
    case "decimal": {
      const nothing = (0).toFixed(places);
      return decimal({ places, min: nothing, max: nothing });
    }
    case "boolean":
      return z.boolean();
    case "list":
      return z.array(z.nullable(schemaOf(values ?? { kind: "any" })));
    case "object": {
      if (!fields) return z.record(z.string(), z.nullable(schemaOf(values ?? { kind: "any" })));
      const parts = Object.entries(fields).map(([name, part]) => [name, z.optional(z.nullable(schemaOf(part)))]);
      return z.object(Object.fromEntries(parts));
    }
    case "any":
      return z.unknown();
    default:
      return z.string();
  }
};
