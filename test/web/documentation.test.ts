import { describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { resource, type Service, service } from "../../lambdas/declaration/service.ts";
import { keys } from "../../lambdas/v1/keys.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { type Description, operationsOf } from "../../web/documentation/description.ts";
import { limitsOf, typeOf } from "../../web/documentation/parts/field.tsx";
import { highlight } from "../../web/documentation/parts/samples.tsx";
import { type Language, languages } from "../../web/documentation/samples/languages.ts";
import { callOf, exampleValues, samplesOf } from "../../web/documentation/samples/sample-of.ts";
import { operationPages, renderSite } from "../../web/documentation/server/render.tsx";
import { entriesOf, find } from "../../web/documentation/shell/search.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import { libraryApi } from "../fixtures/library/api.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";

test.each([
  [{ type: "string", minLength: 64, maxLength: 64 }, "string", ["exactly 64 characters"]],
  [{ type: "string", minLength: 1, maxLength: 255 }, "string", ["1 to 255 characters"]],
  [{ type: "string", maxLength: 9 }, "string", ["at most 9 characters"]],
  [{ type: "integer", minimum: 1, maximum: 1000, default: 100 }, "integer", ["1 to 1000", "default 100"]],
  [{ type: "integer", minimum: 0 }, "integer", ["at least 0"]],
  [{ type: ["string", "null"], format: "date-time" }, "string or null", ["RFC 3339 date and time in UTC"]],
  [{ anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] }, "string or null", ["at most 3 characters"]],
  [{ enum: ["a", "b"] }, "string", ["one of a, b"]],
  [{ type: "array", maxItems: 2, items: { enum: ["a", "b"] } }, "array of strings", ["at most 2 items", "one of a, b"]],
  [{ type: "array", minItems: 1, items: { $ref: "#/x" } }, "array of objects", ["at least 1 items"]],
  [{ type: "string", const: "a" }, "string", ["always a"]],
])("a field shows its type and limits: %j", (schema, type, limits) => {
  expect(typeOf(schema)).toBe(type);
  expect(limitsOf(schema)).toEqual(limits);
});

describe("a description", () => {
  const operation = { operationId: "x", summary: "", description: "", tags: ["v1"], responses: {} };
  const descriptionOf = (paths: Description["paths"]): Description => ({
    info: { title: "", version: "" },
    servers: [],
    components: {},
    "x-errors": {},
    paths,
    tags: [{ name: "v1", description: "Version 1: deprecated, and removed after Wed, 01 Dec 2027 00:00:00 GMT." }],
  });

  test("states when the version of a deprecated operation ends", () => {
    const description = descriptionOf({ "/a": { get: { ...operation, deprecated: true } }, "/b": { get: operation } });
    const deprecations = operationsOf(description).map(({ deprecation }) => deprecation);
    expect(deprecations).toEqual([expect.stringContaining("01 Dec 2027"), undefined]);
  });

  test("with a reference to a missing part is rejected, and the error names the part", () => {
    const $ref = "#/components/responses/Gone";
    const description = descriptionOf({ "/x": { get: { ...operation, responses: { 200: { $ref } } } } });
    expect(() => operationsOf(description)).toThrow($ref);
  });
});

test.each([...(Object.keys(languages) as Language[]), "json" as const])(
  "highlighting changes no character of the code: %s",
  (language) => {
    const code = `curl -H "X: \\"1\\"" 'a' # note\n// note\n\`\${x}\` 12_000 "open\n{"key": null} return`;
    const pieces = highlight(code, language).map((piece) => piece.code);
    expect(pieces.join("")).toBe(code);
  },
);

