import { isRecord } from "../../support/is-record.ts";
import { checkTerms } from "./check-terms.ts";
import { type Condition, readCondition } from "./conditions.ts";
import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";
import { tokensOf } from "./tokens.ts";
import { readUpdate, type Update } from "./updates.ts";

type Request = Record<string, unknown>;

// An application sends the same few expressions again and again.
const rememberedExpressions = 500;

/** Reads each expression only once. */
const remember = <Expression>(read: (text: string) => Expression): ((text: string) => Expression) => {
  const known = new Map<string, Expression>();
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const expression = read(text);
    if (known.size >= rememberedExpressions) known.clear();
    known.set(text, expression);
    return expression;
  };
};

const conditionOf = remember<Condition>(readCondition);
export const updateOf = remember<Update>(readUpdate);

/** Checks a condition, a filter or a key condition. */
export const checkCondition = (
  value: unknown,
  { ExpressionAttributeValues: values }: Request,
  parameter: string,
): void => {
  if (typeof value === "string") named(parameter, () => checkTerms(conditionOf(value), isRecord(values) ? values : {}));
};

export const checkProjection = (value: unknown, _request: Request, parameter: string): void => {
  if (typeof value === "string") named(parameter, () => tokensOf(value));
};

export const checkUpdate = (value: unknown, request: Request, parameter: string): void => {
  if (typeof value !== "string") return;
  named(parameter, () => {
    const { read, changed, onlyRemoves } = updateOf(value);
    const names = isRecord(request.ExpressionAttributeNames) ? request.ExpressionAttributeNames : {};
    const nameOf = (name: string) => (name.startsWith("#") ? names[name] : name);
    // The engine would change the copy too.
    const changedNames = new Set(changed.map(nameOf));
    if (read.some((name) => changedNames.has(nameOf(name)))) {
      throw new UnsupportedRequest("SET from an attribute that ADD or DELETE changes");
    }
    // The engine would create an item that has only its key.
    const { ConditionExpression: condition } = request;
    if (onlyRemoves && !(typeof condition === "string" && conditionOf(condition).needsItem)) {
      throw new UnsupportedRequest("REMOVE or DELETE alone, without a condition that needs the item to exist");
    }
  });
};

/** Puts the name of the parameter before a refusal, as DynamoDB does. */
const named = (parameter: string, check: () => void): void => {
  try {
    check();
  } catch (error) {
    if (error instanceof InvalidRequest) throw new InvalidRequest(`Invalid ${parameter}: ${error.message}`);
    if (error instanceof UnsupportedRequest) throw new UnsupportedRequest(`${parameter} with ${error.message}`);
    throw error;
  }
};
