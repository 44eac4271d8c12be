import * as z from "zod/mini";
import { definitionOf } from "./definition.ts";

/**
 * Returns a schema of the same fields that checks only their types. Records are read leniently, so a value that a later rule would
 * reject must not keep a page from being shown.
 *
 * @throws {Error} for a kind of field that it does not know
 */
export const typesOnly = <Schema extends z.core.$ZodObject>(schema: Schema): Schema =>
  // Values of an enum that this release does not know are strings too, which its type does not say.
  typeOf(schema) as unknown as Schema;

const typeOf = (schema: z.core.$ZodType): z.ZodMiniType => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
    case "enum":
      return z.string();
    case "number":
      return z.number();
    case "boolean":
      return z.boolean();
    case "nullable":
      return z.nullable(typeOf(def.innerType));
    case "optional":
      return z.optional(typeOf(def.innerType));
    case "default":
      return z._default(typeOf(def.innerType), def.defaultValue);
    case "array":
      return z.array(typeOf(def.element));
    case "object":
      return z.object(Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, typeOf(part)])));
    default:
      throw new Error(`A record that admins see cannot have a field of the type ${def.type}: see types-only.ts.`);
  }
};
