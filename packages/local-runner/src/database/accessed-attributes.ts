import type { AccessedAttributes } from "../assembly/rights.ts";
import { isRecord } from "../support/is-record.ts";

// The actions whose attributes can be determined. Any other, such as PartiQL, counts as accessing all attributes.
const writingActions = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];
const readingActions = ["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"];

const expressions = [
  "ConditionExpression",
  "FilterExpression",
  "KeyConditionExpression",
  "ProjectionExpression",
  "UpdateExpression",
];
// Maps whose keys are attribute names: items, keys, and the conditions and updates from before expressions existed.
const attributeMaps = [
  "AttributeUpdates",
  "ExclusiveStartKey",
  "Expected",
  "Item",
  "Key",
  "KeyConditions",
  "QueryFilter",
  "ScanFilter",
];

// Everything that an expression can consist of. An expression with anything else was not understood.
const readable = /^[\w\s#:.,()[\]<>=+-]*$/;

// Keywords of expressions. DynamoDB reserves them, so an attribute of that name needs a placeholder.
const keywords = new Set(["SET", "REMOVE", "ADD", "DELETE", "AND", "OR", "NOT", "BETWEEN", "IN"]);
const functions =
  /^(attribute_exists|attribute_not_exists|attribute_type|begins_with|contains|size|if_not_exists|list_append)$/;

/**
 * Finds the attributes that a request accesses, for `dynamodb:Attributes`. It is stricter than AWS, which leaves this to
 * further conditions: a request that returns whole items accesses all attributes.
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
    for (const text of expressions.map((expression) => String(part[expression] ?? ""))) {
      if (!readable.test(text)) return "all";
      for (const attribute of attributesIn(text, names)) accessed.add(attribute);
    }
    for (const map of [...attributeMaps.map((name) => part[name]), ...listOf(part.Keys)]) {
      if (isRecord(map)) for (const attribute of Object.keys(map)) accessed.add(attribute);
    }
    for (const attribute of listOf(part.AttributesToGet)) accessed.add(String(attribute));
  }
  return accessed;
};

/** The request itself, or each operation of a batch or a transaction. */
const partsOf = (body: Record<string, unknown>): Record<string, unknown>[] => {
  const operations = (list: unknown) =>
    listOf(list)
      .filter(isRecord)
      .flatMap((operation) => Object.values(operation).filter(isRecord));
  if (Array.isArray(body.TransactItems)) return operations(body.TransactItems);
  if (!isRecord(body.RequestItems)) return [body];
  return Object.values(body.RequestItems).flatMap((request) => (isRecord(request) ? [request] : operations(request)));
};

const returnsWholeItems = (part: Record<string, unknown>, reads: boolean): boolean => {
  const returned = [part.ReturnValues, part.ReturnValuesOnConditionCheckFailure];
  if (returned.some((value) => typeof value === "string" && value.startsWith("ALL_"))) return true;
  return (
    reads && part.ProjectionExpression === undefined && part.AttributesToGet === undefined && part.Select !== "COUNT"
  );
};

/** The attributes at the start of each path: `#a.b[0] = :c` accesses what `#a` stands for. */
export function* attributesIn(expression: string, names: Record<string, unknown>): Generator<string> {
  for (const match of expression.matchAll(/([.:]\s*)?(#?\w+)(?=\s*(\()?)/g)) {
    const [, prefix, word = "", parenthesis] = match;
    if (prefix !== undefined || /^\d+$/.test(word)) continue;
    if (parenthesis !== undefined && functions.test(word)) continue;
    if (keywords.has(word.toUpperCase())) continue;
    yield word.startsWith("#") ? String(names[word] ?? word) : word;
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
