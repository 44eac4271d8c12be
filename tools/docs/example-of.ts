import * as z from "zod/mini";

/** An example of what a schema describes, put together from the examples of its parts. */
export const exampleOf = (schema: z.core.$ZodType): unknown => {
  const examples = z.globalRegistry.get(schema)?.examples;
  if (Array.isArray(examples)) return examples[0];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return Object.fromEntries(Object.entries(def.shape).map(([field, part]) => [field, exampleOf(part)]));
    case "array":
      return [exampleOf(def.element)];
    default:
      throw new Error(`A schema of the type ${def.type} needs an example: add z.meta({ examples: […] }).`);
  }
};
