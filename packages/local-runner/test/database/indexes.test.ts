import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sharedDatabase } from "../support/database.ts";

const database = sharedDatabase();

const TableName = "Indexed";
type Item = Record<string, AttributeValue>;

const ids = ["1", "2", "3", "4", "5"];
const shards = fc.constantFrom("0", "1").map((S) => ({ S }));
const times = fc.constantFrom("2026-01", "2026-02", "2026-03", "2026-030").map((S) => ({ S }));
const history = fc.subarray(["a", "b", "c"], { minLength: 1 }).map((SS) => ({ SS }));
const remark = fc.constantFrom({ S: "x" }, { S: "y" });

/** What an item becomes: some of these attributes, or nothing. */
const attributes = fc.record({ change_shard: shards, changed_at: times, history, remark }, { requiredKeys: [] });
const change = fc.record({
  id: fc.constantFrom(...ids),
  way: fc.constantFrom("put", "batch", "update", "delete"),
  next: attributes,
});

const commandFor = ({ id, way, next }: { id: string; way: string; next: Item }) => {
  const Key = { id: { S: id } };
  const item = { ...Key, ...next };
  if (way === "put") return new PutItemCommand({ TableName, Item: item });
  if (way === "batch")
    return new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: item } }] } });
  if (way === "delete") return new DeleteItemCommand({ TableName, Key });
  const names = ["change_shard", "changed_at", "history", "remark"];
  const [set, removed] = [names.filter((name) => name in next), names.filter((name) => !(name in next))];
  const parts = [
    ...(set.length > 0 ? [`SET ${set.map((name) => `${name} = :${name}`).join(", ")}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.join(", ")}`] : []),
    "ADD counted :one",
  ];
  return new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: parts.join(" "),
    ExpressionAttributeValues: {
      ":one": { N: "1" },
      ...Object.fromEntries(Object.entries(next).map(([name, value]) => [`:${name}`, value])),
    },
  });
};

const send = async (command: ReturnType<typeof commandFor>): Promise<void> => {
  const { client } = database();
  if (command instanceof PutItemCommand) await client.send(command);
  else if (command instanceof BatchWriteItemCommand) await client.send(command);
  else if (command instanceof DeleteItemCommand) await client.send(command);
  else await client.send(command);
};

/** All pages of a query on the index. */
const query = async (more: Partial<QueryCommandInput>, Limit: number): Promise<Item[]> => {
  const found: Item[] = [];
  let from: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey: last } = await database().client.send(
      new QueryCommand({ TableName, IndexName: "by_change", Limit, ...more, ...(from && { ExclusiveStartKey: from }) }),
    );
    if (last) expect(Object.keys(last).toSorted()).toEqual(["change_shard", "changed_at", "id"]);
    expect(Items.length).toBeLessThanOrEqual(Limit);
    found.push(...Items);
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

test("an index has exactly the items with its keys, with what it projects, in order and in pages, after any changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.constantFrom("all", "before", "until", "between"),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (changes, kind, isForward, limit) => {
        const items = new Map<string, Item>();
        for (const id of ids) await send(commandFor({ id, way: "delete", next: {} }));
        for (const one of changes) {
          await send(commandFor(one));
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

test("a set and the keys of an index are written together, and the condition on the set's size protects the write", async () => {
  const { client } = database();
  const add = (entry: string) =>
    client.send(
      new UpdateItemCommand({
        TableName,
        Key: { id: { S: "counted" } },
        UpdateExpression: "SET change_shard = :shard, changed_at = :changed REMOVE former ADD history :entry",
        ConditionExpression: "attribute_not_exists(history) OR size(history) < :limit",
        ExpressionAttributeValues: {
          ":shard": { S: "sized" },
          ":changed": { S: entry },
          ":entry": { SS: [entry] },
          ":limit": { N: "2" },
        },
      }),
    );
  await add("2026-01");
  await add("2026-02");
  await expect(add("2026-03")).rejects.toThrow(expect.objectContaining({ name: "ConditionalCheckFailedException" }));

  const values = { ":shard": { S: "sized" } };
  const [item] = await query({ KeyConditionExpression: "change_shard = :shard", ExpressionAttributeValues: values }, 5);
  expect(item).toMatchObject({ changed_at: { S: "2026-02" }, history: { SS: ["2026-01", "2026-02"] } });
});

test("a scan returns the attributes that it names", async () => {
  const { client } = database();
  await client.send(
    new PutItemCommand({ TableName: "Items", Item: { id: { S: "1" }, a: { SS: ["x"] }, b: { N: "1" } } }),
  );
  const { Items } = await client.send(
    new ScanCommand({ TableName: "Items", ProjectionExpression: "id, #a", ExpressionAttributeNames: { "#a": "a" } }),
  );

  expect(Items).toEqual([{ id: { S: "1" }, a: { SS: ["x"] } }]);
});

const inShard = {
  KeyConditionExpression: "change_shard = :shard",
  ExpressionAttributeValues: { ":shard": { S: "0" } },
};

test.for<[string, Partial<QueryCommandInput>, RegExp]>([
  [
    "an attribute that it does not project",
    { ProjectionExpression: "remark" },
    /by_change does not project \[remark\]/,
  ],
  [
    "a filter on an attribute that it does not project",
    {
      FilterExpression: "#c = :c",
      ExpressionAttributeNames: { "#c": "remark" },
      ExpressionAttributeValues: { ":shard": { S: "0" }, ":c": { S: "x" } },
    },
    /by_change does not project \[remark\]/,
  ],
  ["consistent reads", { ConsistentRead: true }, /Consistent reads are not supported/],
  ["an index that does not exist", { IndexName: "by_name" }, /does not have the specified index: by_name/],
])("a query on an index is refused if it asks for %s", async ([, more, message]) => {
  await expect(query({ ...inShard, ...more }, 1)).rejects.toThrow(
    expect.objectContaining({ name: "ValidationException", message: expect.stringMatching(message) }),
  );
});

const emptyKey = { id: { S: "1" }, change_shard: { S: "" } };

test.for([
  ["a put", new PutItemCommand({ TableName, Item: emptyKey })],
  ["a batch", new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: emptyKey } }] } })],
] as const)("%s with an empty key of an index is refused, as in DynamoDB", async ([, command]) => {
  await expect(send(command)).rejects.toThrow(
    expect.objectContaining({
      name: "ValidationException",
      message: expect.stringContaining("IndexKey: change_shard"),
    }),
  );
});

test("an update that would make a key of an index empty is refused, as in DynamoDB", async () => {
  const command = new UpdateItemCommand({
    TableName,
    Key: { id: { S: "1" } },
    UpdateExpression: "SET change_shard = :v",
    ExpressionAttributeValues: { ":v": { S: "" } },
  });
  await expect(send(command)).rejects.toThrow(expect.objectContaining({ name: "ValidationException" }));
});
