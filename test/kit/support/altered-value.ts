import * as z from "zod/mini";
import { definitionOf } from "../../../lambdas/shared/validation/definition.ts";
import { sampleOf } from "../../../lambdas/shared/validation/sample-value.ts";

/**
 * Returns another value that a schema accepts, of the same kind: another member of an enum, another number within its bounds,
 * another text of the same length, `null` instead of a value, a list with one element more. An object has other values under the
 * same names, and optional members come and go. Returns the value itself if there is no other.
 *
 * @example alteredValue(z.object({ status: z.enum(["open", "closed"]), pages: z.int() }), { status: "open", pages: 7 })
 * // { status: "closed", pages: 8 }
 */
export const alteredValue = (schema: z.core.$ZodType, value: unknown): unknown =>
  candidatesFor(schema, value).find((candidate) => differs(candidate, value) && accepts(schema, candidate)) ?? value;

interface AlterationOptions {
  /** The members that keep their values. */
  keep?: readonly string[];
}

/** Returns another object that a schema with rules about several members accepts: as many of them as possible have other values. */
export const alteredObject = (
  schema: z.core.$ZodObject,
  value: object,
  { keep = [] }: AlterationOptions = {},
): Record<string, unknown> => {
  const members = new Map(Object.entries(value));
  const altered = Object.entries(schema._zod.def.shape)
    .filter(([name]) => !keep.includes(name))
    .map(([name, member]) => [name, alteredMember(member, members.get(name))] as const);
  const whole = withMembers(value, altered);
  if (accepts(schema, whole)) return whole;
  // Some rule forbids the combination, so the members change one by one.
  return altered.reduce<Record<string, unknown>>(
    (sofar, member) => {
      const next = withMembers(sofar, [member]);
      return accepts(schema, next) ? next : sofar;
    },
    { ...value },
  );
};

/** Returns whether a schema accepts a value as it is. */
export const accepts = (schema: z.core.$ZodType, value: unknown): boolean => z.safeParse(schema, value).success;

/** Returns an object with these members. Members that are `undefined` are left out. */
export const withMembers = (value: object, members: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries([...new Map([...Object.entries(value), ...members])].filter(([, member]) => member !== undefined));

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

/** Returns another value of a member, or `undefined` for an optional member that was present. */
export const alteredMember = (schema: z.core.$ZodType, value: unknown): unknown => {
  if (isOptional(schema)) return value === undefined ? sampleOf(schema) : undefined;
  return alteredValue(schema, value);
};

const isOptional = (schema: z.core.$ZodType): boolean => definitionOf(schema).type === "optional";

/** Returns values that a schema may accept, the best first. */
const candidatesFor = (schema: z.core.$ZodType, value: unknown): unknown[] => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
      return otherTexts(String(value));
    case "number":
      return otherNumbers(schema, Number(value));
    case "boolean":
      return [!value];
    case "enum":
      return after(Object.values(def.entries), value);
    case "literal":
      return after(def.values, value);
    case "nullable":
      return [value === null ? sampleOf(def.innerType) : null, ...candidatesFor(def.innerType, value)];
    case "optional":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return candidatesFor(def.innerType, value);
    case "pipe":
      return candidatesFor(def.in, value);
    case "lazy":
      return candidatesFor(def.getter(), value);
    case "union":
      return [...def.options.flatMap((option) => candidatesFor(option, value)), ...def.options.map(sampleOfOption)];
    case "array":
      return otherLists(def.element, Array.isArray(value) ? value : []);
    case "record":
      return otherMaps(def.keyType, def.valueType, Object(value));
    case "object":
      return [alteredObject(schema as z.core.$ZodObject, Object(value))];
    default:
      return typeof value === "string" ? otherTexts(value) : [];
  }
};

const sampleOfOption = (option: z.core.$ZodType): unknown => sampleOf(option);

/** Returns the members after a value, and then those before it. */
const after = (all: readonly unknown[], value: unknown): unknown[] => {
  const place = all.indexOf(value);
  return [...all.slice(place + 1), ...all.slice(0, Math.max(place, 0))];
};

const alphabets = ["0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Returns texts with another character at one place, from the end, because dates, decimals and ids have their details there. */
const otherTexts = (text: string): string[] => {
  const characters = [...text];
  const places = characters.slice(-40).map((_, index) => characters.length - 1 - index);
  return [
    ...places.flatMap((place) => {
      const character = characters[place] ?? "";
      const alphabet = alphabets.find((letters) => letters.includes(character)) ?? "";
      return after([...alphabet], character).map((other) => characters.with(place, String(other)).join(""));
    }),
    characters.toReversed().join(""),
    `${text}x`,
  ];
};

const otherNumbers = (schema: z.core.$ZodType, value: number): number[] => {
  const { multipleOf = 1 } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return [1, -1, 10, -10, 0.5, -0.5].map((steps) => value + steps * multipleOf);
};

/** Returns a list with one element more, with one less, and with another element. */
const otherLists = (element: z.core.$ZodType, list: readonly unknown[]): unknown[][] => {
  const other = list.length === 0 ? sampleOf(element) : alteredValue(element, list.at(-1));
  const others = [[...list, other], ...(list.length > 0 ? [list.slice(0, -1), list.with(-1, other)] : [])];
  return other === undefined ? others.slice(1) : others;
};

/** Returns maps with one name more, with other values, and with one name less. */
const otherMaps = (keyType: z.core.$ZodType, valueType: z.core.$ZodType, map: object): object[] => {
  const entries = Object.entries(map);
  const [name, value] = entries[0] ?? [sampleOf(keyType), undefined];
  const names = name === undefined ? [] : [name, ...otherTexts(String(name))];
  const added = names.find((one) => !Object.hasOwn(map, String(one)) && accepts(keyType, one));
  return [
    ...(added === undefined ? [] : [{ ...map, [String(added)]: value ?? sampleOf(valueType) }]),
    Object.fromEntries(entries.map(([one, part]) => [one, alteredValue(valueType, part)])),
    Object.fromEntries(entries.slice(1)),
  ];
};
