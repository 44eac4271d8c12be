import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { openEngine } from "../../src/database/engine/engine.ts";
import { createMemoryStorage, type Storage } from "../../src/database/engine/storage.ts";
import type { AttributeValue } from "../../src/database/engine/values.ts";
import { indexedTable, newDatabase } from "../support/engine.ts";

const send = newDatabase();
const TableName = "Indexed";
beforeAll(() => send("CreateTable", { TableName, ...indexedTable }));

type Item = Record<string, AttributeValue>;
type Request = [operation: string, request: object];

const ids = ["1", "2", "3", "4", "5"];
const shards = fc.constantFrom("0", "1").map((S) => ({ S }));
const times = fc.constantFrom("2026-01", "2026-02", "2026-03", "2026-030").map((S) => ({ S }));
const history = fc.subarray(["a", "b", "c"], { minLength: 1 }).map((SS) => ({ SS }));
const remark = fc.constantFrom({ S: "x" }, { S: "y" });

/** The next state of an item: some of these attributes, or nothing. */
const attributes = fc.record({ change_shard: shards, changed_at: times, history, remark }, { requiredKeys: [] });
const change = fc.record({
  id: fc.constantFrom(...ids),
  way: fc.constantFrom("put", "batch", "update", "delete"),
  next: attributes,
});

const requestFor = ({ id, way, next }: { id: string; way: string; next: Item }): Request => {
  const Key = { id: { S: id } };
  const item = { ...Key, ...next };
  if (way === "put") return ["PutItem", { TableName, Item: item }];
  if (way === "batch") return ["BatchWriteItem", { RequestItems: { [TableName]: [{ PutRequest: { Item: item } }] } }];
  if (way === "delete") return ["DeleteItem", { TableName, Key }];
  const removed = ["change_shard", "changed_at", "history", "remark"].filter((name) => !(name in next));
  const parts = [
    ...(Object.keys(next).length > 0 ? [`SET ${Object.keys(next).map((name) => `${name} = :${name}`)}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed}`] : []),
    "ADD counted :one",
  ];
  const values = Object.entries(next).map(([name, value]) => [`:${name}`, value]);
  const ExpressionAttributeValues = { ":one": { N: "1" }, ...Object.fromEntries(values) };
  return ["UpdateItem", { TableName, Key, UpdateExpression: parts.join(" "), ExpressionAttributeValues }];
};

/** Returns all pages of a query on the index. */
const query = async (more: object, Limit: number): Promise<Item[]> => {
  const found: Item[] = [];
  let from: Item | undefined;
  do {
    const start = from && { ExclusiveStartKey: from };
    const { status, body } = await send("Query", { TableName, IndexName: "by_change", Limit, ...more, ...start });
    expect(status).toBe(200);
    const { Items = [], LastEvaluatedKey: last }: { Items?: Item[]; LastEvaluatedKey?: Item } = body;
    if (last) expect(Object.keys(last).toSorted()).toEqual(["change_shard", "changed_at", "id"]);
    expect(Items.length).toBeLessThanOrEqual(Limit);
    found.push(...Items);
    expect(found.length).toBeLessThan(1_000);
    from = last;
  } while (from);
  return found;
};

const conditions = {
  all: { text: "", matches: () => true },
  before: { text: " AND changed_at < :last", matches: (time: string) => time < "2026-03" },
  until: { text: " AND changed_at <= :last", matches: (time: string) => time <= "2026-03" },
  between: {
    text: " AND changed_at BETWEEN :first AND :last",
    matches: (time: string) => time >= "2026-02" && time <= "2026-03",
  },
};

const inOrder = (items: Item[]): Item[] =>
  items.toSorted((left, right) => String(left.id?.S).localeCompare(String(right.id?.S)));
const withSortedSet = ({ history, ...item }: Item): Item => ({
  ...item,
  ...(history?.SS && { history: { SS: history.SS.toSorted() } }),
});

test("keeps an index consistent with its table after any changes, including projection, order and paging", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.constantFrom("all", "before", "until", "between"),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (changes, kind, isForward, limit) => {
        const items = new Map<string, Item>();
        for (const id of ids) await send(...requestFor({ id, way: "delete", next: {} }));
        for (const one of changes) {
          expect((await send(...requestFor(one))).status).toBe(200);
          if (one.way === "delete") items.delete(one.id);
          else items.set(one.id, { id: { S: one.id }, ...one.next });
        }
        const { text, matches } = conditions[kind];
        const values = { ":shard": { S: "1" }, ":first": { S: "2026-02" }, ":last": { S: "2026-03" } };
        const found = await query(
          {
            KeyConditionExpression: `change_shard = :shard${text}`,
            ExpressionAttributeValues: Object.fromEntries(
              Object.entries(values).filter(([name]) => name === ":shard" || text.includes(name)),
            ),
            ScanIndexForward: isForward,
          },
          limit,
        );

        const expected = [...items.values()].flatMap(({ id, change_shard, changed_at, history }) => {
          if (!id || !changed_at?.S || change_shard?.S !== "1" || !matches(changed_at.S)) return [];
          return [{ id, change_shard, changed_at, ...(history && { history }) }];
        });
        expect(inOrder(found.map(withSortedSet))).toEqual(inOrder(expected.map(withSortedSet)));
        const order = found.map((item) => String(item.changed_at?.S));
        expect(order).toEqual(isForward ? order.toSorted() : order.toSorted().toReversed());
      },
    ),
    { numRuns: 60 },
  );
});

