import { isRecord } from "../support/json.ts";
import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { readDeliveryPermissions } from "./rights.ts";
import { type DeployedStacks, readAt, refusal, resourceType } from "./stack-resources.ts";

/** A function that receives the log lines that match a filter. */
export interface LogSubscription {
  name: string;
  logGroup: string;
  matches: LineFilter;
  /** The ARN of the function that receives the lines, or of its alias. */
  destination: string;
}

const filterType = resourceType({
  type: "AWS::Logs::SubscriptionFilter",
  nameProperty: "FilterName",
  ignored: { "it is the filter's name already": "FilterName" },
  schema: z.strictObject({ DestinationArn: z.string(), FilterPattern: z.string(), LogGroupName: z.string() }),
});

const logGroupType = resourceType({
  type: "AWS::Logs::LogGroup",
  nameProperty: "LogGroupName",
  attributes: ({ name, arn }) => ({ Arn: arn("logs", `log-group:${name}:*`) }),
  schema: z.unknown(),
});

export const logTypes = [filterType, logGroupType];

/** Reads the subscription filters. Like CloudFormation, it rejects a filter whose log may not invoke its function. */
export const readLogSubscriptions = (stacks: DeployedStacks): LogSubscription[] => {
  const mayDeliver = readDeliveryPermissions(stacks);
  return stacks.readEach(filterType, ({ resource, properties }) => {
    const { DestinationArn: destination, FilterPattern, LogGroupName: logGroup } = properties;
    const log = stacks.all(logGroupType).find(({ ref }) => ref === logGroup);
    if (!mayDeliver(log?.attributes.Arn ?? logGroup, destination)) {
      const problem = `no AWS::Lambda::Permission lets logs.amazonaws.com invoke ${destination} for ${logGroup}`;
      throw refusal(resource, problem);
    }
    const matches = readAt(resource, () => readFilterPattern(FilterPattern));
    return { name: resource.ref, logGroup, matches, destination };
  });
};

/** Whether a filter matches a log line, given as parsed JSON. */
export type LineFilter = (line: unknown) => boolean;

/**
 * Parses a CloudWatch Logs filter pattern for JSON lines. It consists of conditions with `=`, `!=`, `>=` and `IS TRUE`, joined by
 * "and" (`&&`) or "or" (two bars). Parts joined by different operators need parentheses. Strings may contain `*`, which matches any
 * characters.
 *
 * @example readFilterPattern('{ ($.level = "ERROR") && ($.record.status = "timeout") }')({ level: "INFO" }) // false
 *
 * @throws {LocalError} if the pattern contains anything else
 */
export const readFilterPattern = (pattern: string): LineFilter => {
  const [, inside] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inside === undefined) throw new LocalError(`The filter pattern ${pattern} is not in braces.`);
  return readExpression(inside);
};

const readExpression = (text: string): LineFilter => {
  const { parts, operators } = split(text.trim());
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return only.startsWith("(") && only.endsWith(")") ? readExpression(only.slice(1, -1)) : readCondition(only);
  }
  const [operator, ...others] = new Set(operators);
  if (others.length > 0) throw new LocalError(`${text} mixes && and || without parentheses.`);
  const filters = parts.map(readExpression);
  return operator === "&&"
    ? (line) => filters.every((holds) => holds(line))
    : (line) => filters.some((holds) => holds(line));
};

/** Splits an expression at the operators outside parentheses and quotes. */
const split = (text: string): { parts: string[]; operators: string[] } => {
  const parts = [""];
  const operators: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"[^"]*"|&&|\|\||./gs)) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth === 0 && (token === "&&" || token === "||")) {
      operators.push(token);
      parts.push("");
    } else parts[parts.length - 1] += token;
  }
  return { parts: parts.map((part) => part.trim()), operators };
};

const condition = /^\$\.([\w.]+) (?:(=|!=|>=) ([^"\s]+|"[^"]*")|(IS TRUE))$/;

const readCondition = (text: string): LineFilter => {
  const [, path, operator, expected = "", isTrue] = condition.exec(text) ?? [];
  if (path === undefined) throw new LocalError(`${text} is a condition that a local run does not support.`);
  const names = path.split(".");
  const equals = isTrue === undefined ? equalTo(expected) : (value: unknown) => value === true;
  const isAtLeast = (value: unknown) => typeof value === "number" && value >= Number(expected);
  return (line) => {
    const value = names.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), line) ?? undefined;
    // A missing field is neither equal nor unequal.
    if (value === undefined) return false;
    return operator === ">=" ? isAtLeast(value) : equals(value) === (operator !== "!=");
  };
};

/** Compares strings only with strings, and numbers only with numbers. */
const equalTo = (expected: string): ((value: unknown) => boolean) => {
  if (expected === "*") return () => true;
  if (!expected.startsWith('"')) return (value) => JSON.stringify(value) === expected;
  const pattern = new RegExp(`^${expected.slice(1, -1).split("*").map(RegExp.escape).join(".*")}$`, "s");
  return (value) => typeof value === "string" && pattern.test(value);
};
