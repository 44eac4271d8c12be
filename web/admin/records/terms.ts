import { commentLength, longestGraceSeconds } from "../../../lambdas/domain/tokens/token-limits.ts";
import { codePoints } from "../../../lambdas/shared/validation/characters.ts";
import { ApiFailure } from "../api/api-failure.ts";
import type { Token } from "../api/types.ts";
import { dateOf, dayMs } from "../parts/time.ts";

/** The editable terms of a token, in the service's format. */
export interface Terms {
  comment: string;
  expires_at: string | null;
  rate_limit: number | null;
}

/** The same terms as an admin types them. */
export interface TypedTerms {
  comment: string;
  expires_at: Expiry;
  rate_limit: string;
}

/** The initial terms of a new token. */
export const newTerms: TypedTerms = {
  comment: "",
  expires_at: { preset: "365", date: "" },
  rate_limit: "",
};

/** Returns an earlier token's terms. If the earlier token's end has passed, the closest usual lifetime replaces it. */
export const termsLike = (token: Token, now: number): TypedTerms => ({
  comment: token.comment,
  expires_at: expiryLike(token, now),
  rate_limit: String(token.rate_limit ?? ""),
});

const expiryLike = ({ issued_at, expires_at }: Token, now: number): Expiry => {
  if (expires_at === null) return { preset: "never", date: "" };
  const end = new Date(expires_at);
  if (end.getTime() > now) return { preset: "date", date: dateOf(end) };
  const days = (end.getTime() - Date.parse(issued_at)) / dayMs;
  return { preset: String(lifetimes.find((lifetime) => days <= lifetime) ?? lifetimes.at(-1)), date: "" };
};

/**
 * Converts typed terms to the service's format.
 *
 * @param current the token's present end, which `unchanged` stands for
 * @throws {ApiFailure} if something is wrong with them
 */
export const termsOf = (typed: TypedTerms, now: number, current?: string | null): Terms => {
  const { comment } = typed;
  const expires_at = expiresAt(typed.expires_at, now, current);
  const rate_limit = parseRateLimit(typed.rate_limit);
  if (commentError(comment) !== "" || expires_at === undefined || rate_limit === undefined) {
    throw new ApiFailure({ status: 422, message: "Correct the marked fields." });
  }
  return { comment, expires_at, rate_limit };
};

/** Returns what is wrong with each of the terms, with empty strings for valid ones. */
export const termErrors = ({ comment, expires_at, rate_limit }: TypedTerms, current?: string | null) => ({
  comment: commentError(comment),
  expires_at: expiryError(expires_at, current),
  rate_limit: rateLimitError(rate_limit),
});

const commentError = (value: string): string => {
  const count = codePoints(value);
  const { max } = commentLength;
  return count > max ? `The comment must be at most ${max} characters; it has ${count}.` : "";
};

/** Parses a typed limit. Null means an empty field, and `undefined` means that it is not a whole number. */
const parseRateLimit = (text: string): number | null | undefined => {
  if (text === "") return null;
  return /^\d+$/.test(text) ? Number(text) : undefined;
};

/** Returns why a limit can't be sent, or an empty string. The service checks the range. */
const rateLimitError = (text: string): string =>
  parseRateLimit(text) === undefined ? "Enter a whole number, or leave the field empty." : "";

/** Describes a limit in words. */
export const describeRateLimit = (limit: number | null): string => {
  if (limit === null) return "None";
  return limit === 1 ? "1 request per minute" : `${limit.toLocaleString("en")} requests per minute`;
};

/** In days. */
const lifetimes = [30, 90, 365];

/** The lifetimes to choose from. */
export const expiryPresets = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never expires" },
  { value: "date", label: "On a date…" },
];

/** The chosen preset or `unchanged`. For `date`, also the date as YYYY-MM-DD. */
export interface Expiry {
  preset: string;
  date: string;
}

export const unchangedExpiry: Expiry = { preset: "unchanged", date: "" };

/**
 * Returns when a token with this expiry ends. Null means never. `undefined` means that the date is missing or not in the future.
 *
 * @param current the token's present end, which `unchanged` stands for
 */
export const expiresAt = (
  { preset, date }: Expiry,
  now: number,
  current: string | null = null,
): string | null | undefined => {
  if (preset === unchangedExpiry.preset) return current;
  if (preset === "never") return null;
  if (preset !== "date") return new Date(now + Number(preset) * dayMs).toISOString();
  // Without a time zone, this is the end of the day in the admin's time zone.
  const end = new Date(`${date}T23:59:59.999`);
  return end.getTime() > now ? end.toISOString() : undefined;
};

export const expiryError = (expiry: Expiry, current?: string | null): string =>
  expiresAt(expiry, Date.now(), current) === undefined ? "Choose a date in the future." : "";

/** When a rotated token may end. */
export const gracePresets = [
  { value: "0", label: "Immediately", description: "The client's calls are rejected until it has the new token." },
  { value: "3600", label: "In 1 hour", description: "If you are updating the client now." },
  { value: "86400", label: "In 1 day", description: "If someone else changes the client." },
  {
    value: String(longestGraceSeconds),
    label: "In 7 days",
    description: "If the change may take a while. This is the maximum.",
  },
];

export const defaultGrace = "86400";

/** Returns when a token ends if it is rotated now. The token never ends later than it would have without the rotation. */
export const endAfterGrace = (graceSeconds: number, expiresAt: string | null, now: number): string => {
  const end = new Date(now + graceSeconds * 1000).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
};
