import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { describeOperation } from "../../../../infra/build/description/describe-operation.ts";
import { type Endpoint, endpoint } from "../../../../lambdas/declaration/endpoint.ts";
import type { Operation } from "../../../../lambdas/declaration/operations.ts";
import { text } from "../../../../lambdas/validation/fields.ts";

const name = text({ min: 1, max: 9 }).check(z.meta({ examples: ["Ada"] }));

const operationOf = (declared: Endpoint): Operation => ({
  endpoint: declared,
  version: "v1",
  deprecated: undefined,
  operationId: "putNote",
  path: "/api/v1/note/{name}",
  file: "lambdas/v1/put-note.ts",
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

const statusesOf = (declared: Endpoint) => Object.keys(describeOperation(operationOf(declared)).responses ?? {});

describe("a 404 is documented", () => {
  test("not for an endpoint that declares none: an invalid path is a 422", () => {
    expect(statusesOf(upsert)).not.toContain("404");
    expect(JSON.stringify(describeOperation(operationOf(upsert)).responses)).toContain(
      '"name":["The name must be 1 to 9 characters."]',
    );
  });

  test("for an endpoint that declares one", () => {
    expect(statusesOf({ ...upsert, errors: ["key_not_found"] })).toContain("404");
  });
});

describe("a declaration is refused with the endpoint and the field", () => {
  test("if a field of a response has no example", () => {
    const responses = { 200: { description: "The note.", body: z.object({ name, note: z.string() }) } };

    expect(() => describeOperation(operationOf({ ...upsert, responses }))).toThrow(
      "v1-put-note: response 200: note needs an example",
    );
  });

  test("if its example is not valid", () => {
    const example = { parameters: { name: "Ada" }, form: { word: "" } };

    expect(() => describeOperation(operationOf({ ...upsert, example }))).toThrow(
      /v1-put-note: the example's form .*The word must be 1 to 9 characters/,
    );
  });
});
