import { expect, test } from "vitest";
import { operationsOf, pathMethodsOf } from "../../../lambdas/declaration/operations.ts";
import { type Resource, resource, service } from "../../../lambdas/declaration/service.ts";
import { keys as keysTable } from "../../../lambdas/resources/keys/keys-table.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";

const deprecated = { since: new Date(0), sunset: new Date(1) };
const keys = (folder: string, endpoints: Resource["endpoints"]) =>
  resource({ name: "keys", folder, endpoints, tables: { keys: keysTable } });
const api = service({
  name: "Keys",
  title: "Keys",
  versions: { v1: [keys("one", { createKey })], v2: [keys("two", { createKey, listKeys })] },
  deprecated: { v1: deprecated },
});

test("the names and the path of an operation are derived from its version and its name", () => {
  const operations = operationsOf(api).map(({ version, operationId, path, file, functionName, ...rest }) => [
    ...[version, operationId, path, file, functionName],
    rest.deprecated,
  ]);
  expect(operations).toEqual([
    ["v1", "createKey", "/api/v1/key", "one/create-key", "v1-create-key", deprecated],
    ["v2", "createKey", "/api/v2/key", "two/create-key", "v2-create-key", undefined],
    ["v2", "listKeys", "/api/v2/key", "two/list-keys", "v2-list-keys", undefined],
  ]);
});

test("each path has the methods of all its endpoints", () => {
  expect(pathMethodsOf(api)).toEqual({ "/api/v1/key": ["POST"], "/api/v2/key": ["POST", "GET"] });
});
