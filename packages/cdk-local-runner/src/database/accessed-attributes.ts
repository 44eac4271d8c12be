import type { AccessedAttributes } from "../assembly/rights.ts";
import { isRecord } from "../support/json.ts";
import { type Parsed, parseCondition, parseProjection, parseUpdate } from "./engine/parse-expression.ts";

// The actions whose attributes can be determined. Any other action counts as accessing all attributes.
const writingActions = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem"];
const readingActions = ["GetItem", "Query", "Scan"];

const parsers = {
  ConditionExpression: parseCondition,
  FilterExpression: parseCondition,
  KeyConditionExpression: parseCondition,
  ProjectionExpression: parseProjection,
  UpdateExpression: parseUpdate,
};
/**
 * Finds the attributes that a request accesses, for the condition key `dynamodb:Attributes`. It is stricter than AWS: a request
 * that returns whole items accesses all attributes, whereas AWS leaves this to further conditions.
 *
 * @param action such as `dynamodb:UpdateItem`
 */
export const accessedAttributes = (action: string, body: unknown): AccessedAttributes => {
  const name = action.slice(action.indexOf(":") + 1);
  const reads = readingActions.includes(name);
  if (!isRecord(body) || !(reads || writingActions.includes(name))) return "all";
  const accessed = new Set<string>();
  for (const part of partsOf(body)) {
    if (returnsWholeItems(part, reads)) return "all";
    const names = isRecord(part.ExpressionAttributeNames) ? part.ExpressionAttributeNames : {};
    for (const [parameter, parse] of Object.entries(parsers)) {
      const text = part[parameter];
      if (text === undefined) continue;
      const attributes = attributesIn(parse, text);
      if (attributes === undefined) return "all";
      for (const attribute of attributes) accessed.add(String(names[attribute] ?? attribute));
    }
    for (const map of [part.Item, part.Key, part.ExclusiveStartKey]) {
      if (isRecord(map)) for (const attribute of Object.keys(map)) accessed.add(attribute);
    }
  }
  return accessed;
};

/** Returns the request itself, or each operation of a batch. */
const partsOf = (body: Record<string, unknown>): Record<string, unknown>[] => {
  if (!isRecord(body.RequestItems)) return [body];
  return Object.values(body.RequestItems)
    .flatMap((operations) => (Array.isArray(operations) ? operations : []))
    .flatMap((operation) => (isRecord(operation) ? Object.values(operation).filter(isRecord) : []));
};

const returnsWholeItems = (part: Record<string, unknown>, reads: boolean): boolean => {
  const returned = [part.ReturnValues, part.ReturnValuesOnConditionCheckFailure];
  if (returned.some((value) => typeof value === "string" && value.startsWith("ALL_"))) return true;
  return reads && part.ProjectionExpression === undefined;
};

/** Returns the attributes of an expression as `name` or `#name`; undefined if it is not in the supported subset. */
const attributesIn = (parse: (text: string) => Parsed<unknown>, text: unknown): ReadonlySet<string> | undefined => {
  try {
    return parse(String(text)).attributes;
  } catch {
    return undefined;
  }
};
