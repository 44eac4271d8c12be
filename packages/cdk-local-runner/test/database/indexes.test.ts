import fc from "fast-check";
import { expect, test } from "vitest";
import { openEngine } from "../../src/database/engine/engine.ts";
import { createMemoryStorage, type Storage } from "../../src/database/engine/storage.ts";
import { type AttributeValue, compare } from "../../src/database/engine/values.ts";

type Item = Record<string, AttributeValue>;
type Request = [operation: string, request: object];

const TableName = "Indexed";
const IndexName = "several";
const keys = { a: "HASH", b: "HASH", c: "RANGE", d: "RANGE" } as const;
const types = { id: "S", a: "S", b: "N", c: "N", d: "S" } as const;

/** Creates a table with an index whose partition key and sort key have two attributes each. */
const newTable = (storage: Storage = createMemoryStorage()) => {
  const engine = openEngine({ storage });
  engine.perform("CreateTable", {
    ...{ TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] },
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName,
        KeySchema: Object.entries(keys).map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["history"] },
      },
    ],
  });
  return engine;
};

const ids = ["1", "2", "3", "4", "5"];
const words = fc.constantFrom("x", "xy", "y", "é").map((S) => ({ S }));
const numbers = fc.constantFrom("-10", "-9", "0", "2", "10").map((N) => ({ N }));
const indexed = {
  a: fc.constantFrom("1", "2").map((S) => ({ S })),
  b: fc.constantFrom("1", "2").map((N) => ({ N })),
  ...{ c: numbers, d: words },
};
const others = {
  history: fc.subarray(["a", "b", "c"], { minLength: 1 }).map((SS) => ({ SS })),
  remark: fc.constantFrom("x", "y").map((S) => ({ S })),
};
/** What happens to an item, and its next state. */
const change = fc.record({
  id: fc.constantFrom(...ids),
  way: fc.constantFrom("put", "batch", "transaction", "update", "delete"),
  next: fc.oneof(
    fc.record({ ...indexed, ...others }, { requiredKeys: ["a", "b", "c", "d"] }),
    fc.record({ ...indexed, ...others }, { requiredKeys: [] }),
  ),
});

const requestFor = ({ id, way, next }: { id: string; way: string; next: Item }): Request => {
  const Key = { id: { S: id } };
  const item = { ...Key, ...next };
  if (way === "put") return ["PutItem", { TableName, Item: item }];
  if (way === "batch") return ["BatchWriteItem", { RequestItems: { [TableName]: [{ PutRequest: { Item: item } }] } }];
  if (way === "transaction") return ["TransactWriteItems", { TransactItems: [{ Put: { TableName, Item: item } }] }];
  if (way === "delete") return ["DeleteItem", { TableName, Key }];
  const removed = ["a", "b", "c", "d", "history", "remark"].filter((name) => !(name in next));
  const parts = [
    ...(Object.keys(next).length > 0 ? [`SET ${Object.keys(next).map((name) => `${name} = :${name}`)}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed}`] : []),
    "ADD counted :one",
  ];
  const values = Object.entries(next).map(([name, value]) => [`:${name}`, value]);
  const ExpressionAttributeValues = { ":one": { N: "1" }, ...Object.fromEntries(values) };
  return ["UpdateItem", { TableName, Key, UpdateExpression: parts.join(" "), ExpressionAttributeValues }];
};

const queryFor = (KeyConditionExpression: string, values: Item, more: object = {}): Request => {
  const used = Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(KeyConditionExpression));
  const ExpressionAttributeValues = Object.fromEntries(used.map(([name, value]) => [`:${name}`, value]));
  return ["Query", { TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues, ...more }];
};

