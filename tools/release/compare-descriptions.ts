import { isDeepStrictEqual } from "node:util";
import { type Description, resolve } from "../../test/kit/contract/description.ts";

/** A change that can break a client. */
export interface Breakage {
  /** Such as `paths /api/v1/key post requestBody content application/json schema properties key_id maxLength`. */
  place: string;
  change: string;
}

/**
 * Finds the changes between a released description and the present one that can break a client of the released one. All changes
 * count, except those in the list below.
 */
export const compareDescriptions = (released: Description, present: Description): Breakage[] =>
  differences(comparable(released), comparable(present))
    .filter((difference) => !isHarmless(difference))
    .map(({ place, was, is }) => ({ place, change: `from ${textOf(was)} to ${textOf(is)}` }));

interface Difference {
  place: string;
  /** `undefined` if there was nothing. */
  was: unknown;
  is: unknown;
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const isAdded = ({ was }: Difference): boolean => was === undefined;
const isOptional = ({ was, is }: Difference): boolean => was === undefined && isObject(is) && is.required !== true;
const isRemoved = ({ is }: Difference): boolean => is === undefined;
const isTighter = ({ place, was, is }: Difference): boolean => tightness(place, is) > tightness(place, was);

const tightness = (place: string, limit: unknown): number => {
  if (limit === undefined) return Number.NEGATIVE_INFINITY;
  return / (min|exclusiveMin)\w+$/.test(place) ? Number(limit) : -Number(limit);
};

/** Matches a keyword of a schema within a part of the description, but not a field of the same name. */
const within = (part: string, keyword: string): RegExp => new RegExp(` ${part} (.* )?(?<! properties )${keyword}$`);

const request = "(requestBody|parameters)";
const limit = "(min|max|exclusiveMin|exclusiveMax)(imum|Length|Items|Properties)";

/** The changes that do not affect clients, because clients ignore fields, headers and errors that they do not know. */
const harmless: [RegExp, (difference: Difference) => boolean][] = [
  [/^paths \S+( \w+)?$/, isAdded],
  [/^components securitySchemes \S+$/, isAdded],
  [/ (properties|headers|content) \S+$/, isAdded],
  [/ parameters \w+ \S+$/, isOptional],
  [/ requestBody$/, isOptional],
  [within(request, "required( \\S+)?"), isRemoved],
  [within(request, "enum \\S+"), isAdded],
  [within(request, limit), (difference) => !isTighter(difference)],
  [/ responses [45]\d\d$/, isAdded],
  [within("responses [345]\\d\\d", "enum \\S+"), isAdded],
  [within("responses", "required( \\S+)?"), isAdded],
  [within("responses", limit), isTighter],
];

const isHarmless = (difference: Difference): boolean =>
  harmless.some(([places, isAllowed]) => places.test(difference.place) && isAllowed(difference));

/** Missing and empty values of these are equivalent. */
const lists = / (properties|parameters|headers|required)$/;

/** Returns the outermost parts that differ. */
const differences = (was: unknown, is: unknown, place = ""): Difference[] => {
  const [before, after] = lists.test(place) ? [was ?? {}, is ?? {}] : [was, is];
  if (!isObject(before) || !isObject(after)) return isDeepStrictEqual(was, is) ? [] : [{ place, was, is }];
  return Object.keys({ ...before, ...after }).flatMap((name) =>
    differences(before[name], after[name], place === "" ? name : `${place} ${name}`),
  );
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const prose = new Set(["summary", "description", "example", "examples", "tags", "title", "deprecated"]);

/** The objects under these names contain names that the API has chosen, such as fields. */
const namesBelow = new Set(["properties", "headers", "responses", "paths", "securitySchemes", "content"]);

/**
 * Simplifies a description: resolves references, removes texts for people, and turns lists whose order does not matter into objects
 * by name.
 */
const comparable = (description: Description): unknown => {
  const withoutLists = (name: string, values: readonly unknown[]): unknown => {
    if (name === "required" || name === "enum") return Object.fromEntries(values.map((value) => [String(value), true]));
    if (name === "anyOf") return { ...values.map((value) => without(value)) };
    if (name !== "parameters") return values;
    const parameters = values.map((value) => without(value) as { in: string; name: string });
    return Object.fromEntries(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  };
  const without = (value: unknown, name = "", areNames = false): unknown => {
    if (Array.isArray(value)) return withoutLists(name, value);
    if (!isObject(value)) return value;
    const parts = Object.entries(resolve<object>(description, value));
    const kept = parts.filter(([key, part]) => areNames || !(prose.has(key) || isUsual(key, part)));
    return Object.fromEntries(
      kept.map(([key, part]) => [key, without(part, areNames ? "" : key, !areNames && namesBelow.has(key))]),
    );
  };
  const { paths, components, ...others } = { servers: [], security: [], ...description };
  const { servers, security } = others;
  return without({ servers, security, paths, components: { securitySchemes: components.securitySchemes } });
};

/** Checks whether a value is equivalent to a missing one. Clients do not depend on whether an object is closed. */
const isUsual = (name: string, value: unknown): boolean =>
  (name === "required" && value === false) || (name === "additionalProperties" && typeof value === "boolean");
