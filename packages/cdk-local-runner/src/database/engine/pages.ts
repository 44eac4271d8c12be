import { checkCondition, holds } from "./conditions.ts";
import { assertValid, UnsupportedRequest } from "./errors.ts";
import { distinctNames } from "./items.ts";
import { type Range, rangeOf } from "./key-conditions.ts";
import {
  checkKey,
  checkProjected,
  indexNamed,
  keyNamesOf,
  pick,
  placeInIndex,
  placeOfItem,
  placeOfSegment,
  prefixOf,
} from "./keys.ts";
import type { Parameters } from "./parameters.ts";
import { type Placeholders, placeholdersOf } from "./placeholders.ts";
import type { Context } from "./storage.ts";
import type { Index, Table } from "./tables.ts";
import { type Item, itemBytes } from "./values.ts";

// DynamoDB's maximum page size.
const maximumBytes = 1024 * 1024;

export const query = (context: Context, request: Parameters["Query"]) => {
  const { KeyConditionExpression, FilterExpression, ProjectionExpression } = request;
  const { table, index } = sourceOf(context, request);
  if (request.ExclusiveStartKey && !index && table.keys.length === 1) {
    throw new UnsupportedRequest("ExclusiveStartKey for a table without a sort key");
  }
  const placeholders = placeholdersOf(request, { KeyConditionExpression, FilterExpression, ProjectionExpression });
  const { keys } = index ?? table;
  checkCondition("KeyConditionExpression", KeyConditionExpression.expression, placeholders);
  const range = rangeOf(KeyConditionExpression.expression, prefixOf(table, index), { keys, placeholders });
  const filtered = [...(FilterExpression?.attributes ?? [])].map(placeholders.nameOf);
  const key = keys.find(({ name }) => filtered.includes(name));
  assertValid(key === undefined, `Filter Expression can only contain non-primary key attributes, not ${key?.name}`);
  return page(context, request, { table, index, range, placeholders, isBackwards: request.ScanIndexForward === false });
};

export const scan = (context: Context, request: Parameters["Scan"]) => {
  const { FilterExpression, ProjectionExpression, Segment, TotalSegments } = request;
  const { table, index } = sourceOf(context, request);
  const placeholders = placeholdersOf(request, { FilterExpression, ProjectionExpression });
  const [absent, present] =
    Segment === undefined ? ["Segment", "parameter TotalSegments"] : ["TotalSegments", "Segment parameter"];
  assertValid(
    (Segment === undefined) === (TotalSegments === undefined),
    `The ${absent} parameter is required but was not present in the request when ${present} is present`,
  );
  const [segment, segments] = [Segment ?? 0, TotalSegments ?? 1];
  assertValid(
    segment < segments,
    `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${segment} is not less than TotalSegments: ${segments}`,
  );
  const prefix = prefixOf(table, index);
  const range = {
    from: placeOfSegment(prefix, segment, segments),
    before: placeOfSegment(prefix, segment + 1, segments),
  };
  return page(context, request, { table, index, range, placeholders, isBackwards: false });
};

type PageRequest = Omit<Parameters["Scan"], "Segment" | "TotalSegments">;

const sourceOf = ({ tableNamed }: Context, request: PageRequest): { table: Table; index: Index | undefined } => {
  const table = tableNamed(request.TableName);
  const index = indexNamed(table, request.IndexName);
  const isPossible = index === undefined || !request.ConsistentRead;
  assertValid(isPossible, "Consistent reads are not supported on global secondary indexes");
  return { table, index };
};

interface Source {
  table: Table;
  index: Index | undefined;
  range: Range;
  placeholders: Placeholders;
  isBackwards: boolean;
}

/** Returns the items of a range that match a filter. `Limit` and the page size count all items examined. */
const page = (context: Context, request: PageRequest, source: Source) => {
  const { table, index, placeholders, isBackwards } = source;
  const { Limit = Number.POSITIVE_INFINITY, FilterExpression, ProjectionExpression, Select } = request;
  const filter = FilterExpression?.expression;
  const names = ProjectionExpression && distinctNames(ProjectionExpression.expression, placeholders.nameOf);
  if (Select && names === undefined) throw new UnsupportedRequest(`Select ${Select} without ProjectionExpression`);
  if (filter) checkCondition("FilterExpression", filter, placeholders);
  checkProjected(index, [...(names ?? []), ...[...(FilterExpression?.attributes ?? [])].map(placeholders.nameOf)]);

  const { from, before } = rangeAfter(source, request.ExclusiveStartKey);
  const items: Item[] = [];
  let [scanned, bytes] = [0, 0];
  let last: Item | undefined;
  let isComplete = true;
  for (const [, row] of from < before ? context.storage.range(from, before, isBackwards) : []) {
    const item = index ? entryOf(context, source, row) : row;
    bytes += itemBytes(item);
    if (bytes > maximumBytes && last) {
      isComplete = false;
      break;
    }
    last = item;
    scanned += 1;
    if (filter === undefined || holds(filter, item, placeholders)) items.push(names ? pick(item, names) : item);
    if (scanned >= Limit) {
      isComplete = false;
      break;
    }
  }
  return {
    Items: items,
    Count: items.length,
    ScannedCount: scanned,
    ...(!isComplete && last && { LastEvaluatedKey: pick(last, keyNamesOf(table, index)) }),
  };
};

/** Returns an index entry: the item's projected attributes. */
const entryOf = ({ storage }: Context, { table, index }: Source, key: Item): Item => {
  const item = storage.get(placeOfItem(table, key));
  if (item === undefined) throw new Error(`an index of ${table.name} has an entry without an item`);
  return index?.projected ? pick(item, index.projected) : item;
};

/** Returns the rest of a range after the last key of the previous page. */
const rangeAfter = ({ table, index, range, isBackwards }: Source, start: Item | undefined): Range => {
  if (start === undefined) return range;
  const names = keyNamesOf(table, index);
  assertValid(Object.keys(start).length === names.length, "The provided starting key is invalid");
  checkKey(table, pick(start, keyNamesOf(table)));
  const place = index ? placeInIndex(table, index, start) : placeOfItem(table, start);
  assertValid(place !== undefined, "The provided starting key is invalid");
  const isInside = place >= range.from && place < range.before;
  assertValid(isInside, "The provided starting key is outside query boundaries based on provided conditions");
  // The lowest place above another is the other place with a zero byte appended.
  return isBackwards ? { ...range, before: place } : { ...range, from: `${place}\0` };
};
