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
  expect(operationsOf(api).map(({ endpoint: _, ...operation }) => operation)).toEqual([
    {
      version: "v1",
      deprecated,
      operationId: "createKey",
      path: "/api/v1/key",
      file: "lambdas/v1/create-key.ts",
      functionName: "v1-create-key",
    },
    {
      version: "v2",
      deprecated: undefined,
      operationId: "createKey",
      path: "/api/v2/key",
      file: "lambdas/v2/create-key.ts",
      functionName: "v2-create-key",
    },
    {
      version: "v2",
      deprecated: undefined,
      operationId: "listKeys",
      path: "/api/v2/key",
      file: "lambdas/v2/list-keys.ts",
      functionName: "v2-list-keys",
    },
  ]);
});

test("each path has the methods of all its endpoints", () => {
  expect(pathMethodsOf(api)).toEqual({ "/api/v1/key": ["POST"], "/api/v2/key": ["POST", "GET"] });
});
