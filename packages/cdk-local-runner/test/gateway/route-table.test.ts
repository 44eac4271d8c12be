import { expect, test } from "vitest";
import { createRouteTable } from "../../src/gateway/route-table.ts";

// The rules and the second table come from docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html. That
// a specific method wins over `ANY` before paths are compared was observed: https://github.com/KensioSoftware/yulin,
// docs/services/apigatewayv2/README.md.

const keys = [
  "$default",
  "ANY /{proxy+}",
  "GET /{proxy+}",
  "GET /keys/{id}",
  "ANY /keys/{id}",
  "GET /keys/mine",
  "ANY /keys/other",
  "POST /keys",
  "GET /files/{path+}",
  "GET /{folder}/{name}/raw",
  "GET /keys.json",
];
const find = createRouteTable(keys.map((routeKey) => ({ routeKey })));

test.each([
  ["GET", "/keys/mine", "GET /keys/mine", undefined],
  ["GET", "/keys/7", "GET /keys/{id}", { id: "7" }],
  ["DELETE", "/keys/7", "ANY /keys/{id}", { id: "7" }],
  ["PUT", "/keys/other", "ANY /keys/other", undefined],
  ["GET", "/keys/other", "GET /keys/{id}", { id: "other" }],
  ["GET", "/files/a/raw", "GET /{folder}/{name}/raw", { folder: "files", name: "a" }],
  ["POST", "/keys", "POST /keys", undefined],
  ["GET", "/keys", "GET /{proxy+}", { proxy: "keys" }],
  ["PUT", "/keys", "ANY /{proxy+}", { proxy: "keys" }],
  ["GET", "/files/a/b c", "GET /files/{path+}", { path: "a/b c" }],
  ["GET", "/keys_json", "GET /{proxy+}", { proxy: "keys_json" }],
  ["GET", "/keys/", "GET /{proxy+}", { proxy: "keys/" }],
  ["GET", "/", "$default", undefined],
])("routes %s %s to %s", (method, path, routeKey, pathParameters) => {
  expect(find(method, path)).toEqual({ target: { routeKey }, pathParameters });
});

test.each([
  ["GET", "/pets/dog/1", "GET /pets/dog/1"],
  ["GET", "/pets/dog/2", "GET /pets/dog/{id}"],
  ["GET", "/pets/cat/1", "GET /pets/{proxy+}"],
  ["POST", "/test/5", "ANY /{proxy+}"],
])("routes %s %s to %s, as in the documentation's example", (method, path, routeKey) => {
  const routes = ["GET /pets/dog/1", "GET /pets/dog/{id}", "GET /pets/{proxy+}", "ANY /{proxy+}", "$default"];
  expect(createRouteTable(routes.map((key) => ({ routeKey: key })))(method, path)?.target.routeKey).toBe(routeKey);
});

test("does not depend on the order of the declarations", () => {
  const reversed = createRouteTable(keys.toReversed().map((routeKey) => ({ routeKey })));
  expect(reversed("GET", "/keys/mine")?.target.routeKey).toBe("GET /keys/mine");
});

test("finds no route for an unknown path without $default", () => {
  expect(createRouteTable([{ routeKey: "GET /keys" }])("GET", "/locks")).toBeUndefined();
});
