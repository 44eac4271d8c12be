import { describe, expect, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { type Description, descriptionOf } from "../../../tools/support/contract/description.ts";
import { compareDescriptions } from "../../../tools/upgrade/compare-descriptions.ts";
import { acceptedChanges, releasedDescription } from "../../../tools/upgrade/release-folder.ts";

const present = descriptionOf(api);

type Path = readonly (string | number)[];

/** What holds the last name of a path. */
const holderIn = (description: Description, path: Path): Record<string | number, unknown> => {
  let holder: unknown = description;
  for (const name of path.slice(0, -1)) holder = (holder as Record<string, unknown>)[name];
  return holder as Record<string | number, unknown>;
};

const valueAt = (...path: Path): unknown => holderIn(present, path)[path.at(-1) ?? ""];

/** The description with another value in one place; `undefined` removes what is there. */
const changed = (path: Path, value: unknown): Description => {
  const copy = structuredClone(present);
  const holder = holderIn(copy, path);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
};

test("clients of the last release can use this version", async () => {
  const breakages = compareDescriptions(await releasedDescription(), present);
  const accepted = await acceptedChanges();
  const unaccepted = breakages.filter(
    ({ place, change }) =>
      !accepted.some(({ placeEnds, changeBegins }) => place.endsWith(placeEnds) && change.startsWith(changeBegins)),
  );

  expect(unaccepted).toEqual([]);
});

const list: Path = ["paths", "/api/v1/key", "get"];
const create: Path = ["paths", "/api/v1/key", "post"];
const token: Path = ["paths", "/api/v1/token"];
const key: Path = ["components", "schemas", "Key"];
const form: Path = [...create, "requestBody", "content", "application/x-www-form-urlencoded", "schema"];
const errorCodes: Path = ["components", "schemas", "Error", "properties", "code", "enum"];
const codes = valueAt(...errorCodes) as string[];
const parameters = valueAt(...list, "parameters") as { name: string }[];
const limit = parameters.findIndex(({ name }) => name === "limit");
const owner = { name: "owner", in: "query", schema: { type: "string" } };
/** Where `Key` is read. */
const read = "GET /api/v1/key/{key_id} 200 body";

describe("a change that breaks clients is found", () => {
  test.each<[string, Path, unknown, string]>([
    ["a removed path", token, undefined, "GET /api/v1/token: has been removed"],
    ["a removed method", create, undefined, "POST /api/v1/key: has been removed"],
    ["a removed status", [...create, "responses", "200"], undefined, "POST /api/v1/key 200: has been removed"],
    ["a new success", [...create, "responses", "202"], {}, "POST /api/v1/key 202: is a new outcome"],
    ["a lost field", [...key, "properties", "created_at"], undefined, `${read}.created_at: has been removed`],
    ["an optional field", [...key, "required"], ["key_id"], `${read}.updated_at: is no longer always there`],
    ["another type", [...key, "properties", "key_id", "type"], "integer", `${read}.key_id: type has changed from "str`],
    [
      "another format",
      [...key, "properties", "updated_at", "format"],
      "date",
      `${read}.updated_at: format has changed`,
    ],
    ["a field that may be null", [...key, "properties", "key_id", "anyOf"], [{}], `${read}.key_id: anyOf has changed`],
    [
      "longer values",
      [...key, "properties", "v_code", "maxLength"],
      128,
      `${read}.v_code: maxLength has changed from 64`,
    ],
    ["a new required field", [...form, "required"], ["owner"], "POST /api/v1/key request body.owner: is now required"],
    ["a lost form field", [...form, "properties", "v_code"], undefined, "request body.v_code: has been removed"],
    [
      "a narrower limit",
      [...form, "properties", "key_id", "maxLength"],
      9,
      "body.key_id: maxLength has changed from 255",
    ],
    ["an enumeration", [...form, "properties", "key_id", "enum"], ["1"], "request body.key_id: enum has changed"],
    [
      "a required parameter",
      [...list, "parameters", parameters.length],
      { ...owner, required: true },
      "parameter owner: is now required",
    ],
    [
      "a narrower parameter",
      [...list, "parameters", limit, "schema", "maximum"],
      9,
      "limit: maximum has changed from 1000",
    ],
    ["no parameters", [...list, "parameters"], [], "GET /api/v1/key query parameter cursor: has been removed"],
    ["a removed error code", errorCodes, codes.slice(1), `body.code: no longer has the value "${codes[0]}"`],
    [
      "a removed header",
      [...create, "responses", "201", "headers", "Location"],
      undefined,
      "header Location: has been",
    ],
    [
      "another content type",
      [...create, "requestBody", "content"],
      {},
      "no longer has the type application/x-www-form",
    ],
    [
      "another header",
      ["components", "securitySchemes", "token", "name"],
      "A",
      "the API: the security scheme token has",
    ],
    ["another credential", [...token, "get", "security"], [], "GET /api/v1/token: security has changed"],
    ["another operation id", [...create, "operationId"], "v1-add", "POST /api/v1/key: operationId has changed"],
  ])("%s", (_, path, value, expected) => {
    const found = compareDescriptions(present, changed(path, value)).map(({ place, change }) => `${place}: ${change}`);

    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(expected)]));
  });
});

test("another value of a response is found where all values are listed", () => {
  const [before, after] = [["a"], ["a", "b"]].map((values) =>
    changed([...key, "properties", "key_id", "enum"], values),
  );

  expect(compareDescriptions(before ?? present, after ?? present)).toContainEqual({
    place: `${read}.key_id`,
    change: 'has the new value "b"',
  });
});

describe("a change that clients can ignore passes", () => {
  test.each<[string, Path, unknown]>([
    ["a new path", ["paths", "/api/v1/owner"], valueAt(...token)],
    ["a new method", ["paths", "/api/v1/key", "put"], valueAt(...create)],
    ["a new field of a response", [...key, "properties", "owner"], { type: "string" }],
    ["a new optional field of a request", [...form, "properties", "owner"], { type: "string" }],
    ["a new optional parameter", [...list, "parameters", parameters.length], owner],
    ["a wider limit in a request", [...form, "properties", "key_id", "maxLength"], 1_000],
    ["a narrower limit in a response", [...key, "properties", "key_id", "maxLength"], 100],
    ["a new error code", errorCodes, [...codes, "owner_not_found"]],
    ["a new status of an error", [...create, "responses", "409"], valueAt(...create, "responses", "400")],
    ["other prose", [...create, "description"], "Stores a key."],
  ])("%s", (_, path, value) => {
    expect(compareDescriptions(present, changed(path, value))).toEqual([]);
  });
});

test("a keyword that the comparison does not know is an error", () => {
  const unknown = changed([...key, "properties", "key_id", "contentEncoding"], "base64");

  expect(() => compareDescriptions(present, unknown)).toThrow("has the keyword contentEncoding");
});
