import { describe, expect, test } from "vitest";
import { attributeOf, itemOf, newDatabase, type Plains, valuesOf } from "../support/engine.ts";

/* DynamoDB's behaviour according to its documentation and to the tests of ScyllaDB's Alternator, which pass on AWS. */

const stringKey = (name: string) => ({ AttributeName: name, AttributeType: "S" });
const keys = (...names: string[]) =>
  names.map((AttributeName, place) => ({ AttributeName, KeyType: place === 0 ? "HASH" : "RANGE" }));

const binary = (...bytes: number[]) => Buffer.from(bytes);
const stored: Plains = {
  id: "1",
  word: "abc",
  accents: "é😀",
  amount: 10,
  tags: new Set(["a", "b"]),
  numbers: new Set([1, 2]),
  entries: ["a", 1],
  parts: { a: "b" },
  deep: { a: [{ b: 1 }] },
  octets: binary(1, 2, 3),
  yes: true,
  nothing: null,
};

/** Creates a database with the table `Items`, which contains the stored item. */
const newItems = async () => {
  const send = newDatabase();
  const TableName = "Items";
  const BillingMode = "PAY_PER_REQUEST";
  await send("CreateTable", { TableName, BillingMode, AttributeDefinitions: [stringKey("id")], KeySchema: keys("id") });
  await send("PutItem", { TableName, Item: itemOf(stored) });
  return (operation: string, request: object) => send(operation, { TableName, ...request });
};

const Key = itemOf({ id: "1" });

