import { describe, expect, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { type Description, descriptionOf } from "../../../tools/support/contract/description.ts";
import { compareDescriptions } from "../../../tools/upgrade/compare-descriptions.ts";
import { acceptedChanges, releasedDescription } from "../../../tools/upgrade/release-folder.ts";

const present = descriptionOf(api);

/** The place in a description that a path of names leads to, and the last name. */
const find = (description: Description, path: readonly (string | number)[]) => {
  let holder: unknown = description;
  for (const name of path.slice(0, -1)) holder = (holder as Record<string, unknown>)[name];
  return { holder: holder as Record<string, unknown>, name: String(path.at(-1)) };
};

type Change = [path: (string | number)[], value: unknown];

/** The description with some places changed; `undefined` removes one. */
const changed = (...changes: Change[]): Description => {
  const copy = structuredClone(present);
  for (const [path, value] of changes) {
    const { holder, name } = find(copy, path);
    if (value === undefined) delete holder[name];
    else holder[name] = value;
  }
  return copy;
};

const valueAt = (...path: (string | number)[]): unknown => {
  const { holder, name } = find(present, path);
  return holder[name];
};

const key = "/api/v1/key";
const keyById = "/api/v1/key/{key_id}";
const schemas = ["components", "schemas"];
const form = ["paths", key, "post", "requestBody", "content", "application/x-www-form-urlencoded", "schema"];
const codes = valueAt(...schemas, "Error", "properties", "code", "enum") as string[];
const listParameters = valueAt("paths", key, "get", "parameters") as { name: string }[];
const limit = listParameters.findIndex(({ name }) => name === "limit");

test("clients of the last release can use this version", async () => {
  const breakages = compareDescriptions(await releasedDescription(), present);
  const accepted = await acceptedChanges();
  const unaccepted = breakages.filter(
    ({ place, change }) =>
      !accepted.some(({ placeEnds, changeBegins }) => place.endsWith(placeEnds) && change.startsWith(changeBegins)),
  );

  expect(unaccepted).toEqual([]);
});

describe("a change that breaks clients is found", () => {
  test.each<[string, Description, string]>([
    ["a removed path", changed([["paths", "/api/v1/token"], undefined]), "GET /api/v1/token: has been removed"],
    ["a removed method", changed([["paths", keyById, "put"], undefined]), `PUT ${keyById}: has been removed`],
    [
      "a removed status",
      changed([["paths", key, "post", "responses", "200"], undefined]),
      `POST ${key} 200: has been removed`,
    ],
    [
      "a new status of success",
      changed([["paths", key, "post", "responses", "202"], { description: "Later." }]),
      `POST ${key} 202: is a new outcome`,
    ],
    [
      "a removed field of a response",
      changed([[...schemas, "Key", "properties", "created_at"], undefined]),
      `GET ${keyById} 200 body.created_at: has been removed`,
    ],
    [
      "a field of a response that is optional now",
      changed([
        [...schemas, "Key", "required"],
        ["key_id", "v_code", "created_at"],
      ]),
      `GET ${keyById} 200 body.updated_at: is no longer always there`,
    ],
    [
      "another type of a field",
      changed([[...schemas, "Key", "properties", "key_id", "type"], "integer"]),
      `GET ${keyById} 200 body.key_id: type has changed from "string" to "integer"`,
    ],
    [
      "another format of a field",
      changed([[...schemas, "Key", "properties", "updated_at", "format"], "date"]),
      `GET ${keyById} 200 body.updated_at: format has changed from "date-time" to "date"`,
    ],
    [
      "a field that may be null now",
      changed([[...schemas, "Token", "properties", "issued_at"], { anyOf: [{ type: "string" }, { type: "null" }] }]),
      "GET /api/v1/token 200 body.issued_at: anyOf has changed",
    ],
    [
      "longer values in a response",
      changed([[...schemas, "Key", "properties", "v_code", "maxLength"], 128]),
      `GET ${keyById} 200 body.v_code: maxLength has changed from 64 to 128`,
    ],
    [
      "a new required field in a request",
      changed([
        [...form, "required"],
        ["key_id", "v_code", "owner"],
      ]),
      `POST ${key} request body.owner: is now required`,
    ],
    [
      "a removed field of a request",
      changed([[...form, "properties", "v_code"], undefined]),
      `POST ${key} request body.v_code: has been removed`,
    ],
    [
      "a narrower limit in a request",
      changed([[...form, "properties", "key_id", "maxLength"], 100]),
      `POST ${key} request body.key_id: maxLength has changed from 255 to 100`,
    ],
    [
      "a new required parameter",
      changed([
        ["paths", key, "get", "parameters", listParameters.length],
        { name: "owner", in: "query", required: true, schema: { type: "string" } },
      ]),
      `GET ${key} query parameter owner: is now required`,
    ],
    [
      "a narrower limit of a parameter",
      changed([["paths", key, "get", "parameters", limit, "schema", "maximum"], 100]),
      `GET ${key} query parameter limit: maximum has changed from 1000 to 100`,
    ],
    [
      "a removed parameter",
      changed([["paths", key, "get", "parameters"], listParameters.filter(({ name }) => name !== "cursor")]),
      `GET ${key} query parameter cursor: has been removed`,
    ],
    [
      "an enumeration of what was any text",
      changed([
        [...form, "properties", "key_id", "enum"],
        ["1", "2"],
      ]),
      `POST ${key} request body.key_id: enum has changed`,
    ],
    [
      "a removed error code",
      changed([[...schemas, "Error", "properties", "code", "enum"], codes.filter((code) => code !== "token_revoked")]),
      '401 body.code: no longer has the value "token_revoked"',
    ],
    [
      "a removed header",
      changed([["paths", key, "post", "responses", "201", "headers", "Location"], undefined]),
      `POST ${key} 201 header Location: has been removed`,
    ],
    [
      "another type of content",
      changed([["paths", key, "post", "requestBody", "content"], { "application/json": { schema: {} } }]),
      `POST ${key} request: no longer has the type application/x-www-form-urlencoded`,
    ],
    [
      "another header for the token",
      changed([["components", "securitySchemes", "token", "name"], "Authorization"]),
      "the API: the security scheme token has changed",
    ],
    [
      "another credential of a call",
      changed([["paths", "/api/v1/token", "get", "security"], [{ invitation: [] }]]),
      "GET /api/v1/token: security has changed",
    ],
    [
      "another operation id",
      changed([["paths", key, "post", "operationId"], "v1-add-key"]),
      `POST ${key}: operationId has changed`,
    ],
  ])("%s", (_, description, expected) => {
    const found = compareDescriptions(present, description).map(({ place, change }) => `${place}: ${change}`);

    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});

describe("a change that clients can ignore passes", () => {
  test.each<[string, Description]>([
    ["a new path", changed([["paths", "/api/v1/owner"], valueAt("paths", "/api/v1/token")])],
    ["a new method", changed([["paths", key, "put"], valueAt("paths", key, "post")])],
    ["a new field of a response", changed([[...schemas, "Key", "properties", "owner"], { type: "string" }])],
    ["a new optional field of a request", changed([[...form, "properties", "owner"], { type: "string" }])],
    [
      "a new optional parameter",
      changed([
        ["paths", key, "get", "parameters", listParameters.length],
        { name: "owner", in: "query", schema: { type: "string" } },
      ]),
    ],
    ["a wider limit in a request", changed([[...form, "properties", "key_id", "maxLength"], 1_000])],
    ["a narrower limit in a response", changed([[...schemas, "Key", "properties", "key_id", "maxLength"], 100])],
    [
      "a new error code",
      changed([
        [...schemas, "Error", "properties", "code", "enum"],
        [...codes, "owner_not_found"],
      ]),
    ],
    [
      "a new status of an error",
      changed([["paths", key, "post", "responses", "409"], valueAt("paths", key, "post", "responses", "400")]),
    ],
    ["other prose", changed([["paths", key, "post", "description"], "Stores a key."])],
  ])("%s", (_, description) => {
    expect(compareDescriptions(present, description)).toEqual([]);
  });
});

test("a keyword that the comparison does not know is an error", () => {
  const unknown = changed([[...schemas, "Key", "properties", "key_id", "contentEncoding"], "base64"]);

  expect(() => compareDescriptions(present, unknown)).toThrow("has the keyword contentEncoding");
});
