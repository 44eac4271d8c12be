/**
 * Judges a line of JSON by a filter pattern of CloudWatch Logs, as far as this project writes them:
 * `{ ($.level = "error") || ($.record.status = "timeout") }`.
 *
 * @throws {Error} for a pattern that it does not read.
 */
export const matchesFilter = (pattern: string, line: unknown): boolean => {
  const [, inside] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (inside === undefined) throw new Error(`${pattern} does not stand in braces.`);
  if (inside.includes("||")) return inside.split("||").some((part) => holds(part, line));
  return inside.split("&&").every((part) => holds(part, line));
};

const condition = /^\(?\$\.([\w.]+) (?:(=|>=) (.+?)|(IS TRUE))\)?$/;

const holds = (text: string, line: unknown): boolean => {
  const [, path, operator, expected, isTrue] = condition.exec(text.trim()) ?? [];
  if (path === undefined) throw new Error(`${text} is not a condition that is known here.`);
  const value = path.split(".").reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), line);
  if (isTrue !== undefined) return value === true;
  if (expected === "*") return value !== undefined && value !== null;
  // A text equals a text, and a number is compared with a number alone.
  return operator === ">="
    ? typeof value === "number" && value >= Number(expected)
    : JSON.stringify(value) === expected;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
