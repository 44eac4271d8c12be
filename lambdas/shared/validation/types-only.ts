import * as z from "zod/mini";
import { definitionOf } from "./definition.ts";

/**
 * Returns a schema of the same fields that checks only their types. Records are read leniently, so a value that a later rule would
 * reject must not keep a page from being shown.
 *
 * @throws {Error} for a kind of field that no built-in record has
 */
export const typesOnly = <Schema extends z.core.$ZodObject>(schema: Schema): Schema => {
  const fields = Object.entries(schema._zod.def.shape).map(([name, field]) => [name, typeOf(field)]);
  // Values of an enum that this release does not know are strings too, which its type does not say.
  return z.object(Object.fromEntries(fields)) as unknown as Schema;
};

const typeOf = (schema: z.core.$ZodType): z.ZodMiniType => {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
    case "enum":
      return z.string();
    case "optional":
      return z.optional(typeOf(def.innerType));
    case "default":
      return z._default(typeOf(def.innerType), def.defaultValue);
    default:
      throw new Error(`A key cannot have a field of the type ${def.type}: see types-only.ts.`);
  }
};
