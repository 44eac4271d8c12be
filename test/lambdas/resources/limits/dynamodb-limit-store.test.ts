import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDynamoDBClient } from "../../../../lambdas/dynamodb/client.ts";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import type { Item } from "../../../../lambdas/dynamodb/records.ts";
import {
  dynamodbLimitStore,
  type LimitStore,
  limits as limitsTable,
} from "../../../../lambdas/resources/limits/limits-table.ts";
import * as declaredTables from "../../../../lambdas/resources/tables.ts";
import { absentId } from "../../../../tools/support/tokens.ts";
import { loseNextAnswer, type TestTable, useDatabase } from "../../support/database.ts";
import { apiErrorOf } from "../../support/rejection.ts";
import { tableThatReturns } from "../../support/table-double.ts";

const database = useDatabase();
let place: TestTable;
let limits: LimitStore;

// The time that an update may take is tested separately.
const never = () => new AbortController().signal;
const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(never);

beforeAll(async () => {
  place = await database.newTable("minute_id");
  limits = openStore(declaredTables.limits, { client: place.client, tableName: place.table });
});

const minute = "2026-11-21T10:15Z";

const takeMany = (tokenId: string, limit: number, times: number) =>
  Promise.all(Array.from({ length: times }, () => limits.take(tokenId, { minute, limit })));
const granted = (answers: (number | undefined)[]) => answers.filter((taken) => taken !== undefined);

describe("of simultaneous requests of one token in one minute", () => {
  test.for([
    [1, 20],
    [7, 60],
    [30, 90],
  ] as const)("exactly %i of %i are admitted, each with a different number", async ([limit, times]) => {
    const numbers = granted(await takeMany(absentId(), limit, times));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: limit }, (_, index) => index + 1),
    );
  });

  test("all are admitted if the limit is high enough", async () => {
    expect(granted(await takeMany(absentId(), 40, 40))).toHaveLength(40);
  });
});

describe("an allowance", () => {
  test("is separate for each token and each minute", async () => {
    const [one, other] = [absentId(), absentId()];
    expect(await limits.take(one, { minute, limit: 1 })).toBe(1);
    expect(await limits.take(one, { minute, limit: 1 })).toBeUndefined();
    expect(await limits.take(other, { minute, limit: 1 })).toBe(1);
    expect(await limits.take(one, { minute: "2026-11-21T10:16Z", limit: 1 })).toBe(1);
  });

  test("that is raised admits as many more requests: refused ones were not counted", async () => {
    const tokenId = absentId();
    await takeMany(tokenId, 2, 10);
    expect(granted(await takeMany(tokenId, 5, 10)).toSorted()).toEqual([3, 4, 5]);
  });

  test("that is lowered below the number of admitted requests admits no more", async () => {
    const tokenId = absentId();
    await takeMany(tokenId, 10, 5);
    expect(await limits.take(tokenId, { minute, limit: 3 })).toBeUndefined();
  });

  const counterOf = async (tokenId: string): Promise<Item> => {
    const key = { minute_id: { S: `${tokenId}/${minute}` } };
    const { Item = {} } = await place.client.send(
      new GetItemCommand({ TableName: place.table, Key: key, ConsistentRead: true }),
    );
    return Item;
  };

  test("is removed by the table's time-to-live an hour after its minute began", async () => {
    const tokenId = absentId();
    await limits.take(tokenId, { minute, limit: 3 });
    const { delete_at } = await counterOf(tokenId);
    expect(delete_at?.N).toBe(String(Date.parse("2026-11-21T11:15:00Z") / 1000));
  });

  test("has one number for all requests that an environment sends one after the other", async () => {
    const tokenId = absentId();
    const store = openStore(declaredTables.limits, { client: place.client, tableName: place.table });
    for (let requests = 0; requests < 3; requests += 1) await store.take(tokenId, { minute, limit: 3 });
    const numbers = Object.entries(await counterOf(tokenId)).filter(([name]) => name.startsWith("by_"));
    expect(numbers.map(([, number]) => number)).toEqual([{ N: "3" }]);
  });
});

test("a request whose answer is lost is counted once, and admitted", async () => {
  const client = new DynamoDBClient({ maxAttempts: 3 });
  loseNextAnswer(client);
  const limitId = absentId();
  const store = openStore(declaredTables.limits, { client, tableName: place.table });
  expect(await store.take(limitId, { minute, limit: 3 })).toBe(1);
  expect(granted(await takeMany(limitId, 3, 10)).toSorted()).toEqual([2, 3]);
  client.destroy();
});

test("a call without a response is given up after a second and admits nobody", async () => {
  const giveUp = new AbortController();
  timeout.mockClear().mockReturnValueOnce(giveUp.signal);
  const silent = createServer(() => giveUp.abort()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  onTestFinished(() => {
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", endpoint);
    silent.closeAllConnections();
    silent.close();
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const client = createDynamoDBClient();
  await expect(
    openStore(declaredTables.limits, { client, tableName: place.table }).take(absentId(), { minute, limit: 3 }),
  ).rejects.toMatchObject({ code: "unavailable" });
  expect(timeout).toHaveBeenCalledExactlyOnceWith(1_000);
});

describe("a counter that the update cannot have produced is not used:", () => {
  /** The table's response to the first request of an environment, whose attribute has a random name. */
  const takeFrom = (attributes: Item, lastNumber = "1") =>
    dynamodbLimitStore({
      ...tableThatReturns({ applied: true, attributes }, limitsTable.fields),
      update: async (_, { condition }) => {
        const name = /by_\w+/.exec(condition ?? "")?.[0] ?? "";
        return { applied: true, attributes: { ...attributes, [name]: { N: lastNumber } } };
      },
    }).take(absentId(), { minute, limit: 3 });

  test.for<[string, Item]>([
    ["the count is missing", {}],
    ["the count is not a number", { taken: { S: "1" } }],
    ["the count is not numeric", { taken: { N: "one" } }],
    ["the count is not written as DynamoDB writes it", { taken: { N: "0x2" } }],
    ["nothing was counted", { taken: { N: "0" } }],
    ["more was counted than any limit allows", { taken: { N: "100001" } }],
  ])("%s", async ([, attributes]) => {
    expect(await apiErrorOf(takeFrom(attributes))).toMatchObject({
      code: "unavailable",
      cause: new Error("The item's taken is not a whole number from 1 to 100000."),
    });
  });

  test("the request is not counted", async () => {
    expect(await apiErrorOf(takeFrom({ taken: { N: "1" } }, "7"))).toMatchObject({
      code: "unavailable",
      cause: new Error("The update cannot have left this counter."),
    });
  });

  test.for([1, 3])("but every count up to the limit is used: %i", async (count) => {
    expect(await takeFrom({ taken: { N: String(count) } })).toBe(count);
  });
});
