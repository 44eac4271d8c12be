/** The limit that was typed: null for an empty field, `undefined` for anything that is not a whole number. */
export const parseRateLimit = (text: string): number | null | undefined => {
  if (text === "") return null;
  return /^\d+$/.test(text) ? Number(text) : undefined;
};

/** A limit in words. */
export const describeRateLimit = (limit: number | null): string => {
  if (limit === null) return "None";
  return limit === 1 ? "1 request per minute" : `${limit.toLocaleString("en")} requests per minute`;
};
