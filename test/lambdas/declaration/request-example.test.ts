import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { requestExampleOf } from "../../../lambdas/declaration/request-example.ts";
import { sentWholeNumber } from "../../../lambdas/shared/validation/fields.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";

const text = z.string().check(z.meta({ examples: ["Ada"] }));
const seconds = sentWholeNumber({ min: 5, max: 9, description: "" });
const { example: _, ...withoutExample } = getKey;
const endpoint: Endpoint = {
  ...withoutExample,
  parameters: z.object({ id: text }),
  query: z.object({ after: z.optional(text), seconds }),
  form: z.object({ name: text, seconds: z.optional(seconds) }),
};

test("an example is derived from the schemas, with strings in forms and without optional query parameters", () => {
  const form = { name: "Ada", seconds: "5" };
  expect(requestExampleOf(endpoint)).toEqual({ parameters: { id: "Ada" }, query: { seconds: "5" }, form });
});

test("a declared part of an example replaces what its schema would give", () => {
  const json = z.object({ lines: z.array(z.object({ sku: text })) });
  const { form: __, ...jsonEndpoint } = { ...endpoint, json, example: { parameters: { id: "Eve" } } };
  expect(requestExampleOf(jsonEndpoint)).toMatchObject({
    parameters: { id: "Eve" },
    json: { lines: [{ sku: "Ada" }] },
  });
  const example = { json: { lines: [] } };
  expect(requestExampleOf({ ...jsonEndpoint, example })).toMatchObject(example);
});
