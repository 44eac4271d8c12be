import * as z from "zod/mini";

interface SampleOptions {
  /** Whether the sample is sent to the service (`input`) or returned by it (`output`). Default: `output`. */
  io?: "input" | "output";
  /** Gets the path of each string that had to be invented because its schema has no example, such as `lines.sku`. */
  onInvented?: (path: string) => void;
}

/**
 * Builds a sample of what a schema describes: from the `examples` in its metadata, at any depth, and otherwise from the first value
 * of an enum, the minimum of a number, or a string of a permitted length. Rules that JSON Schema cannot express are not followed, so
 * the sample should be validated.
 *
 * @example sampleOf(z.object({ status: z.enum(["open", "closed"]), count: z.number().check(z.minimum(1)) }))
 * // { status: "open", count: 1 }
 */
export const sampleOf = (
  schema: z.core.$ZodType,
  { io = "output", onInvented = () => {} }: SampleOptions = {},
): unknown => {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return sampleIn(whole, { whole, onInvented, path: [], open: [] });
};

interface Place {
  whole: JsonSchema;
  onInvented: (path: string) => void;
  path: readonly string[];
  /** The references that lead here. A reference to itself ends the sample. */
  open: readonly string[];
}

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Part = JsonSchema | boolean | undefined;

const sampleIn = (part: Part, place: Place): unknown => {
  const schema: JsonSchema = typeof part === "object" ? part : {};
  const { $ref, allOf, examples, enum: values = [], const: constant = values[0], default: usual } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ($ref !== undefined) return sampleOfReference($ref, place);
  const given = constant ?? usual;
  if (given !== undefined) return given;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return sampleIn(options.find((option) => Object(option).type !== "null") ?? options[0], place);
  if (allOf) return Object.assign({}, ...allOf.map((one) => sampleIn(one, place)));
  const type = [schema.type].flat().find((one) => one !== "null");
  if (type === "object") return sampleObject(schema, place);
  if (type === "array") return sampleArray(schema, place);
  if (type === "string") return sampleText(schema, place);
  if (type === "number" || type === "integer") return sampleNumber(schema);
  return type === "boolean" ? true : null;
};

const sampleOfReference = (reference: string, place: Place): unknown => {
  if (place.open.includes(reference)) return undefined;
  const target = reference === "#" ? place.whole : place.whole.$defs?.[reference.replace("#/$defs/", "")];
  return sampleIn(target, { ...place, open: [...place.open, reference] });
};

const sampleObject = ({ properties = {}, required = [], ...schema }: JsonSchema, place: Place) => {
  const names = Object.keys(properties);
  if (names.length === 0 && typeof schema.additionalProperties === "object") {
    names.push(
      ...(required.length > 0 ? required : [String(sampleIn(schema.propertyNames ?? { type: "string" }, place))]),
    );
  }
  const members = names.map((name) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    return [name, sampleIn(part, { ...place, path: [...place.path, name] })];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
};

const sampleArray = ({ prefixItems, items, minItems = 0, maxItems = 1 }: JsonSchema, place: Place): unknown[] => {
  if (prefixItems) return prefixItems.map((item) => sampleIn(item, place));
  const element = sampleIn(Array.isArray(items) ? items[0] : items, place);
  const length = element === undefined ? 0 : Math.max(minItems, Math.min(maxItems, 1));
  return Array.from({ length }, () => element);
};

const texts: Readonly<Record<string, string>> = {
  uuid: "0b8f5c5e-6c1d-4f0e-9d3a-5a3f6c1e2b7d",
  ulid: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  date: "2026-11-21",
  time: "10:15:30",
  "date-time": "2026-11-21T10:15:30.123Z",
  duration: "PT1H",
  email: "name@example.com",
  uri: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

const sampleText = ({ format, pattern, minLength = 0, maxLength }: JsonSchema, { path, onInvented }: Place): string => {
  const text = texts[format ?? ""];
  if (text !== undefined) return text;
  const candidates = ["text", "TEXT", "A1", "1", "1.0", "1.00", "1.000", "1.0000"].map((candidate) =>
    candidate.padEnd(minLength, "x").slice(0, maxLength),
  );
  const [first = ""] = candidates;
  if (format !== "decimal") onInvented(path.join("."));
  return candidates.find((candidate) => pattern === undefined || new RegExp(pattern, "u").test(candidate)) ?? first;
};

const sampleNumber = ({ minimum, maximum, multipleOf = 1, ...schema }: JsonSchema): number => {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const [least = 1] = [minimum, typeof above === "number" ? above + multipleOf : undefined].filter(isBound);
  const [most = least] = [maximum, typeof below === "number" ? below - multipleOf : undefined].filter(isBound);
  return Math.min(Math.ceil(least / multipleOf) * multipleOf, most);
};

/** Checks whether a bound says something. Zod gives every integer the bounds of those that are exact. */
const isBound = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
