import { crc32 } from "node:zlib";
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, test } from "vitest";
import { functionName, sharedDatabase } from "../support/database.ts";

const database = sharedDatabase();

/** Sends a request as it is, and returns the answer as it is. */
const post = async (operation: string, body: object | string, accessKey = "outside") => {
  const response = await fetch(database().url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20261122T000000Z",
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20261122/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x`,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, checksum: response.headers.get("x-amz-crc32") };
};

const update = (more: object) => ({
  TableName: "Items",
  Key: { id: { S: crypto.randomUUID() } },
  UpdateExpression: "SET a = :a",
  ExpressionAttributeValues: { ":a": { S: "a" } },
  ...more,
});

describe("answers", () => {
  test.for([
    ["an answer of the engine", "ListTables", {}, 200],
    ["an update without old attributes", "UpdateItem", update({ ReturnValues: "UPDATED_OLD" }), 200],
    ["a refusal of the engine", "UpdateItem", update({ Key: {} }), 400],
    ["a request that DynamoDB refuses", "DeleteItem", update({ ReturnValues: "ALL_NEW", UpdateExpression: null }), 400],
    ["an unsupported request", "TransactGetItems", {}, 400],
    ["malformed JSON", "GetItem", "{", 400],
  ] as const)("have the checksum of their body, as DynamoDB's do: %s", async ([, operation, body, status]) => {
    const answer = await post(operation, body);
    expect(answer).toMatchObject({ status, checksum: String(crc32(answer.text)) });
  });

  test("an update that has no attributes to return has no Attributes, on the same connection as one that has", async () => {
    const request = update({ ReturnValues: "UPDATED_OLD" });
    expect((await post("UpdateItem", request)).text).toBe("{}");
    expect((await post("UpdateItem", request)).text).toBe('{"Attributes":{"a":{"S":"a"}}}');
    const removed = update({
      Key: request.Key,
      UpdateExpression: "REMOVE a",
      ConditionExpression: "a = :a",
      ReturnValues: "UPDATED_NEW",
    });
    expect((await post("UpdateItem", removed)).text).toBe("{}");
  });

  test.for([
    ["UpdateItem", { Key: { id: { S: "held" } }, UpdateExpression: "SET a = :a" }],
    ["DeleteItem", { Key: { id: { S: "held" } } }],
    ["PutItem", { Item: { id: { S: "held" }, a: { S: "a" } } }],
  ] as const)("%s whose condition fails returns the item if it is asked to", async ([operation, parameters]) => {
    const item = { id: { S: "held" }, b: { S: "ä" } };
    await post("PutItem", { TableName: "Items", Item: item });
    const failing = {
      TableName: "Items",
      ...parameters,
      ConditionExpression: "attribute_exists(b) AND b <> :b",
      ExpressionAttributeValues: { ":b": { S: "ä" }, ...(operation === "UpdateItem" && { ":a": { S: "a" } }) },
    };
    const plain = await post(operation, failing);
    expect(JSON.parse(plain.text)).not.toHaveProperty("Item");

    const asked = await post(operation, { ...failing, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
    expect(asked).toMatchObject({ status: 400, checksum: String(crc32(asked.text)) });
    expect(JSON.parse(asked.text)).toEqual({ ...JSON.parse(plain.text), Item: item });
  });

  test("a condition that fails because there is no item returns none", async () => {
    const request = update({ ConditionExpression: "attribute_exists(id)" });
    const answer = await post("UpdateItem", { ...request, ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
    expect(JSON.parse(answer.text)).not.toHaveProperty("Item");
  });

  test("an item that is returned with a failed condition is the one for which it failed", async () => {
    const key = { TableName: "Items", Key: { id: { S: "contended" } } };
    const writes = Array.from({ length: 200 }, (_, index) =>
      post("UpdateItem", {
        ...key,
        UpdateExpression: "SET a = :a",
        ConditionExpression: "attribute_not_exists(a) OR a <> :other",
        ExpressionAttributeValues: { ":a": { S: index % 2 ? "x" : "y" }, ":other": { S: index % 3 ? "x" : "y" } },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    const failed = (await Promise.all(writes)).flatMap(({ status, text }, index) =>
      status === 400 ? [{ item: JSON.parse(text).Item, refused: index % 3 ? "x" : "y" }] : [],
    );
    expect(failed.length).toBeGreaterThan(10);
    for (const { item, refused } of failed) expect(item).toMatchObject({ a: { S: refused } });
  });

  test("numbers come back as DynamoDB writes them", async () => {
    const Item = {
      id: { S: "numbers" },
      ...Object.fromEntries(["+3", "-0", "1e3", "1.50", "-.5", "+1E-2"].map((N) => [N, { N }])),
    };
    const { client } = database();
    await client.send(new PutItemCommand({ TableName: "Items", Item }));
    const { Item: stored } = await client.send(new GetItemCommand({ TableName: "Items", Key: { id: Item.id } }));

    expect(stored).toEqual({
      id: Item.id,
      "+3": { N: "3" },
      "-0": { N: "0" },
      "1e3": { N: "1000" },
      "1.50": { N: "1.5" },
      "-.5": { N: "-0.5" },
      "+1E-2": { N: "0.01" },
    });
  });

  test("an update that only removes works on an item that exists, and creates none", async () => {
    const { client } = database();
    const Key = { id: { S: "removing" } };
    const remove = () =>
      client.send(
        new UpdateItemCommand({
          TableName: "Items",
          Key,
          UpdateExpression: "REMOVE a",
          ConditionExpression: "attribute_exists(id)",
          ReturnValues: "ALL_NEW",
        }),
      );
    await expect(remove()).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect((await client.send(new GetItemCommand({ TableName: "Items", Key }))).Item).toBeUndefined();
    await client.send(new PutItemCommand({ TableName: "Items", Item: { ...Key, a: { S: "a" } } }));
    expect((await remove()).Attributes).toEqual(Key);
  });
});

describe("tools outside of the run", () => {
  const ids = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, "0"));

  const fill = async (client: DynamoDBClient) => {
    for (let from = 0; from < ids.length; from += 25) {
      const puts = ids
        .slice(from, from + 25)
        .map((sort) => ({ PutRequest: { Item: { id: { S: "all" }, sort: { S: sort } } } }));
      const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { Sorted: puts } }));
      expect(UnprocessedItems).toEqual({});
    }
  };

  test.for([1, 2, 7, 256])("find each item in one of %d segments", async (TotalSegments) => {
    const { client } = database();
    await fill(client);
    const found: string[] = [];
    for (let Segment = 0; Segment < TotalSegments; Segment += 1) {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: "Sorted", Segment, TotalSegments }));
      found.push(...Items.map(({ sort }) => sort?.S ?? ""));
    }
    expect(found.toSorted()).toEqual(ids);
  });

  test("read a partition in order, in pages, from a key on and backwards", async () => {
    const { client } = database();
    await fill(client);
    const query = async (more: object) => {
      const sorts: string[] = [];
      let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: "Sorted",
            KeyConditionExpression: "id = :id AND sort BETWEEN :lower AND :upper",
            ExpressionAttributeValues: { ":id": { S: "all" }, ":lower": { S: "10" }, ":upper": { S: "30" } },
            Limit: 7,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
            ...more,
          }),
        );
        sorts.push(...(page.Items ?? []).map(({ sort }) => sort?.S ?? ""));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return sorts;
    };
    expect(await query({})).toEqual(ids.slice(10, 31));
    expect(await query({ ScanIndexForward: false })).toEqual(ids.slice(10, 31).toReversed());
  });

  test("are told what is not supported, and the run goes on", async () => {
    const { status, text } = await post("DescribeTimeToLive", { TableName: "Items" });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      __type: "com.amazonaws.dynamodb.v20120810#NotSupportedLocally",
      message: expect.stringMatching(/^The embedded database does not support DescribeTimeToLive: see "DynamoDB" in/),
    });
    expect(database().failures).toEqual([]);
    expect((await database().client.send(new ListTablesCommand())).TableNames).toEqual(["Indexed", "Items", "Sorted"]);
  });
});

test("an unsupported request of a function is not repeated, and stops the run with its name", async () => {
  const { functionClient, failures } = database();
  const command = new PutItemCommand({
    TableName: "Items",
    Item: { id: { S: "1" } },
    ReturnConsumedCapacity: "TOTAL",
  });
  await expect(functionClient.send(command)).rejects.toMatchObject({
    name: "NotSupportedLocally",
    $fault: "client",
    $metadata: { attempts: 1 },
  });

  await expect.poll(() => failures).toHaveLength(1);
  expect(failures[0]).toMatch(
    /^Function writer sent the embedded database a request that it does not support: PutItem with ReturnConsumedCapacity\. Change the request/,
  );
  expect((await post("ListTables", {}, functionName)).status).toBe(200);
});
