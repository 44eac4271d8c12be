import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { withShownRight } from "../../../lambdas/declaration/shown-records.ts";
import { proofRequest, provingRights } from "../../../lambdas/domain/prove-rights.ts";
import * as tables from "../../../lambdas/domain/tables.ts";
import type { AnyTable, Right } from "../../../lambdas/dynamodb/table.ts";
import { type Tables, tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { startDynamoDBStub } from "../../support/aws-stub.ts";

beforeEach(() => {
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  for (const store of Object.keys(tables)) vi.stubEnv(tableVariable(store), store);
});

type Request = Record<string, unknown> & { TableName: string; IndexName?: string };

/** Returns the permission that a request needs: an action on a table or an index. */
const needOf = (operation: string, { TableName, IndexName = "" }: Request) => `${TableName} ${operation} ${IndexName}`;

/** Starts a database that rejects changes because of their condition, and anything that needs the denied permission. */
const startDatabase = async (denied?: string) => {
  const database = await startDynamoDBStub(({ operation, body }) => {
    if (needOf(operation, JSON.parse(body)) === denied)
      return { status: 400, body: { __type: "AccessDeniedException" } };
    if (operation === "UpdateItem") return { status: 400, body: { __type: "ConditionalCheckFailedException" } };
    return { body: operation === "GetItem" ? {} : { Items: [], Count: 0, ScannedCount: 0 } };
  });
  onTestFinished(database.close);
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", database.url);
  return database;
};

const handler = async (event: unknown) => ({ handled: event });
const allOperations = (declared: Tables) =>
  Object.fromEntries(Object.entries(declared).map(([store, { rights }]) => [store, Object.keys(rights)]));
const prove = (declared: Tables) => provingRights(handler, allOperations(declared), declared)(proofRequest, undefined);

const rightsOf = ({ rights }: AnyTable): Right[] => Object.values(rights).flat();
const detailsOf = (right: Right) => ({ index: "", ...(typeof right === "string" ? { action: right } : right) });
const needs = Object.entries<AnyTable>(tables).flatMap(([store, table]) => [
  ...new Set(rightsOf(table).map((right) => `${store} ${detailsOf(right).action} ${detailsOf(right).index}`)),
]);

test("a function proves that it can use every permission on its tables, with changes that never take effect", async () => {
  const database = await startDatabase();

  expect(await prove(tables)).toEqual({ proven: true, failures: [] });
  const used = database.requests.map(({ operation, body }) => needOf(operation, JSON.parse(body)));
  expect(new Set(used)).toEqual(new Set(needs));
  for (const { body } of database.requests.filter(({ operation }) => operation === "UpdateItem")) {
    expect(JSON.parse(body).ConditionExpression).toBe("attribute_exists(#key) AND attribute_not_exists(#key)");
  }
});

test.each(needs)("a function proves nothing if it lacks %s", async (need) => {
  await startDatabase(need);

  const [store, action] = need.split(" ");
  // A table may have the same permission on items and on attributes.
  const failures = expect.arrayContaining([`${store} ${action}: AccessDeniedException`]);
  expect(await prove(tables)).toEqual({ proven: false, failures });
});

test("a function proves nothing if a change that must be rejected succeeds", async () => {
  const database = await startDynamoDBStub(() => ({ body: {} }));
  onTestFinished(database.close);
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", database.url);

  const { limits } = tables;
  expect(await prove({ limits })).toMatchObject({ proven: false, failures: ["limits UpdateItem: Error"] });
});

test("a function proves that it reads the columns that it may show, and accesses no other attributes", async () => {
  const database = await startDatabase();
  const shown = { partitionKey: "key_id", columns: { key_id: "text", updated_at: "text" } } as const;

  await prove({ keys: withShownRight({ ...tables.keys, rights: {} }, shown) });
  expect(database.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { Select: "SPECIFIC_ATTRIBUTES", ExpressionAttributeNames: { "#n0": "key_id", "#n1": "updated_at" } },
  ]);
});

test.each([
  [
    "API Gateway's event",
    { version: "2.0", routeKey: "$default", body: JSON.stringify(proofRequest), headers: proofRequest },
  ],
  ["an invocation", { action: "list" }],
  ["nothing", null],
])("passes %s to the handler", async (_, event) => {
  expect(await provingRights(handler, {}, {})(event, undefined)).toEqual({ handled: event });
});
