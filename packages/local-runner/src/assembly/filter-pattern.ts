import { isRecord } from "../support/is-record.ts";
import { LocalError } from "../support/local-error.ts";

/** Tells whether a filter lets a log line through, given as parsed JSON. */
export type LineFilter = (line: unknown) => boolean;

/**
 * Reads a filter pattern of CloudWatch Logs for JSON lines: conditions with `=`, `>=` and `IS TRUE`, joined by `&&` or `||`.
 *
 * @example readFilterPattern('{ ($.level = "error") || ($.record.status = "timeout") }')({ level: "error" }) // true
 *
 * @throws {LocalError} if the pattern has anything else
 */
export const readFilterPattern = (pattern: string): LineFilter => {
  const [, inside] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inside === undefined) throw new LocalError(`The filter pattern ${pattern} is not in braces.`);
  if (inside.includes("||")) {
    const parts = inside.split("||").map(readCondition);
    return (line) => parts.some((holds) => holds(line));
  }
  const parts = inside.split("&&").map(readCondition);
  return (line) => parts.every((holds) => holds(line));
};

const condition = /^\(?\$\.([\w.]+) (?:(=|>=) (.+?)|(IS TRUE))\)?$/;

const readCondition = (text: string): LineFilter => {
  const [, path, operator, expected, isTrue] = condition.exec(text.trim()) ?? [];
  if (path === undefined) throw new LocalError(`${text.trim()} is a condition that a local run does not support.`);
  const names = path.split(".");
  const valueIn = (line: unknown) =>
    names.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), line);
  if (isTrue !== undefined) return (line) => valueIn(line) === true;
  if (expected === "*") return (line) => (valueIn(line) ?? undefined) !== undefined;
  if (operator === ">=") {
    return (line) => {
      const value = valueIn(line);
      return typeof value === "number" && value >= Number(expected);
    };
  }
  // A string equals only a string, and a number only a number.
  return (line) => JSON.stringify(valueIn(line)) === expected;
};