test("changes an item and its index entry in one atomic write", () => {
  const writes: number[] = [];
  const storage = createMemoryStorage();
  const write: Storage["write"] = (changes) => {
    const all = [...changes];
    writes.push(all.length);
    storage.write(all);
  };
  const engine = openEngine({ storage: { ...storage, write } });
  engine.perform("CreateTable", { TableName, ...indexedTable });
  writes.length = 0;
  for (const way of ["put", "update", "batch", "delete"]) {
    const next = { change_shard: { S: "0" }, changed_at: { S: way } };
    engine.perform(...requestFor({ id: "1", way, next: way === "delete" ? {} : next }));
  }
  // The item, its previous entry and its next one.
  expect(writes).toEqual([2, 3, 3, 2]);
});

const inShard = (more: object): Request => {
  const ExpressionAttributeValues = { ":shard": { S: "0" } };
  const KeyConditionExpression = "change_shard = :shard";
  return ["Query", { TableName, IndexName: "by_change", KeyConditionExpression, ExpressionAttributeValues, ...more }];
};
const Item = { id: { S: "1" }, change_shard: { S: "" } };
const notProjected = "by_change does not project [remark]";

test.for<[string, Request, string]>([
  ["a query for an attribute that it does not project", inShard({ ProjectionExpression: "remark" }), notProjected],
  ["a filter on such an attribute", inShard({ FilterExpression: "remark = :shard" }), notProjected],
  ["a consistent read", inShard({ ConsistentRead: true }), "Consistent reads are not supported"],
  ["an index that does not exist", inShard({ IndexName: "by_name" }), "does not have the specified index: by_name"],
  ["a put with an empty key", ["PutItem", { TableName, Item }], "IndexKey: change_shard"],
  ["a batch with an empty key", requestFor({ id: "1", way: "batch", next: Item }), "IndexKey: change_shard"],
  ["an update to an empty key", requestFor({ id: "1", way: "update", next: { change_shard: { S: "" } } }), "IndexKey"],
])("rejects %s of an index, as DynamoDB does", async ([, request, message]) => {
  const __type = expect.stringMatching(/#ValidationException$/);
  expect(await send(...request)).toMatchObject({
    status: 400,
    body: { __type, message: expect.stringContaining(message) },
  });
});

const severalKeys = { a: "HASH", b: "HASH", c: "RANGE", d: "RANGE" } as const;
const types = { id: "S", a: "S", b: "N", c: "N", d: "S" } as const;

/** Creates a table with an index whose partition key and sort key have two attributes each. */
const newSeveral = (storage: Storage = createMemoryStorage()) => {
  const engine = openEngine({ storage });
  const index = {
    IndexName: "several",
    KeySchema: Object.entries(severalKeys).map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
    Projection: { ProjectionType: "KEYS_ONLY" },
  };
  engine.perform("CreateTable", {
    ...{ TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] },
    AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    GlobalSecondaryIndexes: [index],
  });
  const put = (Item: Item) => engine.perform("PutItem", { TableName, Item });
  const query = (KeyConditionExpression: string, values: Item, more: object = {}) => {
    const ExpressionAttributeValues = Object.fromEntries(
      Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(KeyConditionExpression)),
    );
    const request = { TableName, IndexName: "several", KeyConditionExpression, ExpressionAttributeValues, ...more };
    const { status, body } = engine.perform("Query", request);
    const {
      Items = [],
      LastEvaluatedKey,
      message,
    }: { Items?: Item[]; LastEvaluatedKey?: Item; message?: string } = body;
    return { status, items: Items, last: LastEvaluatedKey, message };
  };
  return { put, query };
};

const words = fc.constantFrom("x", "xy", "y", "é").map((S) => ({ S }));
const numbers = fc.constantFrom("-10", "-9", "0", "2", "10").map((N) => ({ N }));
const keyed = fc.record(
  { a: fc.constantFrom({ S: "1" }, { S: "2" }), b: fc.constantFrom({ N: "1" }, { N: "2" }), c: numbers, d: words },
  { requiredKeys: ["a", "b", "c"] },
);
const compared = (one: AttributeValue | undefined, other: AttributeValue | undefined): number =>
  one?.N === undefined
    ? Buffer.compare(Buffer.from(one?.S ?? ""), Buffer.from(other?.S ?? ""))
    : Number(one.N) - Number(other?.N);
