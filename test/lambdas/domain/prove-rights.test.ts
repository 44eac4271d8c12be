import { beforeEach, expect, test } from "vitest";
import { withShownRight } from "../../../lambdas/declaration/shown-records.ts";
import { proofRequest, provingRights } from "../../../lambdas/domain/prove-rights.ts";
import * as tables from "../../../lambdas/domain/tables.ts";
import type { AnyTable } from "../../../lambdas/dynamodb/table.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import type { AwsRequest } from "../../support/aws-stub.ts";
import { useDynamoDBStub } from "../support/dynamodb-stub.ts";

/** Returns the permission that a request needs: an action on a table or an index. */
const needOf = ({ operation, body }: AwsRequest) => {
  const { TableName, IndexName = "" } = JSON.parse(body);
  return `${TableName} ${operation} ${IndexName}`;
};

let denied: string | undefined;
let rejectsChanges: boolean;
beforeEach(() => {
  denied = undefined;
  rejectsChanges = true;
});
const stub = useDynamoDBStub((request) => {
  const { operation } = request;
  if (needOf(request) === denied) return { status: 400, body: { __type: "AccessDeniedException" } };
  if (operation === "UpdateItem" && rejectsChanges)
    return { status: 400, body: { __type: "ConditionalCheckFailedException" } };
  return { body: ["GetItem", "UpdateItem"].includes(operation) ? {} : { Items: [], Count: 0, ScannedCount: 0 } };
});

const handler = async (event: unknown) => ({ handled: event });
const prove = (declared: Tables) => {
  const operations = Object.entries(declared).map(([store, { rights }]) => [store, Object.keys(rights)]);
  return provingRights(handler, Object.fromEntries(operations), declared)(proofRequest, undefined);
};

const needs = Object.entries<AnyTable>(tables).flatMap(([store, { rights }]) => {
  const all = Object.values(rights).flat();
  const details = all.map((right) => ({ index: "", ...(typeof right === "string" ? { action: right } : right) }));
  return [...new Set(details.map(({ action, index }) => `${store} ${action} ${index}`))];
});

test("a function proves all its permissions on its tables with changes that never take effect", async () => {
  expect(await prove(tables)).toEqual({ proven: true, failures: [] });
  const { requests } = stub();
  expect(new Set(requests.map(needOf))).toEqual(new Set(needs));
  for (const { body } of requests.filter(({ operation }) => operation === "UpdateItem"))
    expect(JSON.parse(body).ConditionExpression).toBe("attribute_exists(#key) AND attribute_not_exists(#key)");
});

test.each(needs)("a function proves nothing if it lacks %s", async (need) => {
  denied = need;
  // A table may have the same permission on items and on attributes.
  const failures = expect.arrayContaining([`${need.trim()}: AccessDeniedException`]);
  expect(await prove(tables)).toEqual({ proven: false, failures });
});

test("a function proves nothing if a change that must be rejected succeeds", async () => {
  rejectsChanges = false;
  const { limits } = tables;
  expect(await prove({ limits })).toMatchObject({ proven: false, failures: ["limits UpdateItem: Error"] });
});

test("a function proves that it can read the columns that it may show, without access to other attributes", async () => {
  const shown = {
    partitionKey: "key_id",
    columns: { key_id: { kind: "text" }, updated_at: { kind: "text" } },
    indexes: { byChange: { partition: ["updated_at"], sort: "v_code" } },
    indexFields: { v_code: { kind: "text" } },
  } as const;
  const names = { "#n0": "key_id", "#n1": "updated_at", "#n2": "v_code" };
  const { indexes } = shown;
  await prove({ keys: withShownRight({ ...tables.keys, indexes, rights: {} }, shown) });
  expect(stub().requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { Select: "SPECIFIC_ATTRIBUTES", ExpressionAttributeNames: names },
    {
      IndexName: "byChange",
      Select: "SPECIFIC_ATTRIBUTES",
      ExpressionAttributeNames: { ...names, "#k0": "updated_at" },
    },
  ]);
});

test.each([
  ["API Gateway's event", { version: "2.0", body: JSON.stringify(proofRequest), headers: proofRequest }],
  ["an invocation", { action: "list" }],
  ["nothing", null],
])("passes %s to the handler", async (_, event) => {
  expect(await provingRights(handler, {}, {})(event, undefined)).toEqual({ handled: event });
});
