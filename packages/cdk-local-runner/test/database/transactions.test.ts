import { expect, test } from "vitest";
import { openEngine } from "../../src/database/engine/engine.ts";
import { createMemoryStorage, type Storage, type Write } from "../../src/database/engine/storage.ts";
import type { Item } from "../../src/database/engine/values.ts";
import { indexedTable, itemOf, valuesOf } from "../support/engine.ts";

/* DynamoDB's behaviour according to its documentation, and to tests of ScyllaDB's Alternator and dynamodb-conformance, which pass on AWS. */

const minutes = 60_000;

/** Opens an engine with two tables. The clock stands still. */
const newTables = (storage: Storage = createMemoryStorage()) => {
  const clock = { now: 1_000_000 };
  const writes: Write[] = [];
  const open = () => openEngine({ storage, now: () => clock.now, onWrite: (write) => void writes.push(write) });
  const engine = open();
  for (const TableName of ["Items", "Others"]) engine.perform("CreateTable", { TableName, ...indexedTable });
  const transactOn = (one: typeof engine, TransactItems: object[], more: object = {}) =>
    one.perform("TransactWriteItems", { TransactItems, ...more });
  return {
    ...{ clock, writes },
    transact: (actions: object[], more?: object) => transactOn(engine, actions, more),
    transactAfterRestart: (actions: object[], more?: object) => transactOn(open(), actions, more),
    put: (item: Item) => engine.perform("PutItem", { TableName: "Items", Item: item }),
    stored: () => ["Items", "Others"].map((name) => [...engine.itemsOf(name)]),
  };
};

const TableName = "Items";
const exists = { ConditionExpression: "attribute_exists(id)" };
const isNew = { ConditionExpression: "attribute_not_exists(id)" };
const put = (id: string, more: object = {}) => ({ Put: { TableName, Item: itemOf({ id }), ...more } });
const check = (id: string, more: object = exists) => ({ ConditionCheck: { TableName, Key: itemOf({ id }), ...more } });
const remove = (id: string, more: object = {}) => ({ Delete: { TableName, Key: itemOf({ id }), ...more } });
const update = (id: string, UpdateExpression = "ADD uses :v", v: string | number = 1) => ({
  Update: { TableName, Key: itemOf({ id }), UpdateExpression, ...valuesOf({ v }) },
});

test("performs all actions of a transaction in one write, with their entries in indexes", () => {
  const storage = createMemoryStorage();
  const changes: number[] = [];
  const write: Storage["write"] = (all) => {
    const list = [...all];
    changes.push(list.length);
    storage.write(list);
  };
  const { transact, put: putAlone, stored, writes } = newTables({ ...storage, write });
  for (const id of ["deleted", "updated", "checked"]) putAlone(itemOf({ id }));
  writes.length = 0;
  const indexed = itemOf({ id: "put", change_shard: "0", changed_at: "1" });
  const actions = [
    { Put: { TableName: "Others", Item: indexed } },
    update("updated"),
    remove("deleted"),
    remove("missing"),
    check("checked"),
  ];
  expect(transact(actions, { ClientRequestToken: "a" })).toEqual({ status: 200, body: {} });
  const [items, others] = stored();
  expect(new Set(items)).toEqual(new Set([itemOf({ id: "updated", uses: 1 }), itemOf({ id: "checked" })]));
  expect(others).toEqual([indexed]);
  // Two items, an entry in an index, a deletion and the token.
  expect(changes.at(-1)).toBe(5);
  expect(writes.map(({ table, key }) => [table, key.id?.S])).toEqual([
    ["Others", "put"],
    ["Items", "updated"],
    ["Items", "deleted"],
  ]);
});

const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
const none = { Code: "None" };
const invalid = (Message: string) => ({ Code: "ValidationError", Message: expect.stringContaining(Message) });

test.for<[what: string, actions: object[], reasons: object[]]>([
  ["failed conditions", [put("new"), check("missing"), put("a", isNew)], [none, failed, failed]],
  [
    "a failed condition with its item",
    [put("new"), remove("a", { ...isNew, ReturnValuesOnConditionCheckFailure: "ALL_OLD" })],
    [none, { ...failed, Item: itemOf({ id: "a", word: "b" }) }],
  ],
  [
    "the first of several invalid keys, and no condition",
    [put("a", isNew), { Put: { TableName, Item: { id: { N: "1" } } } }, remove("a", { Key: { id: { N: "1" } } })],
    [none, invalid("Type mismatch for key id expected: S actual: N"), none],
  ],
  ["the key of an update", [update("a", "SET id = :v", "b")], [invalid("Cannot update attribute id")]],
  ["a wrong type of an index key", [update("a", "SET changed_at = :v", 1)], [invalid("Type mismatch for Index Key")]],
  [
    "an item that an update makes too large",
    [update("a", "SET text1 = :v, text2 = :v", "x".repeat(205_000))],
    [invalid("Item size to update has exceeded")],
  ],
  ["a wrong operand", [put("new"), update("a", "ADD word :v")], [none, invalid("incorrect data type")]],
])("cancels a transaction completely for %s, with the reasons in DynamoDB's format", ([, actions, reasons]) => {
  const { transact, put: putAlone, stored } = newTables();
  putAlone(itemOf({ id: "a", word: "b" }));
  const before = stored();
  const codes = reasons.map((reason) => ("Code" in reason ? reason.Code : "")).join(", ");
  expect(transact(actions)).toEqual({
    status: 400,
    body: {
      __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
      CancellationReasons: reasons,
      Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    },
  });
  expect(stored()).toEqual(before);
});