/** The conditions on one attribute, as text and as a test of the order. */
const operators: [
  condition: (name: string) => string,
  accepts: (order: number, item: Item, name: string) => boolean,
][] = [
  [(name) => `${name} = :${name}`, (order) => order === 0],
  [(name) => `${name} < :${name}`, (order) => order < 0],
  [(name) => `${name} <= :${name}`, (order) => order <= 0],
  [(name) => `${name} > :${name}`, (order) => order > 0],
  [(name) => `:${name} <= ${name}`, (order) => order >= 0],
  [(name) => `${name} BETWEEN :${name} AND :${name}`, (order) => order === 0],
];

test("queries an index with several attributes in each key in the order of their values, page by page", () => {
  fc.assert(
    fc.property(
      fc.array(keyed, { maxLength: 30 }),
      keyed,
      fc.record({
        used: fc.nat(2),
        operator: fc.constantFrom(...operators),
        isForward: fc.boolean(),
        Limit: fc.integer({ min: 1, max: 4 }),
      }),
      (all, given, { used, operator: [condition, accepts], isForward, Limit }) => {
        const { put, query } = newSeveral();
        const items: Item[] = all.map((item, place) => ({
          id: { S: String(place) },
          ...item,
          other: { S: "not projected" },
        }));
        for (const item of items) put(item);
        const values: Item = { d: { S: "x" }, ...given };
        const equal = ["a", "b", ...["c", "d"].slice(0, Math.max(used - 1, 0))];
        const last = ["c", "d"][used - 1];
        const text = [...equal.map((name) => `${name} = :${name}`), ...(last ? [condition(last)] : [])].join(" AND ");
        const found: Item[] = [];
        let start: Item | undefined;
        do {
          const from = start && { ExclusiveStartKey: start };
          const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
          const page = query(text, named, { Limit, ScanIndexForward: isForward, ...from });
          expect(page.status, page.message).toBe(200);
          found.push(...page.items);
          start = page.last;
        } while (start);

        const expected = items
          .filter((item) => item.d && equal.every((name) => compared(item[name], values[name]) === 0))
          .filter((item) => !last || accepts(compared(item[last], values[last]), item, last))
          .map(({ other: _, ...projected }) => projected);
        const order = (one: Item, other: Item) => compared(one.c, other.c) || compared(one.d, other.d);
        expect(inOrder(found)).toEqual(inOrder(expected));
        expect(found.map(({ c, d }) => [c, d])).toEqual(
          expected
            .toSorted((one, other) => (isForward ? order(one, other) : order(other, one)))
            .map(({ c, d }) => [c, d]),
        );
      },
    ),
    { numRuns: 150 },
  );
});

const one = { ":a": { S: "1" }, ":b": { N: "1" }, ":c": { N: "1" }, ":d": { S: "x" } };
const startKey = { id: { S: "1" }, a: { S: "1" }, b: { N: "1" }, c: { N: "1" }, d: { S: "x" } };

test.for<[condition: string, message: string, more?: object]>([
  ["a = :a", "HASH key attributes b must have equality conditions specified in the query"],
  ["a = :a AND b > :b", "HASH key attributes b must have equality conditions specified in the query"],
  // Observed by the tests of dynamodb-conformance.
  [
    "a = :a AND b = :b AND d = :d",
    "RANGE key attributes c must have equality conditions specified in the query because a condition is present on key attribute d",
  ],
  ["a = :a AND b = :b AND c > :c AND d = :d", "RANGE key attributes c must have equality conditions"],
  ["a = :a AND b = :b AND begins_with(c, :c)", "Invalid operator used in KeyConditionExpression: begins_with"],
  ["a = :a AND b = :b AND c = :c", "non-primary key attributes, not d", { FilterExpression: "d = :c" }],
  [
    "a = :a AND b = :b",
    "The provided starting key is invalid",
    { ExclusiveStartKey: { ...startKey, other: one[":a"] } },
  ],
  ["a = :a AND b = :b", "The provided starting key is invalid", { ExclusiveStartKey: { ...startKey, c: { S: "1" } } }],
  [
    "a = :a AND b = :b AND c < :c",
    "The provided starting key is outside query boundaries based on provided conditions",
    { ExclusiveStartKey: startKey },
  ],
])("rejects the key condition %s with: %s", ([condition, message, more]) => {
  const result = newSeveral().query(condition, one, more);
  expect(result).toMatchObject({ status: 400, message: expect.stringContaining(message) });
});

test("reads as many rows as a page has, however many the index has", () => {
  const storage = createMemoryStorage();
  const read = { rows: 0, items: 0 };
  const { put, query } = newSeveral({
    ...storage,
    get: (place) => {
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
    put({ id: { S: String(place) }, a: { S: "1" }, b: { N: "1" }, c: { N: String(place) }, d: { S: "x" } });
  }
  Object.assign(read, { rows: 0, items: 0 });
  const page = query("a = :a AND b = :b AND c > :c", one, { Limit: 100, ScanIndexForward: false });
  expect(page.items.map(({ c }) => Number(c?.N))).toEqual(Array.from({ length: 100 }, (_, place) => 999 - place));
  expect(read).toEqual({ rows: 100, items: 100 });
});
