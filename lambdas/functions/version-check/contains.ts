/**
 * Whether a JSON value has everything that another one has: equal scalars, each field of an object, each element of an array.
 * If an object is expected and the value is a text, the text is read as JSON: the body of an HTTP response is a text.
 */
export const contains = (value: unknown, expected: unknown): boolean => {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value === "string") return contains(parse(value), expected);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(expected).every(([name, part]) => contains(fields.get(name), part));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
