import { expect, test } from "vitest";
import { isInUtf8 } from "../../../lambdas/middlewares/read-body.ts";

const type = "application/json";

test.for([
  "application/json",
  " Application/JSON ",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  'application/json;\tcharset = "utf-8"',
  "application/json; version=1; charset=utf-8",
])("the type in UTF-8: %j", (header) => {
  expect(isInUtf8(type, header)).toBe(true);
});

test.for([
  undefined,
  "",
  "text/json",
  "application/json-seq",
  "text/plain; application/json",
  "application/json;charset=utf-16",
  "application/json; charset=latin1",
  "application/json; charset = utf-16",
  'application/json; charset="utf-16"',
  "application/json; CHARSET=utf-16",
  "application/json; charset=",
])("another type, or another encoding: %j", (header) => {
  expect(isInUtf8(type, header)).toBe(false);
});
