import { fileURLToPath } from "node:url";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { describeApi } from "../../openapi/describe-api.ts";
import { twoVersions } from "../fixtures/two-versions/api.ts";
import { descriptionOf, type Holder } from "../kit/contract/description.ts";
import { schemasOf } from "../kit/contract/schemas.ts";

const config = await loadConfig({ configPath: fileURLToPath(new URL("./redocly.yaml", import.meta.url)) });

const lint = async (description: object): Promise<string[]> => {
  const problems = await lintFromString({ source: JSON.stringify(description), absoluteRef: "api-docs.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
};

/** Returns every object in a description by its path, except those in examples. */
const partsOf = (part: unknown, place = ""): { place: string; part: Partial<Holder> }[] => {
  if (typeof part !== "object" || part === null) return [];
  const children = Object.entries(part).filter(([name]) => !name.startsWith("example"));
  return [{ place, part }, ...children.flatMap(([name, child]) => partsOf(child, `${place}/${name}`))];
};

/** Returns the examples in a part, each with its schema. In a schema, `examples` is an array of values. */
const examplesIn = (part: Partial<Holder>): { schema: object; value: unknown }[] => {
  const { schema = {}, example, examples = {} } = part;
  if (Array.isArray(examples)) return examples.map((value) => ({ schema: part, value }));
  const values = Object.values(examples).map(({ value }) => value);
  return [...values, ...(example === undefined ? [] : [example])].map((value) => ({ schema, value }));
};

describe.each([
  ["of the API", descriptionOf(api)],
  ["of an API with a deprecated version", descriptionOf(twoVersions)],
])("the description %s", (_, description) => {
  test("passes the linter without findings", async () => {
    expect(await lint(description)).toEqual([]);
  });

  test("has only examples that match their schemas", () => {
    const problemsOf = schemasOf(description);
    const examples = partsOf(description).flatMap(({ place, part }) =>
      examplesIn(part).map((example) => ({ place, ...example })),
    );

    expect(examples.length).toBeGreaterThan(40);
    const problems = examples.flatMap(({ place, schema, value }) =>
      problemsOf(schema, value).map((problem) => `${place}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  test("has an example for every body", () => {
    const bodies = partsOf(description).filter(({ place }) => /\/content\/application\/[^/]+$/.test(place));

    expect(bodies.length).toBeGreaterThan(20);
    expect(bodies.filter(({ part }) => examplesIn(part).length === 0)).toEqual([]);
  });
});

test("the description explains every error that clients can get, and no errors that only admins or operators get", () => {
  const { "x-errors": explained } = describeApi(api);

  expect(Object.keys(explained)).toContain("token_expired");
  expect(Object.keys(explained)).not.toContain("documentation_missing");
  expect(Object.keys(explained)).not.toContain("sign_in_required");
  expect(JSON.stringify(describeApi(api))).not.toContain("documentation_missing");
});

test.each([
  ["without a license", { info: { title: "An API", version: "1" } }, "license"],
  ["that is no OpenAPI", { paths: { "/api/v1/key": { get: { responses: [] } } } }, "/responses"],
])("the linter rejects a description %s", async (_, flaw, finding) => {
  expect(await lint({ ...descriptionOf(api), ...flaw })).toContainEqual(expect.stringContaining(finding));
});

test("the description lists the allowed characters of a key_id wherever a client sends one", () => {
  const inRequests = partsOf(descriptionOf(api))
    .filter(({ place }) => /\/(requestBody\/.*\/key_id|parameters\/\d+\/schema)$/.test(place))
    .map(({ part }) => part as { pattern?: string; maxLength?: number })
    .filter(({ maxLength }) => maxLength === 255);

  const declared = operationsOf(api).flatMap(({ endpoint: { parameters, form } }) =>
    [parameters, form].filter((schema) => schema && "key_id" in schema._zod.def.shape),
  );
  expect(declared).not.toEqual([]);
  expect(inRequests.map(({ pattern }) => pattern)).toEqual(declared.map(() => "^(?!(?:\\.{1,2}|changes)$)[^%?]*$"));
});
