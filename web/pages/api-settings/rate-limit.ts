import type { RateLimitEntry } from "../../api/token.ts";

/** What is sent for a limit that was typed: nothing is no limit, and what is no number is not taken for none. */
export const rateLimitOf = (text: string): RateLimitEntry => {
  if (text === "") return null;
  return /^\d+$/.test(text) ? Number(text) : text;
};

/** A limit in words. */
export const describeRateLimit = (limit: number | null): string => {
  if (limit === null) return "None";
  return limit === 1 ? "1 request per minute" : `${limit.toLocaleString("en")} requests per minute`;
};