describe("a condition", () => {
  test.for<[isMet: boolean, condition: string, values?: Plains]>([
    [true, "word = :v", { v: "abc" }],
    [false, "word = :v", { v: 10 }],
    [true, "amount = :v", { v: 10 }],
    [true, ":v < amount", { v: 9 }],
    [true, "amount > :v", { v: 9.5 }],
    [false, "amount < :v", { v: 10 }],
    [true, "amount <= :v", { v: 10 }],
    [false, "amount < :v", { v: "9" }],
    [true, "word < :v", { v: "abd" }],
    // Sorts by UTF-8 bytes rather than UTF-16 units.
    [true, "accents > :v", { v: "é\uffff" }],
    [true, "octets >= :v", { v: binary(1, 2) }],
    [true, "tags = :v", { v: new Set(["b", "a"]) }],
    [false, "tags = :v", { v: new Set(["a"]) }],
    [true, "entries = :v", { v: ["a", 1] }],
    [false, "entries = :v", { v: [1, "a"] }],
    [true, "parts = :v", { v: { a: "b" } }],
    [true, "yes = :v", { v: true }],
    [true, "nothing = :v", { v: null }],
    [false, "absent = :v", { v: "" }],
    [true, "absent <> :v", { v: "" }],
    [true, "word <> :v", { v: 10 }],
    [false, "word <> :v", { v: "abc" }],
    [false, "absent < :v", { v: 1 }],
    [true, "amount BETWEEN :a AND :b", { a: 10, b: 11 }],
    [false, "amount BETWEEN :a AND :b", { a: 1, b: 9 }],
    [true, "word IN (:a, :b)", { a: 10, b: "abc" }],
    [false, "absent IN (:a)", { a: "" }],
    [true, "attribute_exists(nothing)"],
    [false, "attribute_exists(absent)"],
    [true, "attribute_not_exists(absent)"],
    [true, "begins_with(word, :v)", { v: "ab" }],
    [true, "begins_with(octets, :v)", { v: binary(1) }],
    [false, "begins_with(amount, :v)", { v: "1" }],
    [true, "contains(word, :v)", { v: "bc" }],
    [true, "contains(tags, :v)", { v: "a" }],
    [false, "contains(numbers, :v)", { v: "1" }],
    [true, "contains(numbers, :v)", { v: 1 }],
    [true, "contains(entries, :v)", { v: 1 }],
    [true, "contains(octets, :v)", { v: binary(2, 3) }],
    [true, "size(word) = :v", { v: 3 }],
    // UTF-8 bytes.
    [true, "size(accents) = :v", { v: 6 }],
    [true, "size(tags) < :v", { v: 3 }],
    [true, "size(parts) = :v", { v: 1 }],
    [true, "size(entries) >= :v", { v: 2 }],
    [false, "size(absent) < :v", { v: 9 }],
    [true, "parts.a = :v", { v: "b" }],
    [true, "entries[1] < :v", { v: 2 }],
    [true, "deep.a[0].b = :v", { v: 1 }],
    [false, "attribute_exists(entries[2]) OR attribute_exists(word.a) OR attribute_exists(toString)"],
    [true, "size(parts.a) = :v", { v: 1 }],
    [true, "attribute_type(tags, :v)", { v: "SS" }],
    [false, "attribute_type(absent, :v)", { v: "NULL" }],
    [true, "NOT word = :v", { v: "a" }],
    [true, "word = :a OR word = :b AND amount = :b", { a: "abc", b: 1 }],
    [false, "(word = :a OR word = :b) AND amount = :b", { a: "abc", b: 1 }],
    [true, "attribute_exists(word) and not (amount = :v or amount < :v)", { v: 1 }],
  ])("is %s: %s %j", async ([isMet, ConditionExpression, values = {}]) => {
    const send = await newItems();
    const request = { Key, ConditionExpression, ...valuesOf(values), ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
    const { status, body } = await send("DeleteItem", request);
    const left = await send("GetItem", { Key });

    if (isMet) expect({ status, left: left.body }).toEqual({ status: 200, left: {} });
    else {
      const name = expect.stringMatching(/#ConditionalCheckFailedException$/);
      expect(body).toMatchObject({ __type: name, Item: itemOf(stored) });
      expect(left.body).toEqual({ Item: itemOf(stored) });
    }
    const filtered = await (await newItems())("Scan", { FilterExpression: ConditionExpression, ...valuesOf(values) });
    expect(filtered.body).toMatchObject({ Count: isMet ? 1 : 0, ScannedCount: 1 });
  });
});

test.for<[operation: string, request: object]>([
  ["UpdateItem", { Key, UpdateExpression: "REMOVE word" }],
  ["PutItem", { Item: Key }],
  ["DeleteItem", { Key }],
])("%s with a failed condition changes nothing, and returns the item only if requested", async ([operation, more]) => {
  const send = await newItems();
  const failing = { ...more, ConditionExpression: "attribute_not_exists(id)" };
  const { status, body } = await send(operation, failing);
  const asked = await send(operation, { ...failing, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
  expect({ status, body }).not.toHaveProperty("body.Item");
  expect(asked).toEqual({ status: 400, body: { ...body, Item: itemOf(stored) } });
  expect((await send("GetItem", { Key })).body).toEqual({ Item: itemOf(stored) });
});

const { word: _text, ...withoutText } = stored;

describe("an update", () => {
  test.for<[update: string, values: Plains, after: Plains]>([
    ["SET word = :v", { v: 1 }, { ...stored, word: 1 }],
    ["SET twin = word, word = :v", { v: "new" }, { ...stored, twin: "abc", word: "new" }],
    ["SET word = amount, amount = word", {}, { ...stored, word: 10, amount: "abc" }],
    ["SET word = if_not_exists(word, :v)", { v: "new" }, stored],
    ["SET fresh = if_not_exists(absent, :v)", { v: "new" }, { ...stored, fresh: "new" }],
    ["SET fresh = if_not_exists(absent, parts.a)", {}, { ...stored, fresh: "b" }],
    ["SET entries = list_append(entries, :v)", { v: [2] }, { ...stored, entries: ["a", 1, 2] }],
    ["SET fresh = list_append(:v, if_not_exists(absent, :v))", { v: [2] }, { ...stored, fresh: [2, 2] }],
    ["SET amount = amount - :v, fresh = amount + :v", { v: -3 }, { ...stored, amount: 13, fresh: 7 }],
    ["SET parts.c = :v REMOVE parts.a, parts.absent", { v: 1 }, { ...stored, parts: { c: 1 } }],
    // Members are added in the order of their indexes, and removed afterwards.
    [
      "SET entries[9] = word, entries[7] = :v REMOVE entries[0], entries[1], entries[30]",
      { v: 2 },
      { ...stored, entries: [2, "abc"] },
    ],
    ["REMOVE word, absent", {}, withoutText],
    ["ADD amount :v", { v: -10.5 }, { ...stored, amount: -0.5 }],
    ["ADD uses :v", { v: 1 }, { ...stored, uses: 1 }],
    ["ADD tags :v", { v: new Set(["b", "c"]) }, { ...stored, tags: new Set(["a", "b", "c"]) }],
    ["ADD fresh :v", { v: new Set([1]) }, { ...stored, fresh: new Set([1]) }],
    ["DELETE tags :v", { v: new Set(["b", "c"]) }, { ...stored, tags: new Set(["a"]) }],
    ["DELETE absent :v", { v: new Set(["b"]) }, stored],
    [
      "set twin = tags ADD tags :v",
      { v: new Set(["c"]) },
      { ...stored, twin: new Set(["a", "b"]), tags: new Set(["a", "b", "c"]) },
    ],
  ])("%s %j", async ([UpdateExpression, values, after]) => {
    const send = await newItems();
    const { body } = await send("UpdateItem", { Key, UpdateExpression, ...valuesOf(values), ReturnValues: "ALL_NEW" });

    expect(body).toEqual({ Attributes: itemOf(after) });
    expect((await send("GetItem", { Key, ConsistentRead: true })).body).toEqual({ Item: itemOf(after) });
  });

  test("rejects a nested value that would be nested too deeply at its place", async () => {
    const send = await newItems();
    let v: Plains[string] = "a";
    for (let depth = 0; depth < 31; depth += 1) v = [v];
    const set = (path: string) => send("UpdateItem", { Key, UpdateExpression: `SET ${path} = :v`, ...valuesOf({ v }) });
    expect((await set("parts")).status).toBe(200);
    expect((await set("entries[0]")).body).toMatchObject({ message: expect.stringContaining("Nesting Levels") });
  });

  test("that removes the last member of a set removes the set", async () => {
    const send = await newItems();
    const values = valuesOf({ v: new Set(["b", "a"]) });
    await send("UpdateItem", { Key, UpdateExpression: "DELETE tags :v", ...values });
    expect((await send("GetItem", { Key, ProjectionExpression: "id, tags" })).body).toEqual({ Item: Key });
  });

  test.for<[returns: string, attributes: Plains | undefined, ofNewItem: Plains | undefined]>([
    ["NONE", undefined, undefined],
    ["ALL_OLD", stored, undefined],
    ["UPDATED_OLD", { amount: 10 }, undefined],
    ["ALL_NEW", { ...stored, amount: 11, fresh: "a" }, { id: "new", amount: 1, fresh: "a" }],
    ["UPDATED_NEW", { amount: 11, fresh: "a" }, { amount: 1, fresh: "a" }],
  ])("returns %s", async ([ReturnValues, ...expected]) => {
    const send = await newItems();
    const UpdateExpression = "ADD amount :one SET fresh = :a REMOVE absent";
    for (const [place, id] of ["1", "new"].entries()) {
      const values = valuesOf({ one: 1, a: "a" });
      const { body } = await send("UpdateItem", { Key: itemOf({ id }), UpdateExpression, ...values, ReturnValues });
      const attributes = expected[place];
      expect(body).toEqual(attributes ? { Attributes: itemOf(attributes) } : {});
    }
  });

  test("that only removes attributes returns no new ones", async () => {
    const send = await newItems();
    const request = { Key, UpdateExpression: "REMOVE word", ReturnValues: "UPDATED_NEW" };
    expect(await send("UpdateItem", request)).toEqual({ status: 200, body: {} });
  });

  test.for([
    ["REMOVE word", false],
    ["DELETE tags :v", false],
    ["ADD tags :v", true],
    ["SET tags = :v", true],
    [undefined, true],
  ] as const)("of a missing item: %s creates the item: %s", async ([UpdateExpression, isCreated]) => {
    const send = await newItems();
    const values = UpdateExpression?.includes(":v") ? valuesOf({ v: new Set(["a"]) }) : {};
    const New = itemOf({ id: "new" });
    const expression = UpdateExpression === undefined ? {} : { UpdateExpression };
    expect((await send("UpdateItem", { Key: New, ...expression, ...values, ReturnValues: "ALL_NEW" })).status).toBe(
      200,
    );
    expect("Item" in (await send("GetItem", { Key: New })).body).toBe(isCreated);
  });
});

test.for([
  ["+3", "3"],
  ["-0", "0"],
  ["1e3", "1000"],
  ["1.50", "1.5"],
  ["-.5", "-0.5"],
  ["+1E-2", "0.01"],
  [`1${"0".repeat(37)}1e-10`, undefined],
  [`${"9".repeat(38)}e87`, `${"9".repeat(38)}${"0".repeat(87)}`],
  ["1e126", undefined],
  ["1e-130", `0.${"0".repeat(129)}1`],
  ["1e-131", undefined],
  ["1a", undefined],
  ["", undefined],
] as const)("stores the number %s as %s", async ([N, expected]) => {
  const send = await newItems();
  const Item = { ...Key, number: { N }, numbers: { NS: [N] } };
  expect((await send("PutItem", { Item })).status).toBe(expected === undefined ? 400 : 200);
  const { body } = await send("GetItem", { Key });
  if (expected !== undefined)
    expect(body).toEqual({ Item: { ...Key, number: { N: expected }, numbers: { NS: [expected] } } });
});

test("adds numbers of up to 38 digits exactly", async () => {
  const send = await newItems();
  const add = (N: string) =>
    send("UpdateItem", {
      Key: itemOf({ id: "sum" }),
      UpdateExpression: "ADD gained :n",
      ExpressionAttributeValues: { ":n": { N } },
      ReturnValues: "UPDATED_NEW",
    });
  await add(`1${"0".repeat(37)}`);
  expect((await add("1")).body).toEqual({ Attributes: { gained: { N: `1${"0".repeat(36)}1` } } });
  expect(await add("0.1")).toMatchObject({
    status: 400,
    body: { __type: expect.stringMatching(/#ValidationException$/) },
  });
});

describe("a query", () => {
  const sorts = {
    S: ["", "a", "aa", "b", "é", "\uffff", "😀"],
    N: [-1000, -20, -1.5, -1, 0, 0.01, 1, 1.5, 9, 10, 1e20],
    B: [[0], [0, 0], [0, 1], [1], [255], [255, 255]],
  };

  /** Creates a table with a sort key of this type. Its items are in random order, and the sort key values are returned in order. */
  const newSorted = async (type: keyof typeof sorts) => {
    const send = newDatabase();
    const TableName = "Sorted";
    const AttributeDefinitions = [stringKey("id"), { AttributeName: "sort", AttributeType: type }];
    await send("CreateTable", {
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions,
      KeySchema: keys("id", "sort"),
    });
    const values = sorts[type]
      .slice(type === "S" ? 1 : 0)
      .map((one) => attributeOf(Array.isArray(one) ? Buffer.from(one) : one));
    const shuffled = values.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? 1 : -1));
    for (const id of ["other", "1"]) {
      for (const sort of shuffled) await send("PutItem", { TableName, Item: { id: { S: id }, sort } });
    }
    const found = async (condition: string, given: object = {}, more: object = {}) => {
      const { body } = await send("Query", {
        TableName,
        KeyConditionExpression: `id = :id${condition}`,
        ExpressionAttributeValues: { ":id": { S: "1" }, ...given },
        ...more,
      });
      const { Items = [] }: { Items?: { sort: object }[] } = body;
      return Items.map(({ sort }) => sort);
    };
    return { values, found };
  };

  test.for(["S", "N", "B"] as const)(
    "returns the items that its condition selects, ordered by a key of type %s",
    async (type) => {
      const { values, found } = await newSorted(type);
      expect(await found("")).toEqual(values);
      expect(await found("", {}, { ScanIndexForward: false })).toEqual(values.toReversed());
      for (const [place, value] of values.entries()) {
        const given = { ":v": value };
        expect(await found(" AND sort = :v", given)).toEqual([value]);
        expect(await found(" AND sort < :v", given)).toEqual(values.slice(0, place));
        expect(await found(" AND sort <= :v", given)).toEqual(values.slice(0, place + 1));
        expect(await found(" AND sort > :v", given)).toEqual(values.slice(place + 1));
        expect(await found(" AND :v <= sort", given)).toEqual(values.slice(place));
        const between = { ...given, ":w": values[place + 2] ?? value };
        expect(await found(" AND sort BETWEEN :v AND :w", between)).toEqual(
          values.slice(place, place + (values[place + 2] ? 3 : 1)),
        );
      }
      if (type === "S")
        expect(await found(" AND begins_with(sort, :v)", { ":v": { S: "a" } })).toEqual(values.slice(0, 2));
      if (type === "B") {
        expect(await found(" AND begins_with(sort, :v)", { ":v": attributeOf(binary(255)) })).toEqual(values.slice(4));
      }
    },
  );
});

test.for([1, 2, 7, 256])("returns each item in exactly one of %d scan segments", async (TotalSegments) => {
  const send = await newItems();
  const ids = Array.from({ length: 60 }, (_, index) => `item ${index}`);
  for (const id of ids) await send("PutItem", { Item: itemOf({ id }) });
  const found: unknown[] = [];
  for (let Segment = 0; Segment < TotalSegments; Segment += 1) {
    const { body } = await send("Scan", { Segment, TotalSegments, ProjectionExpression: "id" });
    const { Items = [] }: { Items?: object[] } = body;
    found.push(...Items.map((item) => JSON.stringify(item)));
  }
  expect(found.toSorted()).toEqual(["1", ...ids].map((id) => JSON.stringify(itemOf({ id }))).toSorted());
});

test("ends a page before it exceeds 1 MB, even if the filter matches nothing", async () => {
  const send = await newItems();
  const large = "é".repeat(150_000);
  for (const id of ["2", "3", "4", "5"]) await send("PutItem", { Item: itemOf({ id, large }) });
  const filter = { FilterExpression: "id = :id", ...valuesOf({ id: "none" }) };
  const first = await send("Scan", filter);
  expect(first.body).toMatchObject({ Items: [], Count: 0, LastEvaluatedKey: { id: { S: expect.any(String) } } });
  const { LastEvaluatedKey, ScannedCount }: { LastEvaluatedKey?: object; ScannedCount?: number } = first.body;
  const second = await send("Scan", { ...filter, ExclusiveStartKey: LastEvaluatedKey });
  expect(second.body).toMatchObject({ ScannedCount: 5 - Number(ScannedCount) });
  expect(second.body).not.toHaveProperty("LastEvaluatedKey");
});

test("accepts items of up to 400 KB, and rejects one more byte", async () => {
  const send = await newItems();
  const put = async (bytes: number) =>
    (await send("PutItem", { Item: itemOf({ id: "1", text: "é".repeat(bytes / 2) }) })).status;
  expect(await put(409_600 - "id1text".length - 1)).toBe(200);
  expect(await put(409_600 - "id1text".length + 1)).toBe(400);
});

test("writes items in a batch, and rejects duplicates", async () => {
  const send = await newItems();
  const batch = (Items: object) => send("BatchWriteItem", { TableName: null, RequestItems: { Items } });
  const puts = ["2", "3"].map((id) => ({ PutRequest: { Item: itemOf({ id }) } }));
  expect((await batch([...puts, { DeleteRequest: { Key } }])).body).toMatchObject({
    UnprocessedItems: {},
  });
  const left = await Promise.all(["1", "2", "3"].map((id) => send("GetItem", { Key: itemOf({ id }) })));
  expect(left.map(({ body }) => body)).toEqual([{}, { Item: itemOf({ id: "2" }) }, { Item: itemOf({ id: "3" }) }]);
  const refused = { status: 400, body: { __type: expect.stringMatching(/#ValidationException$/) } };
  expect(await batch([puts[0], puts[0]])).toMatchObject(refused);
});
