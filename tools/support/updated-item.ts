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
 * Returns the attributes that an UpdateItem returns: those that the request sets, in the order of DynamoDB's own response. Empty if
 * the request asks for none, or only for old ones.
 *
 * @param body the request, as JSON
 * @param existing the item before the update
 */
export const updatedAttributes = (body: string, existing: object = {}): object => {
  const { Key, ReturnValues, UpdateExpression, ...placeholders } = update.parse(JSON.parse(body));
  if (!ReturnValues.endsWith("_NEW")) return {};
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = placeholders;
  const set = [...UpdateExpression.matchAll(/(#?\w+) (?:= )?(:\w+)/g)].map(([, name = "", value = ""]) => [
    names[name] ?? name,
    values[value],
  ]);
  if (ReturnValues === "UPDATED_NEW") return Object.fromEntries(set);
  const removals = / REMOVE (#?\w+(?:, #?\w+)*)/.exec(UpdateExpression)?.[1]?.split(", ") ?? [];
  const removed = new Set(removals.map((name) => names[name] ?? name));
  const kept = Object.entries(existing).filter(([name]) => !removed.has(name));
  return { ...Object.fromEntries(kept), ...Key, ...Object.fromEntries(set) };
};
