import * as z from "./zod.ts";

/** The keys of a table or an index, as CloudFormation and DynamoDB write them. */
export const keySchema = z
  .array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }))
  .check(z.maxLength(2));

export const projectionSchema = z.strictObject({
  ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
  NonKeyAttributes: z.optional(z.array(z.string())),
});

export const definitionsSchema = z.array(
  z.strictObject({
    AttributeName: z.string().check(z.minLength(1), z.maxLength(255)),
    AttributeType: z.enum(["S", "N", "B"]),
  }),
);
