import { ApiError } from "../shared/errors/api-error.ts";
import { log } from "../shared/log.ts";
import type { Item } from "./records.ts";
import { type AnyTable, keyNamesOf, type PageRequest } from "./table.ts";

/**
 * Returns a function that reads an item of a page, for a table with this name in DynamoDB. For an unreadable item, it returns
 * `undefined` and reports the error. If the table is read strictly and nobody wants to know, it throws the error instead.
 */
export const leavingOutUnreadable =
  (declaration: AnyTable, table: string) =>
  <T>(readItem: (item: Item) => T | undefined, unreadable?: PageRequest["unreadable"]) => {
    const isStrict = declaration.reads === "strictly";
    if (isStrict && unreadable === undefined) return readItem;
    return (item: Item): T | undefined => {
      try {
        return readItem(item);
      } catch (error) {
        if (!isStrict) logUnreadable(error, { table, item, declaration });
        unreadable?.(error);
        return undefined;
      }
    };
  };

interface Unreadable {
  table: string;
  item: Item;
  declaration: AnyTable;
}

const logUnreadable = (error: unknown, { table, item, declaration }: Unreadable): void =>
  log("error", {
    message: "unreadable_record",
    unreadable_record: Object.fromEntries(
      keyNamesOf(declaration).map((name) => [name, item[name]?.S ?? item[name]?.N]),
    ),
    table,
    error: error instanceof ApiError && error.cause instanceof Error ? error.cause.message : String(error),
  });
