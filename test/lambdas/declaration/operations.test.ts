import { expect, test } from "vitest";
import { operationsOf, pathMethodsOf } from "../../../lambdas/declaration/operations.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";

const deprecated = { since: new Date(0), sunset: new Date(1) };
const api = {
  v1: { folder: "lambdas/v1", endpoints: { createKey }, deprecated },
  v2: { folder: "lambdas/v2", endpoints: { createKey, listKeys } },
};

test("the names and the path of an operation are derived from its version and its name", () => {
  const operations = operationsOf(api).map(({ version, operationId, path, file, functionName, ...rest }) => [
    ...[version, operationId, path, file, functionName],
    rest.deprecated,
  ]);
  expect(operations).toEqual([
    ["v1", "createKey", "/api/v1/key", "lambdas/v1/create-key.ts", "v1-create-key", deprecated],
    ["v2", "createKey", "/api/v2/key", "lambdas/v2/create-key.ts", "v2-create-key", undefined],
    ["v2", "listKeys", "/api/v2/key", "lambdas/v2/list-keys.ts", "v2-list-keys", undefined],
  ]);
});

test("each path has the methods of all its endpoints", () => {
  expect(pathMethodsOf(api)).toEqual({ "/api/v1/key": ["POST"], "/api/v2/key": ["POST", "GET"] });
});
