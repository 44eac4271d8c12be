import { expect, test } from "vitest";
import { api } from "../../../lambdas/api.ts";
import { compareDescriptions } from "../../../tools/release/compare-descriptions.ts";
import { acceptedChanges, incompatibleWith, readRelease } from "../../../tools/release/release-folder.ts";
import { type Description, descriptionOf } from "../../kit/contract/description.ts";

const present = descriptionOf(api);

type Holder = Record<string, unknown>;

/** Returns the object that contains a path's last name, and that name. */
const find = (description: Description, path: string): [Holder, string] => {
  const names = path.split(" ");
  const last = names.pop() ?? "";
  return [names.reduce<unknown>((holder, name) => (holder as Holder)[name], description) as Holder, last];
};

const valueAt = (path: string): unknown => {
  const [holder, name] = find(present, path);
  return holder[name];
};

/** Returns the description with another value in one place. `undefined` removes the value. */
const changed = (path: string, value: unknown): Description => {
  const copy: Description = structuredClone(present);
  const [holder, name] = find(copy, path);
  if (value === undefined) delete holder[name];
  else holder[name] = value;
  return copy;
};

test("clients of the last release can use this version", async () => {
  const [accepted, release] = [await acceptedChanges(), await readRelease()];
  const unaccepted = compareDescriptions(release.description, present).filter(
    ({ place, change }) =>
      !accepted.some(({ placeEnds, changeBegins }) => place.endsWith(placeEnds) && change.startsWith(changeBegins)),
  );

  expect(unaccepted, incompatibleWith(release)).toEqual([]);
});

const list = "paths /api/v1/key get";
const create = "paths /api/v1/key post";
const token = "paths /api/v1/token";
const key = "components schemas Key";
const form = `${create} requestBody content application/x-www-form-urlencoded schema`;
const errorCodes = "components schemas Error properties code enum";
const codes = valueAt(errorCodes) as string[];
const parameters = valueAt(`${list} parameters`) as { name: string }[];
const owner = { name: "owner", in: "query", schema: { type: "string" } };

test.each<{ what: string; path: string; value: unknown; place?: string }>([
  { what: "a removed path", path: token, value: undefined },
  { what: "a new success", path: `${create} responses 202`, value: {} },
  { what: "a lost field", path: `${key} properties created_at`, value: undefined },
  { what: "an optional field", path: `${key} required`, value: ["key_id"], place: "schema required updated_at" },
  { what: "longer values", path: `${key} properties v_code maxLength`, value: 128 },
  { what: "a new required field", path: `${form} required`, value: ["owner"], place: `${form} required owner` },
  { what: "a narrower limit", path: `${form} properties key_id maxLength`, value: 9 },
  { what: "an enumeration", path: `${form} properties key_id enum`, value: ["1"] },
  {
    what: "a required parameter",
    path: `${list} parameters ${parameters.length}`,
    value: { ...owner, required: true },
    place: `${list} parameters query owner`,
  },
  { what: "a removed error code", path: errorCodes, value: codes.slice(1), place: `code enum ${codes[0]}` },
])("detects a breaking change: $what", ({ path, value, place = path.replace(key, "schema") }) => {
  const places = compareDescriptions(present, changed(path, value)).map((breakage) => breakage.place);

  expect(places.filter((found) => found.endsWith(place))).not.toEqual([]);
});

test("detects a new response value if all values were listed", () => {
  const values = `${key} properties key_id enum`;
  const places = compareDescriptions(changed(values, ["a"]), changed(values, ["a", "b"])).map(({ place }) => place);

  expect(places).toContain(
    "paths /api/v1/key/{key_id} get responses 200 content application/json schema properties key_id enum b",
  );
});

test.each<[string, string, unknown]>([
  ["a new path", "paths /api/v1/owner", valueAt(token)],
  ["a new method", "paths /api/v1/key put", valueAt(create)],
  ["a new field of a response", `${key} properties owner`, { type: "string" }],
  ["a new optional field of a request", `${form} properties owner`, { type: "string" }],
  ["a new optional parameter", `${list} parameters ${parameters.length}`, owner],
  ["a wider limit in a request", `${form} properties key_id maxLength`, 1_000],
  ["a narrower limit in a response", `${key} properties key_id maxLength`, 100],
  ["a new error code", errorCodes, [...codes, "owner_not_found"]],
  ["a new status of an error", `${create} responses 409`, valueAt(`${create} responses 400`)],
  ["other prose", `${create} description`, "Stores a key."],
])("accepts a change that clients can ignore: %s", (_, path, value) => {
  expect(compareDescriptions(present, changed(path, value))).toEqual([]);
});