const many = (count: number) => Array.from({ length: count }, (_, place) => put(`${place}`));
const large = (count: number) =>
  many(count).map(({ Put }) => ({ Put: { ...Put, Item: { ...Put.Item, ...itemOf({ text: "x".repeat(100_000) }) } } }));

test.for<[message: string, actions: object[], more?: object]>([
  ["include multiple operations on one item", [put("new"), check("new", isNew)]],
  ["TransactItems must be at most 100", many(101)],
  ["TransactItems must be at least 1", []],
  ["size cannot exceed", large(42)],
  ["Item size has exceeded", [put("a", { Item: itemOf({ id: "a", text: "x".repeat(409_600) }) })]],
  ["ClientRequestToken must be at most 36", many(1), { ClientRequestToken: "x".repeat(37) }],
  ["can only contain one of Check, Put, Update or Delete", [{}]],
  ["can only contain one of Check, Put, Update or Delete", [{ ...put("a"), ...remove("b") }]],
  ["ConditionCheck.ConditionExpression is missing", [check("a", {})]],
  ["Update.UpdateExpression is missing", [{ Update: { TableName, Key: itemOf({ id: "a" }) } }]],
  [
    "unused in expressions: keys: {:v}",
    [put("a", { TableName: "None" }), put("b", { ...isNew, ...valuesOf({ v: 1 }) })],
  ],
  ["is not defined; attribute value: :x", [put("a", { ConditionExpression: "id = :x" })]],
  ["Requested resource not found", [put("a"), put("b", { TableName: "None" })]],
  ["cannot contain an empty string value. Key: id", [{ Put: { TableName, Item: { id: { N: "1" } } } }, put("")]],
  ["IndexKey: changed_at", [update("a", "SET changed_at = :v", "")]],
  ["Incorrect operand type for add", [update("a", "ADD uses :v", "")]],
])("rejects a transaction without reasons: %s", ([message, actions, more]) => {
  const { transact, stored } = newTables();
  const { status, body } = transact(actions, more);
  expect({ status, body }).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  expect(body).not.toHaveProperty("CancellationReasons");
  expect(stored()).toEqual([[], []]);
});

test("accepts 100 actions and 4 MB", () => {
  const { transact, stored } = newTables();
  expect(transact(many(100)).status).toBe(200);
  expect(transact(large(41)).status).toBe(200);
  expect(stored().map(({ length }) => length)).toEqual([100, 0]);
});

const once = { ClientRequestToken: "once" };
const done = { status: 200, body: {} };

test("performs a transaction with a token once in ten minutes, also after a restart", () => {
  const { transact, transactAfterRestart, stored, clock } = newTables();
  const uses = () => stored()[0]?.map(({ uses: { N = "" } = {} }) => Number(N));
  const [first, second] = [itemOf({ id: "b" }), itemOf({ word: "c" })];
  const actions = [update("a"), { Put: { TableName: "Others", Item: { ...first, ...second } } }];
  expect(transact(actions, once)).toEqual(done);
  const reordered = [update("a"), { Put: { Item: { ...second, ...first }, TableName: "Others" } }];
  expect(transact(reordered, once)).toEqual(done);
  clock.now += 10 * minutes - 1;
  expect(transactAfterRestart(actions, once)).toEqual(done);
  expect(uses()).toEqual([1]);
  expect(transact([update("a", "ADD uses :v", 2)], once)).toMatchObject({
    status: 400,
    body: { __type: expect.stringMatching(/#IdempotentParameterMismatchException$/), Message: expect.any(String) },
  });
  expect(transact(actions, { ClientRequestToken: "another" })).toEqual(done);
  expect(transact(actions)).toEqual(done);
  expect(uses()).toEqual([3]);
  clock.now += 1;
  expect(transact(actions, once)).toEqual(done);
  expect(uses()).toEqual([4]);
});

test("forgets expired tokens, and does not remember a transaction that was cancelled or not stored", () => {
  const storage = createMemoryStorage();
  let isBroken = false;
  const write: Storage["write"] = (changes) => {
    if (isBroken) throw new Error("the disk is full");
    storage.write(changes);
  };
  const { transact, stored, clock } = newTables({ ...storage, write });
  const tokens = () => [...storage.range("\x01", "\x02")].length;
  expect(transact([check("a")], once).status).toBe(400);
  isBroken = true;
  expect(() => transact([put("a")], once)).toThrow("the disk is full");
  isBroken = false;
  expect(transact([put("a")], once)).toEqual(done);
  expect(stored()[0]).toHaveLength(1);
  for (let count = 0; count < 5; count += 1) {
    clock.now += 4 * minutes;
    expect(transact([put("a")], { ClientRequestToken: `${count}` })).toEqual(done);
  }
  expect(tokens()).toBe(3);
});
