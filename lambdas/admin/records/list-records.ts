import * as z from "zod/mini";
import type { Action, ActionContext, Actions } from "../../declaration/action.ts";
import { partitionsOf, readShown, type ShownRecords, type ShownTable } from "../../declaration/shown-records.ts";
import { pick } from "../../dynamodb/record-plans.ts";
import type { TableIndex } from "../../dynamodb/table.ts";
import type { Tables } from "../../dynamodb/uses.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { text } from "../../shared/validation/fields.ts";
import { wordIssue } from "../../shared/validation/issue-words.ts";
import { encodeCursor } from "../../shared/validation/paging.ts";
import { validate } from "../../shared/validation/validate.ts";
import { pageCursor, pageLimit } from "../admin-fields.ts";
import { type FoundBy, readableTable, type ShownStore, shownPositions } from "./readable-table.ts";
import { indexValue, recordContract } from "./records-contract.ts";

/** Returns the action that lists the records that admins see, if the service has any. */
export const recordActions = (records: ShownRecords): Actions => {
  const [first, ...others] = Object.keys(records);
  if (first === undefined) return {};
  const stores = [first, ...others];
  const indexes = Object.entries(records).flatMap(([store, shown]) =>
    Object.entries(partitionsOf(shown)).map(([name, { partition }]) => `${name} (${partition.join(", ")}) of ${store}`),
  );
  const input = z.strictObject({
    store: z
      .enum(stores, { error: `must be one of ${stores.join(", ")}.` })
      .check(z.meta({ description: "Which records." })),
    limit: pageLimit,
    cursor: pageCursor(() => true),
    prefix: z
      .optional(text({ min: 1, max: 1000 }))
      .check(z.meta({ description: "How the ids, or the first parts of the keys, begin; case matters." })),
    index: z
      .optional(z.string())
      .check(z.meta({ description: `The index that finds them: ${indexes.join(", ") || "there is none"}.` })),
    where: z
      .optional(values)
      .check(z.meta({ description: `The values of the index's fields, as JSON, such as {"status":"new"}.` })),
    order: z
      ._default(z.enum(["descending", "ascending"]), "descending")
      .check(z.meta({ description: "The order of the index's last field." })),
  });
  const listRecords: Action = {
    contract: recordContract.list_records,
    summary:
      "Returns a page of records with the columns that the service shows to admins. With index and where, a page of the records that have these values, in the order of the index; it costs what it returns. Otherwise, a page of all records in the table's own order, which is stable but not alphabetical. With prefix, only records whose id, or the first part of their key, begins with it: such a call reads up to 4 MB of the table, so a page may have few records or none. While there are more, next_cursor is where the next page begins. examined is the number of items that were read, and left_out how many of them could not be read as records.",
    uses: Object.fromEntries(stores.map((store) => [store, [readShown]])),
    input,
    example: { store: first },
    async run(wanted: z.output<typeof input>, { stores: from }: ActionContext<Readonly<Record<string, ShownStore>>>) {
      const { store, limit, cursor, prefix } = wanted;
      const [read, shown] = [from[store]?.[readShown], records[store]];
      if (!read || !shown) throw new Error(`There is no store ${store}.`);
      const by = foundBy(shown, wanted);
      if (cursor !== undefined && !shownPositions(shown, by?.partition).keyOf(cursor)) {
        throw new ValidationError({ cursor: ["The cursor belongs to another list. Start again without it."] });
      }
      let left_out = 0;
      const unreadable = () => {
        left_out += 1;
      };
      const page = await read({ limit, after: cursor, prefix, by, unreadable });
      const columns = shownColumns(shown, by);
      return {
        id_column: shown.partitionKey,
        sort_column: shown.sortKey ?? null,
        columns: Object.fromEntries(Object.entries(columns).map(([name, { kind }]) => [name, kind])),
        indexes: Object.entries(partitionsOf(shown)).map(([name, index]) => describe(shown, name, index)),
        records: page.records.map((record) => pick(record, Object.keys(columns))),
        next_cursor: page.next === undefined ? null : encodeCursor(page.next),
        examined: page.examined,
        left_out,
      };
    },
  };
  return { list_records: listRecords };
};

/** The values of an index's fields. Query strings and the admin command send them as JSON text. */
const values = z.pipe(
  z.transform((value) => (typeof value === "string" ? (parseJson(value) ?? value) : value)),
  z.record(z.string(), z.unknown()),
);

interface Search extends Pick<FoundBy, "order"> {
  index?: string | undefined;
  where?: Record<string, unknown> | undefined;
  prefix?: string | undefined;
}

/** Returns the partition that a request asks for; `undefined` if it asks for all records. */
const foundBy = (shown: ShownTable, { index, where, order, prefix }: Search): FoundBy | undefined => {
  if (index === undefined && where === undefined) return undefined;
  const all = partitionsOf(shown);
  const found = index !== undefined && Object.hasOwn(all, index) ? all[index] : undefined;
  const names = Object.keys(all);
  if (index === undefined || !found) {
    throw new ValidationError({
      index: [names.length === 0 ? "These records have no index." : `The index must be one of ${names.join(", ")}.`],
    });
  }
  if (prefix !== undefined) throw new ValidationError({ prefix: ["The prefix cannot be combined with an index."] });
  const fields = found.partition.map((name) => [name, indexValue(columnOf(shown, name))]);
  const schema = z.object({ where: z.strictObject(Object.fromEntries(fields)) });
  const checked = validate(schema, { where: where ?? {} }, { words: wordIssue });
  if (!checked.valid) throw new ValidationError(checked.fields);
  return { partition: index, values: checked.value.where, order };
};

const columnOf = ({ columns, indexFields }: ShownTable, name: string) =>
  columns[name] ?? indexFields[name] ?? { kind: "any" as const };

/** Returns the columns of a page. Records found by an index also have the field that they are sorted by. */
const shownColumns = (shown: ShownTable, by: FoundBy | undefined): ShownTable["columns"] => {
  const sort = by && partitionsOf(shown)[by.partition]?.sort;
  return sort === undefined ? shown.columns : { ...shown.columns, [sort]: columnOf(shown, sort) };
};

const describe = (shown: ShownTable, name: string, { partition, sort }: TableIndex) => ({
  name,
  partition: partition.map((field) => ({
    name: field,
    ...pick(columnOf(shown, field), ["kind", "places", "options"]),
  })),
  sort,
  sort_kind: columnOf(shown, sort).kind,
});

/** Returns the tables that this action reads. */
export const shownTables = (records: ShownRecords): Tables =>
  Object.fromEntries(Object.entries(records).map(([store, shown]) => [store, readableTable(shown)]));
