import { expect, test } from "vitest";
import { createRouteTable } from "../../src/gateway/route-table.ts";

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
];
const find = createRouteTable(keys.map((routeKey) => ({ routeKey })));

test.each([
  ["GET", "/keys/mine", "GET /keys/mine", undefined],
  ["GET", "/keys/7", "GET /keys/{id}", { id: "7" }],
  ["DELETE", "/keys/7", "ANY /keys/{id}", { id: "7" }],
  ["GET", "/keys/other", "ANY /keys/other", undefined],
  ["POST", "/keys", "POST /keys", undefined],
  ["GET", "/keys", "GET /{proxy+}", { proxy: "keys" }],
  ["PUT", "/keys", "ANY /{proxy+}", { proxy: "keys" }],
  ["GET", "/files/a/b c", "GET /files/{path+}", { path: "a/b c" }],
  ["GET", "/keys/", "GET /{proxy+}", { proxy: "keys/" }],
  ["GET", "/", "$default", undefined],
])("%s %s goes to %s", (method, path, routeKey, pathParameters) => {
  expect(find(method, path)).toEqual({ target: { routeKey }, pathParameters });
});

test("the order of declaration makes no difference", () => {
  const reversed = createRouteTable(keys.toReversed().map((routeKey) => ({ routeKey })));
  expect(reversed("GET", "/keys/mine")?.target.routeKey).toBe("GET /keys/mine");
});

test("without $default an unknown path has no route", () => {
  expect(createRouteTable([{ routeKey: "GET /keys" }])("GET", "/locks")).toBeUndefined();
});
