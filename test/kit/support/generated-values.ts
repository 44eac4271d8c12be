import * as z from "zod/mini";
import { definitionOf } from "../../../lambdas/shared/validation/definition.ts";

/** The formats of ids and times. */
const generatedFormats = new Set([
  ...["ulid", "uuid", "guid", "date-time", "datetime"],
  ...["nanoid", "cuid", "cuid2", "xid", "ksuid"],
]);

/** Takes the place of a value that the service has generated. */
const generated = "a generated value";

/** Shorter values are not searched for in other texts, where they could occur by chance. */
const minimumLength = 16;

interface Masked {
  /** The value without ids and times. */
  value: unknown;
  /** The texts that it had instead. */
  texts: string[];
}

/**
 * Replaces the ids and times in a value, which differ each time, as its schema describes them: by a format such as `uuid`, or as
 * text that is `readOnly`. Numbers that are `readOnly` stay, because a counter must not differ.
 *
 * @example maskGenerated(z.object({ id: z.uuid(), pages: z.int() }), { id: "0b8f…", pages: 7 })
 * // { value: { id: "a generated value", pages: 7 }, texts: ["0b8f…"] }
 */
export const maskGenerated = (schema: z.core.$ZodType, value: unknown): Masked => {
  const texts: string[] = [];
  const mask = (part: z.core.$ZodType, found: unknown): unknown => {
    if (typeof found === "string" && isGenerated(part)) {
      texts.push(found);
      return generated;
    }
    const def = definitionOf(part);
    if (Array.isArray(found)) return found.map((one) => (def.type === "array" ? mask(def.element, one) : one));
    if ("innerType" in def) return mask(def.innerType as z.core.$ZodType, found);
    if (def.type === "pipe") return mask(def.out, found);
    if (def.type === "lazy") return mask(def.getter(), found);
    if (def.type === "union") {
      const option = def.options.find((one) => z.safeParse(one, found).success);
      return option ? mask(option, found) : found;
    }
    if (typeof found !== "object" || found === null) return found;
    const members = Object.entries(found).map(([name, member]) => {
      const own = def.type === "object" && Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
      const memberSchema = def.type === "record" ? def.valueType : own;
      return [name, memberSchema ? mask(memberSchema, member) : member];
    });
    return Object.fromEntries(members);
  };
  return { value: mask(schema, value), texts };
};

/** Replaces texts that the service has generated wherever they occur, such as in the path of a new resource. */
export const maskTexts = (text: string, texts: readonly string[]): string =>
  texts
    .filter(({ length }) => length >= minimumLength)
    .reduce((masked, one) => masked.replaceAll(one, generated).replaceAll(encodeURIComponent(one), generated), text);

const isGenerated = (schema: z.core.$ZodType): boolean => {
  const { format, readOnly } = z.globalRegistry.get(schema) ?? {};
  const def = definitionOf(schema);
  return readOnly === true || generatedFormats.has(String(format ?? ("format" in def ? def.format : "")));
};
