import type * as z from "zod/mini";

/** Returns the definition of a schema, whose `type` tells the kinds of schemas apart. */
export const definitionOf = (schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] =>
  (schema as z.core.$ZodTypes)._zod.def;

/** Removes what makes a member optional, nullable or read-only, or gives it a default. `wrappers` begins with the outermost. */
export const unwrap = (schema: z.core.$ZodType) => {
  const wrappers: z.core.$ZodType[] = [];
  let inner = schema;
  let isOptional = false;
  let isNullable = false;
  for (;;) {
    const def = definitionOf(inner);
    if (def.type !== "optional" && def.type !== "nullable" && def.type !== "default" && def.type !== "readonly") break;
    isOptional ||= def.type === "optional";
    isNullable ||= def.type === "nullable";
    wrappers.push(inner);
    inner = def.innerType;
  }
  return { inner, isOptional, isNullable, wrappers };
};