/** Returns all pages of a query on the index. */
const query = (engine: ReturnType<typeof newTable>, condition: string, values: Item, more: object): Item[] => {
  const found: Item[] = [];
  let from: Item | undefined;
  do {
    const { status, body } = engine.perform(
      ...queryFor(condition, values, { ...more, ...(from && { ExclusiveStartKey: from }) }),
    );
    expect({ status, body }).toMatchObject({ status: 200 });
    const { Items = [], LastEvaluatedKey: last }: { Items?: Item[]; LastEvaluatedKey?: Item } = body;
    if (last) expect(Object.keys(last).toSorted()).toEqual(["a", "b", "c", "d", "id"]);
    found.push(...Items);
    expect(found.length).toBeLessThan(1_000);
    from = last;
  } while (from);
  return found;
};

const orderOf = (name: string, one: Item, other: Item): number => {
  const [left, right] = [one[name], other[name]];
  return (left && right && compare(left, right)) ?? Number.NaN;
};

/** The conditions on one attribute, and the orders of the attribute and the value that meet them. */
const operators: [condition: (name: string) => string, accepts: (order: number) => boolean][] = [
  [(name) => `${name} = :${name}`, (order) => order === 0],
  [(name) => `${name} < :${name}`, (order) => order < 0],
  [(name) => `${name} <= :${name}`, (order) => order <= 0],
  [(name) => `${name} > :${name}`, (order) => order > 0],
  [(name) => `:${name} <= ${name}`, (order) => order >= 0],
  [(name) => `${name} BETWEEN :${name} AND :${name}`, (order) => order === 0],
];

const byId = (items: Item[]): Item[] => items.toSorted((one, other) => orderOf("id", one, other));
const withSortedSet = ({ history, ...item }: Item): Item => ({
  ...item,
  ...(history?.SS && { history: { SS: history.SS.toSorted() } }),
});

test("keeps an index consistent with its table after any changes, including projection, order and paging", () => {
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 20 }),
      fc.record(indexed),
      fc.record({ used: fc.nat(2), operator: fc.constantFrom(...operators) }),
      fc.record({ ScanIndexForward: fc.boolean(), Limit: fc.integer({ min: 1, max: 4 }) }),
      (changes, values, { used, operator: [condition, accepts] }, page) => {
        const engine = newTable();
        const items = new Map<string, Item>();
        for (const one of changes) {
          expect(engine.perform(...requestFor(one)).status).toBe(200);
          if (one.way === "delete") items.delete(one.id);
          else items.set(one.id, { id: { S: one.id }, ...one.next });
        }
        const equal = ["a", "b", ...(used === 2 ? ["c"] : [])];
        const last = ["c", "d"][used - 1];
        const conditions = [...equal.map((name) => `${name} = :${name}`), ...(last ? [condition(last)] : [])];
        const found = query(engine, conditions.join(" AND "), values, page);

        const expected = [...items.values()]
          .filter((item) => Object.keys(keys).every((name) => item[name]))
          .filter((item) => equal.every((name) => orderOf(name, item, values) === 0))
          .filter((item) => !last || accepts(orderOf(last, item, values)))
          .map(({ remark: _, ...projected }) => projected);
        expect(byId(found.map(withSortedSet))).toEqual(byId(expected.map(withSortedSet)));
        const inOrder = found.toSorted((one, other) => orderOf("c", one, other) || orderOf("d", one, other));
        const keysOf = (all: Item[]) => all.map(({ c, d }) => [c, d]);
        expect(keysOf(found)).toEqual(keysOf(page.ScanIndexForward ? inOrder : inOrder.toReversed()));
      },
    ),
    { numRuns: 300 },
  );
});

const key: Item = { a: { S: "1" }, b: { N: "1" }, c: { N: "1" }, d: { S: "x" } };

test("changes an item and its index entry in one atomic write", () => {
  const writes: number[] = [];
  const storage = createMemoryStorage();
  const write: Storage["write"] = (changes) => {
    const all = [...changes];
    writes.push(all.length);
    storage.write(all);
  };
  const engine = newTable({ ...storage, write });
  writes.length = 0;
  for (const [way, S] of Object.entries({ put: "1", update: "2", batch: "3", transaction: "4", delete: "5" })) {
    engine.perform(...requestFor({ id: "1", way, next: { ...key, d: { S } } }));
  }
  // Each change writes the item, its previous index entry and its next one.
  expect(writes).toEqual([2, 3, 3, 3, 2]);
});

