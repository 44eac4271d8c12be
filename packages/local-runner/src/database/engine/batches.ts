import type { Context } from "./context.ts";
import { invalid } from "./errors.ts";
import { changesOf, checkItem } from "./items.ts";
import { checkKey, keyNamesOf, pick, placeOfItem } from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import { type Item, itemBytes } from "./values.ts";

const maximumWrites = 25;
const maximumKeys = 100;
const maximumBytes = 16 * 1024 * 1024;

const checkDistinct = (places: string[]): void => {
  if (new Set(places).size < places.length) throw invalid("Provided list of item keys contains duplicates");
};

export const batchWrite = (
  { storage, tableNamed, onWrite }: Context,
  { RequestItems }: Parameters["BatchWriteItem"],
) => {
  const requests = Object.entries(RequestItems).flatMap(([name, list]) =>
    list.map((request) => ({ table: tableNamed(name), ...request })),
  );
  if (requests.length === 0) throw invalid("The batch write request list cannot be empty");
  if (requests.length > maximumWrites) throw invalid("Too many items requested for the BatchWriteItem call");
  const writes = requests.map(({ table, PutRequest: put, DeleteRequest: deletion }) => {
    if ((put === undefined) === (deletion === undefined)) {
      throw invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
      );
    }
    if (put) checkItem(table, put.Item);
    if (deletion) checkKey(table, deletion.Key);
    const key = pick(put?.Item ?? deletion?.Key ?? {}, keyNamesOf(table));
    return { table, key, place: placeOfItem(table, key), after: put?.Item };
  });
  checkDistinct(writes.map(({ place }) => place));
  for (const { table, key, place, after } of writes) {
    const before = storage.get(place);
    if (before === undefined && after === undefined) continue;
    storage.write(changesOf(table, before, after));
    onWrite({ table: table.name, key, before, after });
  }
  return { UnprocessedItems: {} };
};

export const batchGet = ({ storage, tableNamed }: Context, { RequestItems }: Parameters["BatchGetItem"]) => {
  const requests = Object.entries(RequestItems).flatMap(([name, { Keys, ...options }]) => {
    const table = tableNamed(name);
    return Keys.map((key) => {
      checkKey(table, key);
      return { name, key, options, place: placeOfItem(table, key) };
    });
  });
  if (requests.length > maximumKeys) throw invalid("Too many items requested for the BatchGetItem call");
  checkDistinct(requests.map(({ place }) => place));
  const Responses = Object.fromEntries(Object.keys(RequestItems).map((name): [string, Item[]] => [name, []]));
  const UnprocessedKeys: Record<string, { Keys: Item[] }> = {};
  let bytes = 0;
  for (const { name, key, options, place } of requests) {
    const item = storage.get(place);
    if (item === undefined) continue;
    bytes += itemBytes(item);
    if (bytes <= maximumBytes) Responses[name]?.push(item);
    else {
      UnprocessedKeys[name] ??= { Keys: [], ...options };
      UnprocessedKeys[name].Keys.push(key);
    }
  }
  return { Responses, UnprocessedKeys };
};
