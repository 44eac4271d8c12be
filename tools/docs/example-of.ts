import * as z from "zod/mini";

/**
 * An example for a schema, composed of the examples of its parts.
 *
 * @throws {Error} naming the position of a part without an example, such as `v1-get-key: response 200: v_code`.
 */
export const exampleOf = (schema: z.core.$ZodType, place: string): unknown => {
  const examples = z.globalRegistry.get(schema)?.examples;
  if (Array.isArray(examples)) return examples[0];
  if (schema instanceof z.ZodMiniObject) {
    return Object.fromEntries(
      Object.entries(schema.shape).map(([field, part]) => [field, exampleOf(part, `${place}: ${field}`)]),
    );
  }
  if (schema instanceof z.ZodMiniArray) return [exampleOf(schema.def.element, place)];
  throw new Error(`${place} needs an example: add z.meta({ examples: […] }) to its schema.`);
};
