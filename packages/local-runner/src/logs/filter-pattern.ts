import { LocalError } from "../local-error.ts";

/** Judges a line of a log that was read as JSON. */
export type LineFilter = (line: unknown) => boolean;

/**
 * Reads a filter pattern of CloudWatch Logs for lines of JSON, as far as this project writes them.
 *
 * @example readFilterPattern('{ ($.level = "error") || ($.record.status = "timeout") }')({ level: "error" }) // true
 *
 * @throws {LocalError} for a pattern that it does not read.
 */
export function readFilterPattern(pattern: string): LineFilter {
  const [, inside] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inside === undefined) throw new LocalError(`The filter pattern ${pattern} does not stand in braces.`);
  if (inside.includes("||")) {
    const parts = inside.split("||").map(readCondition);
    return (line) => parts.some((holds) => holds(line));
  }
  const parts = inside.split("&&").map(readCondition);
  return (line) => parts.every((holds) => holds(line));
}

const condition = /^\(?\$\.([\w.]+) (?:(=|>=) (.+?)|(IS TRUE))\)?$/;

function readCondition(text: string): LineFilter {
  const [, path, operator, expected, isTrue] = condition.exec(text.trim()) ?? [];
  if (path === undefined) throw new LocalError(`${text.trim()} is not a condition that the local run knows.`);
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
  // A text equals a text, and a number is compared with a number alone.
  return (line) => JSON.stringify(valueIn(line)) === expected;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
