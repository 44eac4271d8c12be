/**
 * Turns a token's claims into text, as API Gateway passes them to functions: a list in brackets, separated by spaces.
 *
 * @example flattenClaims({ exp: 1767225600, "cognito:groups": ["Admin", "Superuser"] })
 * // { exp: "1767225600", "cognito:groups": "[Admin Superuser]" }
 */
export const flattenClaims = (claims: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, textOf(value)]));

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(textOf).join(" ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([name, member]) => `${name}:${textOf(member)}`);
  return `map[${entries.toSorted().join(" ")}]`;
};
