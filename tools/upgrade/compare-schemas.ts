import { isDeepStrictEqual } from "node:util";
import { type Description, resolve } from "../support/contract/description.ts";

/** A change that can break a client. */
export interface Breakage {
  /** `POST /api/v1/key request body.key_id` */
  place: string;
  change: string;
}

export interface Schemas {
  released: Description;
  present: Description;
}

interface Options extends Schemas {
  /** Who writes the values: clients or the service. Clients must expect new codes in errors. */
  direction: "request" | "response" | "error response";
}

type Schema = Record<string, unknown>;

/** Limits from below and from above. */
const lowerLimits = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const upperLimits = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
/** Keywords whose values cannot be compared further: any change may break a client. */
const exact = new Set(["type", "const", "format", "pattern", "default", "multipleOf", "uniqueItems"]);
const prose = new Set(["description", "title", "example", "examples", "deprecated"]);

/**
 * Finds what breaks a client between two schemas: in a request, a value that is no longer accepted; in a response, a value
 * that was never sent before, or a field that is missing.
 *
 * @throws {Error} for a keyword that it does not know, rather than ignoring it.
 */
export const compareSchemas = (place: string, before: object, after: object, options: Options): Breakage[] => {
  const released: Schema = { ...resolve<object>(options.released, before) };
  const present: Schema = { ...resolve<object>(options.present, after) };
  const keywords = new Set([...Object.keys(released), ...Object.keys(present)]);
  return [...keywords].flatMap((keyword) => {
    if (prose.has(keyword)) return [];
    const [was, is] = [released[keyword], present[keyword]];
    if (lowerLimits.has(keyword) || upperLimits.has(keyword)) return compareLimits(place, keyword, [was, is], options);
    if (exact.has(keyword)) return isDeepStrictEqual(was, is) ? [] : [{ place, change: change(keyword, was, is) }];
    const compare = comparisons[keyword];
    if (!compare) throw new Error(`${place} has the keyword ${keyword}: teach compare-schemas.ts to compare it.`);
    return compare(place, was, is, options);
  });
};

const change = (what: string, was: unknown, is: unknown): string =>
  `${what} has changed from ${JSON.stringify(was) ?? "nothing"} to ${JSON.stringify(is) ?? "nothing"}`;

/** In a request a limit may be loosened, in a response tightened. */
const compareLimits = (place: string, keyword: string, [was, is]: [unknown, unknown], { direction }: Options) => {
  if (was === is) return [];
  const none = lowerLimits.has(keyword) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const grows = Number(is ?? none) > Number(was ?? none);
  const isTighter = lowerLimits.has(keyword) ? grows : !grows;
  const isHarmless = isTighter === (direction !== "request");
  return isHarmless ? [] : [{ place, change: change(keyword, was, is) }];
};

type Comparison = (place: string, was: unknown, is: unknown, options: Options) => Breakage[];

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const compareEnumerations: Comparison = (place, was, is, { direction }) => {
  if (isDeepStrictEqual(was, is)) return [];
  if (!Array.isArray(was) || !Array.isArray(is)) return [{ place, change: change("enum", was, is) }];
  const removed = was
    .filter((value) => !is.includes(value))
    .map((value) => `no longer has the value ${JSON.stringify(value)}`);
  const added = direction === "response" ? is.filter((value) => !was.includes(value)) : [];
  return [...removed, ...added.map((value) => `has the new value ${JSON.stringify(value)}`)].map((text) => ({
    place,
    change: text,
  }));
};

const compareProperties: Comparison = (place, was, is, options) => {
  const [released, present] = [was ?? {}, is ?? {}] as [Record<string, object>, Record<string, object>];
  return Object.entries(released).flatMap(([name, schema]) => {
    const now = present[name];
    const where = `${place}.${name}`;
    return now ? compareSchemas(where, schema, now, options) : [{ place: where, change: "has been removed" }];
  });
};

const compareRequired: Comparison = (place, was, is, { direction }) => {
  const isRequest = direction === "request";
  const [from, to] = isRequest ? [listOf(is), listOf(was)] : [listOf(was), listOf(is)];
  const text = isRequest ? "is now required" : "is no longer always there";
  return from.filter((name) => !to.includes(name)).map((name) => ({ place: `${place}.${name}`, change: text }));
};

/** Compares one schema with another, if both are schemas. */
const compareNested =
  (suffix: string): Comparison =>
  (place, was, is, options) => {
    const isSchema = (value: unknown): value is object => typeof value === "object" && value !== null;
    if (isSchema(was) && isSchema(is)) return compareSchemas(`${place}${suffix}`, was, is, options);
    return isDeepStrictEqual(was, is) ? [] : [{ place: `${place}${suffix}`, change: change("the schema", was, is) }];
  };

const compareAlternatives: Comparison = (place, was, is, options) => {
  const [released, present] = [listOf(was) as object[], listOf(is) as object[]];
  if (released.length !== present.length) return [{ place, change: change("anyOf", was, is) }];
  return released.flatMap((schema, index) => compareSchemas(place, schema, present[index] ?? {}, options));
};

const comparisons: Record<string, Comparison> = {
  enum: compareEnumerations,
  properties: compareProperties,
  required: compareRequired,
  items: compareNested("[]"),
  anyOf: compareAlternatives,
  // Clients must ignore fields that they do not know, so whether an object is closed does not matter to them.
  additionalProperties: (place, was, is, options) =>
    typeof was === "object" ? compareNested(".*")(place, was, is, options) : [],
};
