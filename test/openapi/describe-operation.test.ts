import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, endpoint } from "../../lambdas/declaration/endpoint.ts";
import type { Operation } from "../../lambdas/declaration/operations.ts";
import { text } from "../../lambdas/shared/validation/fields.ts";
import { describeOperation } from "../../openapi/describe-operation.ts";

const name = text({ min: 1, max: 9 }).check(z.meta({ examples: ["Ada"] }));

const operationOf = (declared: Endpoint): Operation => ({
  endpoint: declared,
  version: "v1",
  resource: { name: "notes", folder: "v1", endpoints: {} },
  deprecated: undefined,
  operationId: "putNote",
  path: "/api/v1/note/{name}",
  file: "v1/put-note",
  functionName: "v1-put-note",
});

/** An endpoint that creates or replaces the resource in its path. */
const upsert = endpoint({
  method: "PUT",
  path: "/note/{name}",
  summary: "Store a note",
  description: "Stores a note under a name.",
  uses: {},
  parameters: z.object({ name }),
  form: z.object({ word: name }),
  responses: { 200: { description: "The note.", body: z.object({ name }) } },
  example: { parameters: { name: "Ada" }, form: { word: "Ada" } },
  handler: async ({ parameters }) => ({ status: 200, body: parameters }),
});

test.each([
  ["notes", "Notes (v1)"],
  ["categories", "Categories (v1)"],
  ["gift-cards", "Gift cards (v1)"],
])("lists an endpoint under the name of its resource, %s: %s", (resource, tag) => {
  const operation = operationOf(upsert);
  expect(describeOperation({ ...operation, resource: { ...operation.resource, name: resource } }, []).tags).toEqual([
    tag,
  ]);
});

const responsesOf = (declared: Endpoint) => describeOperation(operationOf(declared), []).responses ?? {};
const statusesOf = (declared: Endpoint) => Object.keys(responsesOf(declared));
const problemsOf = (declared: Endpoint): string[] => {
  const problems: string[] = [];
  describeOperation(operationOf(declared), problems);
  return problems;
};

describe("a 404 in the documentation", () => {
  test("is absent for an endpoint that declares none: an invalid path is a 422", () => {
    expect(statusesOf(upsert)).not.toContain("404");
    expect(JSON.stringify(responsesOf(upsert))).toContain('"name":["The name must be 1 to 9 characters."]');
  });

  test("is present for an endpoint that declares one", () => {
    expect(statusesOf({ ...upsert, errors: ["key_not_found"] })).toContain("404");
  });
});

test("names the endpoint of each field without an example and of each invalid example", () => {
  const body = z.object({ name, note: z.string(), words: z.array(z.object({ word: z.string() })) });
  const responses = { 200: { description: "The note.", body } };
  const example = { parameters: { name: "Ada" }, form: { word: "" } };

  const problems = problemsOf({ ...upsert, responses, example });

  expect(problems).toEqual([
    expect.stringMatching(/^v1-put-note: the example's form .*The word must be 1 to 9 characters/),
    expect.stringMatching(/^v1-put-note: response 200: note needs an example/),
    expect.stringMatching(/^v1-put-note: response 200: words: word needs an example/),
  ]);
});
