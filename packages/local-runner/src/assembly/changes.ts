import { isDeepStrictEqual } from "node:util";
import type { Application } from "./application.ts";

/** The names of additions, removals and changes from one assembly to another. */
export interface Changes {
  added: string[];
  removed: string[];
  changed: string[];
}

/** What a reload changed: functions by name, routes by route key, tables by table name. */
export interface ApplicationChanges {
  functions: Changes;
  routes: Changes;
  tables: Changes;
}

/** Compares two applications. A function has not changed if equal code lies in another folder. */
export const changesBetween = (before: Application, after: Application): ApplicationChanges => {
  const functionsOf = ({ functions }: Application) =>
    named(
      functions,
      ({ name }) => name,
      ({ codeDirectory: _, ...rest }) => rest,
    );
  const routesOf = ({ api }: Application) => named(api?.routes ?? [], ({ routeKey }) => routeKey);
  const tablesOf = ({ tables }: Application) => named(tables, ({ TableName }) => TableName);
  return {
    functions: compare(functionsOf(before), functionsOf(after)),
    routes: compare(routesOf(before), routesOf(after)),
    tables: compare(tablesOf(before), tablesOf(after)),
  };
};

const named = <Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  contentOf: (item: Item) => unknown = (item) => item,
): Map<string, unknown> => new Map(items.map((item) => [nameOf(item), contentOf(item)]));

const compare = (before: Map<string, unknown>, after: Map<string, unknown>): Changes => {
  const kept = [...after.keys()].filter((name) => before.has(name));
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: kept.filter((name) => !isDeepStrictEqual(before.get(name), after.get(name))),
  };
};
