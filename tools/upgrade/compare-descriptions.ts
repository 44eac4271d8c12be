import { isDeepStrictEqual } from "node:util";
import { type Description, resolve } from "../support/contract/description.ts";

/** A change that can break a client. */
interface Breakage {
  /** `POST /api/v1/key request body.key_id` */
  place: string;
  change: string;
}

/** Who writes the values: clients or the service. Clients must expect new codes in errors. */
type Direction = "request" | "response" | "error response";

/** Finds what breaks a client between two versions of one part of a description. */
type Rule = (place: string, was: unknown, is: unknown, direction: Direction) => Breakage[];

/**
 * Finds the changes from a released description to the present one that can break a client which was written for the released
 * one. Additions that a client can ignore do not count: operations, security schemes, optional parameters and fields of
 * requests, fields and headers of responses, error statuses and error codes.
 *
 * @throws {Error} for a keyword of a schema that it does not know, rather than ignoring it.
 */
export const compareDescriptions = (released: Description, present: Description): Breakage[] => {
  const [was, is] = [released, present].map((each) => partsOf(strip(dereference(each, each), false)));
  const schemes = [was, is].map((each) => partsOf(partsOf(each?.components).securitySchemes));
  return [
    ...["servers", "security"].flatMap((name) => exact(name)("the API", was?.[name], is?.[name], "request")),
    ...Object.entries(schemes[0] ?? {}).flatMap(([name, scheme]) =>
      exact(`the security scheme ${name}`)("the API", scheme, schemes[1]?.[name], "request"),
    ),
    ...named(operation, (_, name) => name)("", callsOf(was?.paths), callsOf(is?.paths), "request"),
  ];
};

const partsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const callsOf = (paths: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(partsOf(paths)).flatMap(([path, methods]) =>
      Object.entries(partsOf(methods)).map(([method, call]) => [`${method.toUpperCase()} ${path}`, call]),
    ),
  );

/** Any change may break a client. */
const exact =
  (what: string): Rule =>
  (place, was, is) =>
    isDeepStrictEqual(was, is) ? [] : [{ place, change: changeOf(what, was, is) }];

const changeOf = (what: string, was: unknown, is: unknown): string =>
  `${what} has changed from ${JSON.stringify(was) ?? "nothing"} to ${JSON.stringify(is) ?? "nothing"}`;

/** Parts that the API has named itself: a client may need each of them. */
const named =
  (rule: Rule, placeOf: (place: string, name: string) => string): Rule =>
  (place, was, is, direction) =>
    Object.entries(partsOf(was)).flatMap(([name, part]) => {
      const where = placeOf(place, name);
      const now = partsOf(is)[name];
      return now === undefined ? [{ place: where, change: "has been removed" }] : rule(where, part, now, direction);
    });

/** An object of which only these parts matter. */
const parts =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (place, was, is, direction) =>
    Object.entries(rules).flatMap(([name, rule]) => rule(place, partsOf(was)[name], partsOf(is)[name], direction));

const schema: Rule = (place, was, is, direction) => {
  const [released, present] = [partsOf(was), partsOf(is)];
  return Object.keys({ ...released, ...present }).flatMap((keyword) => {
    const rule = keywords[keyword];
    if (!rule) throw new Error(`${place} has the keyword ${keyword}: teach compare-descriptions.ts to compare it.`);
    return rule(place, released[keyword], present[keyword], direction);
  });
};

const parameters: Rule = (place, was, is) => {
  const byName = (list: unknown) =>
    Object.fromEntries(listOf(list).map((one) => [`${partsOf(one).in} parameter ${partsOf(one).name}`, one]));
  const [released, present] = [byName(was), byName(is)];
  return [
    ...Object.keys(present)
      .filter((name) => partsOf(present[name]).required && !partsOf(released[name]).required)
      .map((name) => ({ place: `${place} ${name}`, change: "is now required" })),
    ...named(parts({ schema }), (_, name) => `${place} ${name}`)(place, released, present, "request"),
  ];
};

const content: Rule = (place, was, is, direction) => {
  if (was === undefined) return is === undefined ? [] : [{ place, change: "now has a body" }];
  return Object.entries(partsOf(was)).flatMap(([type, body]) => {
    const now = partsOf(is)[type];
    if (now === undefined) return [{ place, change: `no longer has the type ${type}` }];
    return parts({ schema })(`${place} body`, body, now, direction);
  });
};

const requestBody: Rule = (operationPlace, was, is) => {
  const place = `${operationPlace} request`;
  if (was !== undefined && is === undefined) return [{ place, change: "no longer has a body" }];
  const isNeeded = partsOf(is).required && !partsOf(was).required;
  return [
    ...(isNeeded ? [{ place, change: "now needs a body" }] : []),
    ...(was === undefined ? [] : parts({ content })(place, was, is, "request")),
  ];
};

