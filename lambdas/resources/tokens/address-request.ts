import { randomInt } from "node:crypto";
import { time, toTime } from "../../dynamodb/formats.ts";
import { isCanonicalIp } from "./ip-address.ts";
import { requestMinutes } from "./token-limits.ts";

/*
 * A client's request to use a token from an address that no admin has named: the one from which it redeems an invitation, or the one
 * to which it moves. An admin compares its code with the one that the client's operator sees, and confirms or rejects it.
 */

export interface AddressRequest {
  /** The address that the service saw, canonical (RFC 5952). */
  ip: string;
  /** Short, for people to compare: see `newCode`. */
  code: string;
  requested_at: string;
  /** When the first request of the last 24 hours was made, and how many there have been since. */
  first_at: string;
  attempts: number;
  decision?: "confirmed" | "rejected";
  decided_at?: string;
  decided_by?: string;
}

const requestMilliseconds = requestMinutes * 60 * 1000;

/** The most requests within 24 hours. Each has a code of its own, so that nobody can guess codes. */
export const maxAttempts = 10;
const attemptsMilliseconds = 24 * 60 * 60 * 1000;

/** The last request in a record. */
export const requestIn = ({ request }: { request?: string }): AddressRequest | undefined =>
  request === undefined ? undefined : JSON.parse(request);

/** When a request expires if nobody decides: RFC 3339, UTC, ms. */
export const endOfRequest = ({ requested_at }: AddressRequest): string => after(requested_at, requestMilliseconds);

/** Whether a request still waits for a decision. */
export const isWaiting = (request: AddressRequest | undefined, now: string): boolean =>
  request !== undefined && request.decision === undefined && now < endOfRequest(request);

/** Whether a request was confirmed so recently that its move can be completed. */
export const isConfirmed = (request: AddressRequest | undefined, now: string): boolean =>
  request?.decision === "confirmed" && now < after(request.decided_at ?? "", requestMilliseconds);

/** Whether an admin has rejected this address. A rejection is forgotten at the same time as the attempts. */
export const isRejected = (request: AddressRequest | undefined, ip: string, now: string): boolean =>
  request?.decision === "rejected" && request.ip === ip && now < endOfAttempts(request);

/** A new request from an address, after the previous one; `undefined` if there have been too many. */
export const nextRequest = (
  previous: AddressRequest | undefined,
  { ip, now }: { ip: string; now: string },
): AddressRequest | undefined => {
  const counted = previous && now < endOfAttempts(previous) ? previous : { first_at: now, attempts: 0 };
  if (counted.attempts >= maxAttempts) return undefined;
  const { first_at, attempts } = counted;
  return { ip, code: newCode(), requested_at: now, first_at, attempts: attempts + 1 };
};

/** When the count of attempts starts again: RFC 3339, UTC, ms. */
export const endOfAttempts = ({ first_at }: AddressRequest): string => after(first_at, attemptsMilliseconds);

/** Whether a text is a request as this code stores it. */
export const isAddressRequest = (text: string): boolean => {
  try {
    return hasFields(JSON.parse(text));
  } catch {
    return false;
  }
};

const fields: Record<keyof AddressRequest, (value: unknown) => boolean> = {
  ip: (value) => typeof value === "string" && isCanonicalIp(value),
  code: (value) => typeof value === "string" && codeShape.test(value),
  requested_at: (value) => isTime(value),
  first_at: (value) => isTime(value),
  attempts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxAttempts,
  decision: (value) => value === "confirmed" || value === "rejected",
  decided_at: (value) => isTime(value),
  decided_by: (value) => typeof value === "string",
};

const decisionFields = ["decision", "decided_at", "decided_by"] as const;
const required = Object.keys(fields).length - decisionFields.length;

const hasFields = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  const isDecided = "decision" in value;
  return (
    entries.length === required + (isDecided ? decisionFields.length : 0) &&
    entries.every(([name, field]) => Object.hasOwn(fields, name) && fields[name as keyof AddressRequest](field)) &&
    decisionFields.every((name) => name in value === isDecided)
  );
};

const isTime = (value: unknown): boolean => typeof value === "string" && time.read(value) !== undefined;

/** No vowels, which could form words, and no two characters that look or sound alike. */
const codeCharacters = "34679CDFGHJKMNPQRTWXY";
const codeShape = new RegExp(`^[${codeCharacters}]{3}-[${codeCharacters}]{3}$`);

/** Whether a text is the code of a request. */
export const isCode = (text: string): boolean => codeShape.test(text);

/** Six characters from a set of 21, such as `K7P-4XQ`: 86 million codes. */
const newCode = (): string => {
  const characters = Array.from({ length: 6 }, () => codeCharacters.charAt(randomInt(codeCharacters.length)));
  return `${characters.slice(0, 3).join("")}-${characters.slice(3).join("")}`;
};

const after = (start: string, milliseconds: number): string => toTime(Date.parse(start) + milliseconds);
