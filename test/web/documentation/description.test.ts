import { describe, expect, test } from "vitest";
import { type Description, operationsOf } from "../../../web/documentation/description.ts";
import { limitsOf, typeOf } from "../../../web/documentation/parts/field.tsx";
import { highlight } from "../../../web/documentation/parts/samples.tsx";
import { languageIds } from "../../../web/documentation/samples/languages.ts";
import { find } from "../../../web/documentation/shell/contents.ts";

describe("a field shows", () => {
  test.each([
    [{ type: "string", minLength: 64, maxLength: 64 }, "string", ["exactly 64 characters"]],
    [{ type: "string", minLength: 1, maxLength: 255 }, "string", ["1 to 255 characters"]],
    [{ type: "string", maxLength: 9 }, "string", ["at most 9 characters"]],
    [{ type: "integer", minimum: 1, maximum: 1000, default: 100 }, "integer", ["1 to 1000", "default 100"]],
    [{ type: "integer", minimum: 0 }, "integer", ["at least 0"]],
    [{ type: ["string", "null"], format: "date-time" }, "string or null", ["RFC 3339 date and time in UTC"]],
    [{ anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] }, "string or null", ["at most 3 characters"]],
    [{ enum: ["a", "b"] }, "string", ["one of a, b"]],
  ])("its type and limits: %j", (schema, type, limits) => {
    expect(typeOf(schema)).toBe(type);
    expect(limitsOf(schema)).toEqual(limits);
  });
});

test("an operation of a deprecated version says when the version ends", () => {
  const operation = { operationId: "x", summary: "", description: "", responses: {} };
  const description: Description = {
    info: { title: "", version: "" },
    servers: [],
    tags: [
      { name: "v1", description: "Version 1: deprecated, and removed after Wed, 01 Dec 2027 00:00:00 GMT." },
      { name: "v2", description: "Version 2." },
    ],
    paths: {
      "/v1": { get: { ...operation, tags: ["v1"], deprecated: true } },
      "/v2": { get: { ...operation, tags: ["v2"] } },
    },
    components: {},
    "x-errors": {},
  };

  expect(operationsOf(description).map(({ deprecation }) => deprecation)).toEqual([
    expect.stringContaining("01 Dec 2027"),
    undefined,
  ]);
});

test("a reference to a part that the description lacks is reported by name", () => {
  const operation = {
    operationId: "x",
    tags: ["v1"],
    summary: "",
    description: "",
    responses: { 200: { $ref: "#/components/responses/Gone" } },
  };
  const description: Description = {
    info: { title: "", version: "" },
    servers: [],
    tags: [],
    paths: { "/x": { get: operation } },
    components: {},
    "x-errors": {},
  };

  expect(() => operationsOf(description)).toThrow("#/components/responses/Gone");
});

test.each([...languageIds, "json" as const])("colouring changes no character of the code: %s", (language) => {
  const code = `curl -H "X: \\"1\\"" 'a' # note\n// note\n\`\${x}\` 12_000 "open\n{"key": null} return`;

  expect(
    highlight(code, language)
      .map((piece) => piece.code)
      .join(""),
  ).toBe(code);
});

describe("the search", () => {
  const entries = [
    { title: "Errors", place: "Guide", href: "#1", text: "A token that has expired" },
    { title: "token_expired", place: "401 Unauthorized", href: "#2", text: "Ask an admin" },
    { title: "Lists", place: "Guide", href: "#3", text: "Pages" },
  ];
  const found = (query: string): string[] => find(entries, query).map(({ href }) => href);

  test("finds what contains every word, in titles first", () => {
    expect(found("EXPIRED token")).toEqual(["#2", "#1"]);
    expect(found("token pages")).toEqual([]);
    expect(found("guide")).toEqual(["#1", "#3"]);
  });

  test("finds nothing before anything is entered", () => {
    expect(found("  ")).toEqual([]);
  });
});
