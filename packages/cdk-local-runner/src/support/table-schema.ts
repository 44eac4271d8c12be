import * as z from "./zod.ts";

const attributeName = z.string().check(z.minLength(1), z.maxLength(255));

export const keyElement = z.strictObject({ AttributeName: attributeName, KeyType: z.enum(["HASH", "RANGE"]) });

/** The keys of a table or a local index, in the format of CloudFormation and DynamoDB. */
export const keySchema = z.array(keyElement).check(z.maxLength(2));

/** The keys of a global secondary index: up to four attributes for the partition, and up to four for the order. */
export const globalKeySchema = z.array(keyElement).check(z.maxLength(8));

export const projectionSchema = z.strictObject({
  ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
  NonKeyAttributes: z.optional(z.array(attributeName)),
});

export const definitionsSchema = z.array(
  z.strictObject({
    AttributeName: attributeName,
    AttributeType: z.enum(["B", "N", "S"]),
  }),
);
