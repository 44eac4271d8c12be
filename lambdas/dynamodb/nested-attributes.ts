import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type * as z from "zod/mini";
import { exactNumber, isExact } from "../shared/exact-number.ts";
import { decimalPlaces } from "../shared/validation/decimal.ts";
import { definitionOf } from "../shared/validation/definition.ts";
import { type AttributeCodec, type Codec, number as safeNumber, text, toAttribute } from "./attributes.ts";
import { fieldCodec } from "./records.ts";

/**
 * Returns the codec of a schema. Text, numbers, booleans, null, lists and objects are stored as DynamoDB's own types, and decimals
 * as numbers.
 *
 * @throws {Error} for a schema whose values a record cannot have, such as a date object or a transform.
 * @example attributeCodec(z.array(z.boolean())).encode([true]) // { L: [{ BOOL: true }] }
 */
export const attributeCodec = (schema: z.core.$ZodType): AttributeCodec => {
  const known = codecs.get(schema);
  if (known) return known;
  const codec = newCodec(schema);
  codecs.set(schema, codec);
  return codec;
};

const codecs = new WeakMap<z.core.$ZodType, AttributeCodec>();

const newCodec = (schema: z.core.$ZodType): AttributeCodec => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string": {
      const places = decimalPlaces(schema);
      return places === undefined ? text : decimal(places);
    }
    case "enum":
      if (Object.values(def.entries).every((value) => typeof value === "string")) return text;
      break;
    case "literal":
      if (def.values.every((value) => typeof value === "string")) return text;
      break;
    case "number":
      return number;
    case "boolean":
      return boolean;
    case "null":
      return nothing;
    case "nullable": {
      const { encode, decode } = attributeCodec(def.innerType);
      return {
        encode: (value) => (value === null ? { NULL: true } : encode(value)),
        decode: (attribute) => (attribute.NULL === true ? null : decode(attribute)),
      };
    }
    case "optional":
    case "default":
    case "readonly":
      return attributeCodec(def.innerType);
    case "array":
      return list(attributeCodec(def.element));
    case "record":
      return map(attributeCodec(def.valueType));
    case "object":
      return object(def.shape);
    case "unknown":
      return anything;
  }
  throw new Error(`A record cannot have a field whose schema is of the type ${def.type}: see docs/applications.md.`);
};

/** Returns the type of a key with this schema; `undefined` if a key cannot have it. */
export const keyTypeOf = (schema: z.core.$ZodType): "S" | "N" | undefined => attributeCodec(schema).keyType;

const number: AttributeCodec = {
  ...safeNumber,
  decode: ({ N }) => (typeof N === "string" && isExact(N) ? Number(N) : undefined),
};

/** DynamoDB does not keep zeros at the end of a number, so they are added when a decimal is read. */
const decimal = (places: number): AttributeCodec => ({
  keyType: "N",
  encode: (value) => {
    const [whole = "", fraction = ""] = String(value).split(".");
    const significant = fraction.replace(/0+$/, "");
    return { N: significant === "" ? whole : `${whole}.${significant}` };
  },
  decode: ({ N }) => {
    const [, whole, fraction = ""] = (typeof N === "string" && /^(-?\d+)(?:\.(\d+))?$/.exec(N)) || [];
    if (whole === undefined) return undefined;
    return places === 0 && fraction === "" ? whole : `${whole}.${fraction.padEnd(places, "0")}`;
  },
});

const boolean: AttributeCodec = {
  encode: (value) => ({ BOOL: value === true }),
  decode: ({ BOOL }) => (typeof BOOL === "boolean" ? BOOL : undefined),
};

const nothing: AttributeCodec = {
  encode: () => ({ NULL: true }),
  decode: ({ NULL }) => (NULL === true ? null : undefined),
};

const list = ({ encode, decode }: AttributeCodec): AttributeCodec => ({
  encode: (value) => ({ L: (value as unknown[]).map(encode) }),
  decode: ({ L }) => {
    if (!Array.isArray(L)) return undefined;
    const values = L.map(decode);
    return values.includes(undefined) ? undefined : values;
  },
});

const map = ({ encode, decode }: AttributeCodec): AttributeCodec => ({
  encode: (value) => ({
    M: Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, encode(part)])),
  }),
  decode: ({ M }) => {
    if (!isObject(M)) return undefined;
    const parts = Object.entries(M).map(([name, part]) => [name, decode(part)] as const);
    return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
  },
});

const object = (shape: Readonly<Record<string, z.core.$ZodType>>): AttributeCodec => {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, ...fieldCodec(schema, nestedCodec) }));
  return {
    encode: (value) => {
      const values = value as Readonly<Record<string, unknown>>;
      const present = fields.filter(({ name }) => values[name] !== undefined);
      return { M: Object.fromEntries(present.map(({ name, encode }) => [name, encode(values[name])])) };
    },
    decode: ({ M }) => {
      if (!isObject(M)) return undefined;
      const values: Record<string, unknown> = {};
      for (const { name, decode, isOptional, missing } of fields) {
        const attribute = M[name];
        const value = attribute === undefined ? missing() : decode(attribute);
        if (value !== undefined) values[name] = value;
        else if (attribute !== undefined || !isOptional) return undefined;
      }
      return values;
    },
  };
};

const isObject = (value: unknown): value is Readonly<Record<string, AttributeValue>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the attribute value of any value that JSON can express. Like JSON, it leaves out undefined members. */
const anyAttribute = (value: unknown): AttributeValue => {
  if (typeof value === "boolean") return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.map(anyAttribute) };
  if (typeof value === "object") {
    const present = Object.entries(value).filter(([, part]) => part !== undefined);
    return { M: Object.fromEntries(present.map(([name, part]) => [name, anyAttribute(part)])) };
  }
  return toAttribute(value);
};

/** Returns the value of an attribute value of any type. */
const fromAttribute = (attribute: AttributeValue): unknown => {
  const { S, N, BOOL, NULL, SS, L, M } = attribute;
  if (L) return L.map(fromAttribute);
  if (M) return Object.fromEntries(Object.entries(M).map(([name, part]) => [name, fromAttribute(part)]));
  return S ?? (N === undefined ? undefined : Number(N)) ?? BOOL ?? (NULL ? null : SS);
};

const anything: AttributeCodec = {
  encode: anyAttribute,
  decode: fromAttribute,
};

/** Checks whether two attribute values are equal, whatever the order of the members of sets and maps. */
const isSameAttribute = (one: AttributeValue | undefined, other: AttributeValue | undefined): boolean =>
  JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));

const canonical = (attribute: AttributeValue | undefined): unknown => {
  if (attribute?.M) {
    const members = Object.entries(attribute.M).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return { M: members.map(([name, part]) => [name, canonical(part)]) };
  }
  if (attribute?.L) return { L: attribute.L.map(canonical) };
  // JavaScript writes some numbers with an exponent, and DynamoDB does not.
  if (attribute?.N !== undefined) return { N: exactNumber(attribute.N) };
  return attribute?.SS ? { SS: attribute.SS.toSorted() } : attribute;
};

/** Stores the values of any schema that a record can have. */
export const nestedCodec: Codec = { of: attributeCodec, isSame: isSameAttribute };
