import type * as z from "zod/mini";

/** Returns the definition of a schema, whose `type` tells the kinds of schemas apart. */
export const definitionOf = (schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] =>
  (schema as z.core.$ZodTypes)._zod.def;
