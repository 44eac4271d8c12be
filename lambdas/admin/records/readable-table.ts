import * as z from "zod/mini";
import {
  attributesOf,
  type Column,
  indexNameOf,
  readShown,
  type ShownTable,
  withShownRight,
} from "../../declaration/shown-records.ts";
import { selection } from "../../dynamodb/change-history.ts";
import { nestedCodec } from "../../dynamodb/nested-attributes.ts";
import { positionsIn } from "../../dynamodb/position.ts";
import { partitionPage } from "../../dynamodb/record-pages.ts";
import type { Item } from "../../dynamodb/records.ts";
import type { Order } from "../../dynamodb/sort-bounds.ts";
import {
  type AnyTable,
  keyNamesOf,
  type Page,
  type PageRequest,
  type Positions,
  type Table,
} from "../../dynamodb/table.ts";
import { decimal } from "../../shared/validation/decimal.ts";

type Values = Record<string, unknown>;

/** The records of one partition, in the order of its sort field. */
export interface FoundBy {
  /** The name of the partition: see `partitionsOf`. */
  partition: string;
  values: Values;
  order: Order;
}

interface ShownRequest extends Omit<PageRequest, "positions"> {
  /** Default: all records. */
  by?: FoundBy | undefined;
}

/** The store that reads what admins see. */
export type ShownStore = Record<typeof readShown, (request: ShownRequest) => Promise<Page<Values>>>;

/** Returns the part of a table that admins see as a table that the admin functions read. */
export const readableTable = (shown: ShownTable): AnyTable => {
  const { columns, indexFields, ...declared } = shown;
  const keyNames = keyNamesOf(shown);
  // Earlier releases of the service may have stored records that lack some of these fields.
  const fields = Object.entries({ ...columns, ...indexFields }).map(([name, column]) => {
    const schema = schemaOf(column);
    return [name, keyNames.includes(name) ? schema : z.optional(z.nullable(schema))] as const;
  });
  const table: AnyTable = {
    ...declared,
    codec: nestedCodec,
    hasOtherFields: true,
    schema: z.object(Object.fromEntries(fields)),
    rights: {},
    createStore: (opened: Table<object>) => storeOn(opened, shown),
    example: {},
  };
  return withShownRight(table, shown);
};

const storeOn = (table: Table<object>, shown: ShownTable) => ({
  [readShown]: ({ by, ...request }: ShownRequest) => {
    if (!by) return table.page({ ...request, positions: shownPositions(shown) });
    const { limit, after: cursor, unreadable } = request;
    const { partition, values, order } = by;
    return partitionPage(
      limitedTo(table, shown, unreadable),
      { ...shown, schema: keySchema(shown) },
      { values, ...onIndex(shown, partition) },
      { limit, cursor, order },
    );
  },
});

/** Returns the positions in all records, or in the partitions with this name. */
export const shownPositions = (shown: ShownTable, partition?: string): Positions =>
  positionsIn({ ...shown, schema: keySchema(shown) }, partition === undefined ? undefined : onIndex(shown, partition));

const onIndex = (shown: ShownTable, partition: string): { index?: string } => {
  const index = indexNameOf(shown, partition);
  return index === undefined ? {} : { index };
};

/** Returns a schema of the fields that a key can consist of. In a key, none is missing. */
const keySchema = ({ columns, indexFields }: ShownTable) =>
  z.object(
    Object.fromEntries(Object.entries({ ...columns, ...indexFields }).map(([name, one]) => [name, schemaOf(one)])),
  );

/** Returns a table whose queries read only what admins see, and report what they leave out. */
const limitedTo = (table: Table<object>, shown: ShownTable, unreadable: PageRequest["unreadable"]): Table<object> => {
  const shownAttributes = selection(attributesOf(shown));
  return {
    ...table,
    query: (input) => table.query({ ...input, ...shownAttributes }),
    readOnPage(item: Item) {
      const record = table.readOnPage(item);
      const isDeleted = item[shown.deletionMark ?? ""] !== undefined;
      if (!record && !isDeleted) unreadable?.(undefined);
      return record;
    },
  };
};

/** Returns a schema that checks only how values are stored, because an earlier release may have had other rules. */
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
