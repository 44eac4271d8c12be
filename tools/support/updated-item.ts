import * as z from "zod";

const attributes = z.record(z.string(), z.record(z.string(), z.unknown()));

const update = z.object({
  Key: attributes,
  ReturnValues: z.string().default("NONE"),
  UpdateExpression: z.string(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: attributes.default({}),
});

/**
 * The attributes that an UpdateItem returns if the item did not exist before: what the request sets, in the order of
 * DynamoDB's own answer. Empty if it asks for none, or only for old ones.
 *
 * @param body the request, as JSON
 */
export const updatedAttributes = (body: string): object => {
  const { Key, ReturnValues, UpdateExpression, ...placeholders } = update.parse(JSON.parse(body));
  if (!ReturnValues.endsWith("_NEW")) return {};
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = placeholders;
  const set = [...UpdateExpression.matchAll(/(#?\w+) (?:= )?(:\w+)/g)].map(([, name = "", value = ""]) => [
    names[name] ?? name,
    values[value],
  ]);
  return { ...(ReturnValues === "ALL_NEW" && Key), ...Object.fromEntries(set) };
};