test("reads as many rows as a page has, however many the index has", () => {
  const storage = createMemoryStorage();
  const read = { rows: 0, items: 0 };
  const engine = newTable({
    ...storage,
    get(place) {
      read.items += 1;
      return storage.get(place);
    },
    *range(...range) {
      for (const row of storage.range(...range)) {
        read.rows += 1;
        yield row;
      }
    },
  });
  for (let place = 0; place < 1_000; place += 1) {
    engine.perform(...requestFor({ id: `${place}`, way: "put", next: { ...key, c: { N: `${place}` } } }));
  }
  Object.assign(read, { rows: 0, items: 0 });
  const condition = "a = :a AND b = :b AND c > :c";
  const { body } = engine.perform(...queryFor(condition, key, { Limit: 100, ScanIndexForward: false }));
  const { Items = [] }: { Items?: Item[] } = body;
  expect(Items.map(({ c }) => Number(c?.N))).toEqual(Array.from({ length: 100 }, (_, place) => 999 - place));
  expect(read).toEqual({ rows: 100, items: 100 });
});

const start = { ...key, id: { S: "1" } };
const inPartition = "a = :a AND b = :b";
const onAll = (more: object) => queryFor(inPartition, key, more);
const emptyKey = { d: { S: "" } };
const notProjected = "several does not project [remark]";

test.for<[string, Request, string]>([
  ["a query for an attribute that it does not project", onAll({ ProjectionExpression: "remark" }), notProjected],
  ["a filter on such an attribute", onAll({ FilterExpression: "remark = :a" }), notProjected],
  ["a filter on a key", onAll({ FilterExpression: "d = :a" }), "non-primary key attributes, not d"],
  ["a consistent read", onAll({ ConsistentRead: true }), "Consistent reads are not supported"],
  ["an index that does not exist", onAll({ IndexName: "by_name" }), "does not have the specified index: by_name"],
  ["a put with an empty key", ["PutItem", { TableName, Item: { ...start, ...emptyKey } }], "IndexKey: d"],
  ["a batch with an empty key", requestFor({ id: "1", way: "batch", next: emptyKey }), "IndexKey: d"],
  ["an update to an empty key", requestFor({ id: "1", way: "update", next: emptyKey }), "IndexKey: d"],
  ["a key that is NULL", requestFor({ id: "1", way: "put", next: { c: { NULL: true } } }), "Expected: N Actual: NULL"],
  ["a condition on a part of the partition key", queryFor("a = :a", key), "missed key schema element: b"],
  ["a range of the partition key", queryFor("a = :a AND b > :b", key), "b must have an equality"],
  ["a gap in the sort key", queryFor(`${inPartition} AND d = :d`, key), "c must have an equality condition"],
  ["a range before an equality", queryFor(`${inPartition} AND c > :c AND d = :d`, key), "c must have an equality"],
  [
    "bounds in the wrong order",
    queryFor(`${inPartition} AND c BETWEEN :c AND :least`, { ...key, least: { N: "0" } }),
    "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
  ],
  ["a prefix of a number", queryFor(`${inPartition} AND begins_with(c, :c)`, key), "begins_with, operand type: N"],
  ["a starting key with too much", onAll({ ExclusiveStartKey: { ...start, remark: key.a } }), "key is invalid"],
  ["a starting key of another type", onAll({ ExclusiveStartKey: { ...start, c: key.a } }), "key is invalid"],
  [
    "a starting key elsewhere",
    queryFor(`${inPartition} AND c < :c`, key, { ExclusiveStartKey: start }),
    "The provided starting key is outside query boundaries based on provided conditions",
  ],
])("rejects %s of an index, as DynamoDB does", ([, request, message]) => {
  const __type = expect.stringMatching(/#ValidationException$/);
  expect(newTable().perform(...request)).toMatchObject({
    status: 400,
    body: { __type, message: expect.stringContaining(message) },
  });
});
