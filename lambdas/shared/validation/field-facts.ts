import * as z from "zod/mini";
import { decimalPlaces } from "./decimal.ts";
import { definitionOf } from "./definition.ts";
import { secretFormat } from "./response-body.ts";

/** What the values of a field are. */
export const fieldKinds = ["text", "time", "date", "number", "decimal", "boolean", "list", "object", "any"] as const;
export type FieldKind = (typeof fieldKinds)[number];

/** What pages and forms need to know about a field. */
export interface FieldFacts {
  kind: FieldKind;
  /** The schema without what makes it optional or nullable. */
  schema: z.core.$ZodType;
  isOptional: boolean;
  isNullable: boolean;
  /** Whether only the receiver of a response may see the value. */
  isSecret: boolean;
  /** The permitted values of an enum. */
  options?: string[];
  /** The value of a new record. */
  initial?: unknown;
  description?: string;
  /** The permitted length of a string, in words. */
  length?: string;
  example?: string;
}

/**
 * Returns the facts about a field. A description of the inner schema also holds for an optional or nullable field.
 *
 * @example factsOf(z.optional(fields.date("When it ships."))) // { kind: "date", isOptional: true, description: "When it ships.", … }
 */
export const factsOf = (schema: z.core.$ZodType): FieldFacts => {
  const def = definitionOf(schema);
  const meta = z.globalRegistry.get(schema) ?? {};
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
    case "readonly": {
      const inner = factsOf(def.innerType);
      return {
        ...inner,
        ...(meta.description !== undefined && { description: meta.description }),
        ...(def.type === "default" && { initial: def.defaultValue }),
        isOptional: inner.isOptional || def.type === "optional",
        isNullable: inner.isNullable || def.type === "nullable",
        isSecret: inner.isSecret || meta.format === secretFormat,
      };
    }
  }
  const { description, format, minLength, maxLength, examples } = meta;
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    kind: kindOf(schema, format),
    schema,
    ...{ isOptional: false, isNullable: false, isSecret: format === secretFormat || hasSecretParts(schema) },
    ...(def.type === "enum" && { options: Object.values(def.entries).map(String) }),
    ...(description !== undefined && { description }),
    ...(typeof maxLength === "number" && { length: inWords(Number(minLength ?? 0), maxLength) }),
    ...(typeof example === "string" && { example }),
  };
};

/** Checks whether the elements of a list or the values of a map are secret. */
const hasSecretParts = (schema: z.core.$ZodType): boolean => {
  const def = definitionOf(schema);
  const part = def.type === "array" ? def.element : def.type === "record" ? def.valueType : undefined;
  return part !== undefined && factsOf(part).isSecret;
};

const kindOf = (schema: z.core.$ZodType, format: unknown): FieldKind => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
      if (decimalPlaces(schema) !== undefined) return "decimal";
      return format === "date-time" ? "time" : format === "date" ? "date" : "text";
    case "enum":
    case "literal":
      return "text";
    case "number":
    case "boolean":
    case "object":
      return def.type;
    case "record":
      return "object";
    case "array":
      return "list";
    default:
      return "any";
  }
};

const inWords = (min: number, max: number): string =>
  min === max ? `${max} characters` : min === 0 ? `Up to ${max} characters` : `${min} to ${max} characters`;