const header: Rule = (place, was, is, direction) => [
  ...(partsOf(was).required && !partsOf(is).required ? [{ place, change: "is no longer always sent" }] : []),
  ...parts({ schema })(place, was, is, direction),
];

const response = parts({ headers: named(header, (place, name) => `${place} header ${name}`), content });

const responses: Rule = (place, was, is) => {
  const isError = (status: string) => Number(status) >= 400;
  const added = Object.keys(partsOf(is)).filter((status) => !isError(status) && !(status in partsOf(was)));
  return [
    ...added.map((status) => ({
      place: `${place} ${status}`,
      change: "is a new outcome that released clients do not know",
    })),
    ...Object.entries(partsOf(was)).flatMap(([status, before]) => {
      const direction = isError(status) ? "error response" : "response";
      return named(response, () => `${place} ${status}`)(place, { [status]: before }, is, direction);
    }),
  ];
};

// Generated clients name their functions after the operationId.
const operation = parts({
  operationId: exact("operationId"),
  security: exact("security"),
  parameters,
  requestBody,
  responses,
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** In a request a limit may be loosened, in a response tightened. */
const limit =
  (keyword: string, none: number): Rule =>
  (place, was, is, direction) => {
    const grows = Number(is ?? none) > Number(was ?? none);
    const isTighter = none < 0 ? grows : !grows;
    return was === is || isTighter === (direction !== "request") ? [] : [{ place, change: changeOf(keyword, was, is) }];
  };

const enumeration: Rule = (place, was, is, direction) => {
  if (!Array.isArray(was) || !Array.isArray(is)) return exact("enum")(place, was, is, direction);
  const removed = was.filter((value) => !is.includes(value));
  const added = direction === "response" ? is.filter((value) => !was.includes(value)) : [];
  return [
    ...removed.map((value) => ({ place, change: `no longer has the value ${JSON.stringify(value)}` })),
    ...added.map((value) => ({ place, change: `has the new value ${JSON.stringify(value)}` })),
  ];
};

const required: Rule = (place, was, is, direction) => {
  const isRequest = direction === "request";
  const [from, to] = isRequest ? [listOf(is), listOf(was)] : [listOf(was), listOf(is)];
  const change = isRequest ? "is now required" : "is no longer always there";
  return from.filter((name) => !to.includes(name)).map((name) => ({ place: `${place}.${name}`, change }));
};

const isSchema = (value: unknown): boolean => typeof value === "object" && value !== null;

const nested =
  (suffix: string): Rule =>
  (place, was, is, direction) =>
    (isSchema(was) && isSchema(is) ? schema : exact("the schema"))(`${place}${suffix}`, was, is, direction);

const alternatives: Rule = (place, was, is, direction) => {
  const [released, present] = [listOf(was), listOf(is)];
  if (released.length !== present.length) return exact("anyOf")(place, was, is, direction);
  return released.flatMap((one, index) => schema(place, one, present[index], direction));
};

const rulesFor = (names: readonly string[], rule: (name: string) => Rule): Record<string, Rule> =>
  Object.fromEntries(names.map((name) => [name, rule(name)]));

/** How each keyword of a schema is compared. */
const keywords: Readonly<Record<string, Rule>> = {
  ...rulesFor(["type", "const", "format", "pattern", "default", "multipleOf", "uniqueItems"], exact),
  ...rulesFor(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"], (name) =>
    limit(name, Number.NEGATIVE_INFINITY),
  ),
  ...rulesFor(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"], (name) =>
    limit(name, Number.POSITIVE_INFINITY),
  ),
  enum: enumeration,
  properties: named(schema, (place, name) => `${place}.${name}`),
  required,
  items: nested("[]"),
  anyOf: alternatives,
  // Clients must ignore fields that they do not know, so whether an object is closed does not matter to them.
  additionalProperties: (place, was, is, direction) => (isSchema(was) ? nested(".*")(place, was, is, direction) : []),
};

/** A part of a description with all references replaced by what they refer to. */
const dereference = (description: Description, part: unknown): unknown => {
  if (Array.isArray(part)) return part.map((item) => dereference(description, item));
  if (typeof part !== "object" || part === null) return part;
  const target = resolve<object>(description, part);
  return Object.fromEntries(Object.entries(target).map(([name, value]) => [name, dereference(description, value)]));
};

const prose = new Set(["summary", "description", "example", "examples", "tags", "title", "license", "deprecated"]);

/** The objects under these names contain names that the API has chosen, such as fields. */
const namesBelow = new Set(["properties", "headers", "schemas", "responses", "paths", "securitySchemes", "content"]);

/** A description without the parts that only people read: a client can depend on the rest. */
export const withoutProse = (description: Description): Description => strip(description, false) as Description;

const strip = (part: unknown, areNames: boolean): unknown => {
  if (Array.isArray(part)) return part.map((item) => strip(item, false));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => areNames || !prose.has(name))
      .map(([name, value]) => [name, strip(value, !areNames && namesBelow.has(name))]),
  );
};
