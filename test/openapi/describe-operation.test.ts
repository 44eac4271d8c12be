import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, endpoint } from "../../lambdas/declaration/endpoint.ts";
import type { Operation } from "../../lambdas/declaration/operations.ts";
import { text, wholeNumber } from "../../lambdas/shared/validation/fields.ts";
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

test("names the conditions that an endpoint follows, with no example of one that only new records satisfy", () => {
  const headersOf = (fields: object) => {
    const { requestParams } = describeOperation(operationOf({ ...upsert, ...fields }), []);
    return z.toJSONSchema(z.looseObject(Object(requestParams?.header)._zod?.def.shape ?? {})).properties;
  };
  const conditional = { errors: ["precondition_failed"] };
  expect(headersOf({ uses: { notes: ["put"] } })).toEqual({});
  expect(headersOf({ ...conditional, uses: { notes: ["update"] } })).toEqual({
    "If-Match": expect.objectContaining({ examples: ["*"] }),
  });
  expect(headersOf({ ...conditional, uses: { notes: ["put"] } })).toEqual({
    "If-Match": expect.objectContaining({ examples: ["*"] }),
    "If-None-Match": expect.not.objectContaining({ examples: expect.anything() }),
  });
});

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
    expect.stringMatching(/^v1-put-note: response 200: words.word needs an example/),
  ]);
});

test("names the endpoint of JSON that Lambda would not accept", () => {
  const jsonBytes = 4 * 1024 * 1024;
  expect(problemsOf({ ...upsert, jsonBytes })).toEqual([]);
  expect(problemsOf({ ...upsert, jsonBytes: jsonBytes + 1 })).toEqual([
    "v1-put-note: jsonBytes may be at most 4194304.",
  ]);
});

test.for<[number, object, string]>([
  [
    200,
    { media: "application/json" },
    "has the media type application/json. Declare JSON as a body, and no parameters.",
  ],
  [200, { media: "text/csv; charset=utf-8" }, "has the media type text/csv; charset=utf-8."],
  [200, { media: "multipart/mixed" }, "has the media type multipart/mixed."],
  [200, { media: "text/csv", body: name }, "can have a body or a media type, but not both."],
  [200, { media: "text/csv", paged: true }, "cannot be paged, because its body is not JSON."],
  [200, { body: name, fileName: "a.csv" }, "can have a fileName only with a media type."],
  [200, { media: "text/csv", fileName: 'a"; b=".csv' }, "has the fileName"],
  [200, { media: "text/csv", fileName: "../a.csv" }, "has the fileName"],
  [200, { headers: { "set-COOKIE": name } }, "has the header set-COOKIE, which only the service itself sets."],
  [200, { headers: { "Access-Control-Allow-Origin": name } }, "has the header Access-Control-Allow-Origin, which"],
  [200, { headers: { "X-A": name, "x-a": name } }, "has a header twice."],
  [200, { headers: { "X-A:": name } }, "has a header named X-A:."],
  [200, { headers: { "X-A": z.string() } }, "X-A needs an example"],
  [200, { location: { origins: ["https://a.example"] } }, "can name origins only if its status is 303."],
  [303, {}, "needs a location."],
  [303, { location: { origins: ["https://a.example/"] } }, "has an origin that is not like https://labels.example."],
  [303, { location: { origins: ["https://*.example"] } }, "has an origin"],
  [303, { location: { origins: ["http://a.example"] } }, "has an origin"],
  [302, { location: true }, "must have one of the statuses 200"],
  [404, {}, "must have one of the statuses 200"],
  [204, { body: name }, "cannot have a body."],
  [
    200,
    { body: z.object({ at: z.pipe(name, name) }) },
    "cannot be sent. A response cannot have a schema of the type pipe",
  ],
])("names the mistake in a response %i with %o", ([status, declared, problem]) => {
  const problems = problemsOf({ ...upsert, responses: { [status]: { description: "It.", ...declared } } });
  expect(problems).toEqual([expect.stringMatching(`^v1-put-note: response ${status}:? ${RegExp.escape(problem)}`)]);
});

test("describes headers, media types and redirects", () => {
  const total = wholeNumber({ min: 0, max: 9 }).check(z.meta({ description: "How many.", examples: [2] }));
  const described = responsesOf({
    ...upsert,
    responses: {
      200: { description: "A table.", media: "text/csv", headers: { "X-Total": total, "X-Name": z.optional(name) } },
      201: { description: "A picture.", media: "image/png" },
      303: { description: "Elsewhere.", location: { origins: ["https://a.example"] } },
    },
  });
  expect(described).toMatchObject({
    200: {
      headers: {
        "X-Total": { description: "How many.", required: true, schema: { type: "integer", maximum: 9 }, example: 2 },
        "X-Name": { required: false, schema: { type: "string", maxLength: 9 }, example: "Ada" },
      },
      content: { "text/csv": { schema: { type: "string" } } },
    },
    201: {
      description: "A picture. The body has the type `image/png`.",
      content: { "image/png": { schema: { type: "string", format: "binary" } } },
    },
    303: { headers: { Location: { required: true, description: expect.stringContaining("https://a.example") } } },
  });
});