describe("the addresses of operations", () => {
  const addressesOf = (described: Service) =>
    operationPages(JSON.parse(JSON.stringify(describeApi(described))), String).map(({ path }) => path.slice(19));

  test("are grouped by resource and ordered by use: create, list, read, replace, delete", () => {
    expect(addressesOf(api)).toEqual([
      ...["keys/create", "keys/list", "keys/get", "keys/list-changes", "keys/replace", "keys/delete"],
      ...["tokens/redeem-invitation", "tokens/get", "tokens/exchange", "tokens/move", "tokens/rotate", "tokens/revoke"],
    ]);
  });

  test("omit the version in the newest one, and include it in older ones", () => {
    const addresses = addressesOf(twoVersions);
    expect(addresses).toEqual(expect.arrayContaining(["keys/count", "v1/keys/create", "v1/tokens/get"]));
    expect(addresses).not.toContain("keys/create");
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test("end with those of tokens, after the service's own resources", () => {
    const resources = addressesOf(libraryApi).map((address) => address.split("/")[0]);
    expect(resources.lastIndexOf("books")).toBeLessThan(resources.indexOf("tokens"));
  });

  test("are unique, otherwise the build fails and names the operation", () => {
    const { getKey, listKeys: getKeys } = keys.endpoints;
    const resources = [resource({ ...keys, endpoints: { getKey, getKeys } })];
    const twice = service({ name: "Keys", title: "Keys", versions: { v1: resources } });
    expect(() => addressesOf(twice)).toThrow("keys/get");
  });
});

test("the samples for changes iterate over the pages, including those for an application's clients", () => {
  const description: Description = JSON.parse(JSON.stringify(describeApi(api)));
  const operations = operationsOf({ ...description, info: { ...description.info, "x-client": "freight-client" } });
  const changes = operations.filter(({ id }) => id === "v1-list-key-changes");
  const samples = changes.flatMap((operation) => samplesOf(callOf(operation, exampleValues(operation))));
  const code = Object.fromEntries(samples.map(({ language, code }) => [language, code]));
  expect(code.ts).toContain('for await (const page of client.changes("/api/v1/key/changes")) {');
  expect(code.python).toContain("for item in client.list_key_changes():");
});

test("the samples with clients send every value that has been entered, or are left out", () => {
  const operations = operationsOf(JSON.parse(JSON.stringify(describeApi(api))));
  const pythonOf = (id: string, sent: Readonly<Record<string, string>>) => {
    const operation = operations.find((one) => one.id === id);
    if (!operation) return expect.fail();
    const values = { ...exampleValues(operation), ...sent };
    return samplesOf(callOf(operation, values)).find(({ language }) => language === "python")?.code;
  };
  expect(pythonOf("v1-list-key-changes", { "query.cursor": "C1", "query.limit": "5" })).toContain(
    'client.changes(cursor="C1", limit=5)',
  );
  expect(pythonOf("v1-list-keys", { "query.limit": "5" })).toContain("client.keys(limit=5)");
  expect(pythonOf("v1-list-keys", { "query.cursor": "C1" })).toBeUndefined();
  expect(pythonOf("v1-get-key", { "header.If-None-Match": '"E1"' })).toBeUndefined();
});

test.each([
  ["EXPIRED token", ["#2", "#1"]],
  ["token pages", []],
  ["guide", ["#1", "#3"]],
  ["more", ["#3-more"]],
  ["throttling", ["#3-more"]],
  ["constructor", []],
  ["  ", []],
])("the search for %j finds pages with every word, and lists matching titles first", (query, hrefs) => {
  const entries = [
    { title: "Errors", place: "Guide", parts: [{ href: "#1", text: "A token that has expired" }] },
    { title: "token_expired", place: "401 Unauthorized", parts: [{ href: "#2", text: "Ask an admin" }] },
    {
      title: "Lists",
      place: "Guide",
      parts: [
        { href: "#3", text: "Pages" },
        { href: "#3-more", text: "More about the rate limit" },
      ],
    },
  ];
  expect(find(entries, query).map(({ href }) => href)).toEqual(hrefs);
});

test.each([
  ["idempotency", "Retries and idempotency"],
  ["timeout", "Retries and idempotency"],
  ["upsert", "Retries and idempotency"],
  ["retry", "Retries and idempotency"],
  ["sandbox", "First call"],
  ["webhook", "Conditional requests"],
  ["polling", "Conditional requests"],
  ["ETag", "Conditional requests"],
  ["rate limit", "Rate limits"],
  ["throttling", "Rate limits"],
  ["429", "rate_limited"],
  ["401", "token_missing"],
  ["IPv6", "Authentication"],
  ["bearer", "First call"],
  ["pagination", "Lists and pages"],
  ["SDK", "Clients"],
  ["swagger", "First call"],
])("the search for %s finds %s among the first three results", async (query, title) => {
  const { site } = renderSite(JSON.parse(JSON.stringify(describeApi(api))), await guideChapters(api));
  const found = find(entriesOf(site), query);
  expect(found.slice(0, 3).map((result) => result.title)).toContain(title);
});
