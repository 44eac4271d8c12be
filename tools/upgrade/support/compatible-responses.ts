import { isDeepStrictEqual } from "node:util";

/**
 * Whether two responses say the same. One version may know fields that the other one does not, so one of two objects may have
 * more fields.
 */
export const areCompatible = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => areCompatible(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return isDeepStrictEqual(one, other);
  const [fewer, more] = Object.keys(one).length <= Object.keys(other).length ? [one, other] : [other, one];
  if (Object.keys(fewer).length === 0) return Object.keys(more).length === 0;
  return Object.entries(fewer).every(([name, value]) => name in more && areCompatible(value, more[name]));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
