import * as z from "zod/mini";
import type { Action, ActionContext, Actions } from "../../declaration/action.ts";
import { readShown, type ShownRecords, type ShownTable, withShownRight } from "../../declaration/shown-records.ts";
import { nestedCodec } from "../../dynamodb/nested-attributes.ts";
import type { AnyTable, Page, PageRequest, Table } from "../../dynamodb/table.ts";
import type { Tables } from "../../dynamodb/uses.ts";
import { text } from "../../shared/validation/fields.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { recordContract } from "./records-contract.ts";

type Values = Record<string, string | number>;
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
      .check(z.meta({ description: "How the ids of the records begin; case matters." })),
  });
  const listRecords: Action = {
    contract: recordContract.list_records,
    summary:
      "Returns a page of records with the columns that the service shows to admins, in the table's own order, which is stable but not alphabetical. With prefix, only records whose id begins with it: such a call reads up to 4 MB of the table, so a page may have few records or none. While there are more, next_cursor is where the next page begins. examined is the number of items that were read.",
    uses: Object.fromEntries(stores.map((store) => [store, [readShown]])),
    input,
    example: { store: first },
    async run({ store, limit, cursor, prefix }: z.output<typeof input>, { stores: from }: ActionContext<Stores>) {
      const [read, shown] = [from[store]?.[readShown], records[store]];
      if (!read || !shown) throw new Error(`There is no store ${store}.`);
      const page = await read({ limit, after: cursor, prefix });
      return {
        id_column: shown.partitionKey,
        columns: shown.columns,
        records: page.records,
        next_cursor: page.next === undefined ? null : encodeCursor(page.next),
        examined: page.examined,
      };
    },
  };
  return { list_records: listRecords };
};

/** Returns the tables that this action reads. */
export const shownTables = (records: ShownRecords): Tables =>
  Object.fromEntries(Object.entries(records).map(([store, shown]) => [store, readableTable(shown)]));

const readableTable = ({ columns, ...table }: ShownTable): AnyTable =>
  withShownRight(
    {
      ...table,
      codec: nestedCodec,
      hasOtherFields: true,
      // Earlier releases of the service may have stored values that the table no longer allows.
      schema: z.object(Object.fromEntries(Object.keys(columns).map((name) => [name, z.exactOptional(z.unknown())]))),
      rights: {},
      createStore: ({ page }: Table<object>) => ({ [readShown]: page }),
      example: {},
    },
    { columns, ...table },
  );
