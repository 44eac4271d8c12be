import { randomInt } from "node:crypto";
import * as z from "zod/mini";
import { toTime } from "../../dynamodb/times.ts";
import { textThat, time, wholeNumber } from "../../shared/validation/fields.ts";
import { storedIp } from "./stored-ip.ts";
import { requestMinutes } from "./token-limits.ts";

/*
 * A client's request to use a token from an address that no admin has set: the address from which it redeems an invitation, or to
 * which it moves. An admin compares its code with the code that the client's operator sees, and confirms or rejects the request.
 */

/** Maximum requests within 24 hours. Each request gets a new code, so the limit keeps anyone from guessing codes. */
export const maxAttempts = 10;
const attemptsMilliseconds = 24 * 60 * 60 * 1000;

/** No vowels, which could form words, and no characters that look or sound alike. */
const codeCharacters = "34679CDFGHJKMNPQRTWXY";
const codeShape = new RegExp(`^[${codeCharacters}]{3}-[${codeCharacters}]{3}$`);

/** Checks whether a string has the form of a request's code. */
export const isCode = (text: string): boolean => codeShape.test(text);

/** A request as a record stores it. */
export const addressRequest = z
  .strictObject({
    /** The address that the service saw. */
    ip: storedIp,
    /** A short code for people to compare: see `newCode`. */
    code: textThat(isCode, "must be a code."),
    requested_at: time(),
    /** The time of the first request in the current 24 hours, and the number of requests since. */
    first_at: time(),
    attempts: wholeNumber({ min: 1, max: maxAttempts }),
    decision: z.exactOptional(z.enum(["confirmed", "rejected"])),
    decided_at: z.exactOptional(time()),
    decided_by: z.exactOptional(z.string()),
  })
  .check(
    z.refine(
      ({ decision, decided_at, decided_by }) =>
        (decision === undefined) === (decided_at === undefined) &&
        (decision === undefined) === (decided_by === undefined),
    ),
  );

export type AddressRequest = z.output<typeof addressRequest>;

const requestMilliseconds = requestMinutes * 60 * 1000;

/** Returns the last request in a record. */
export const requestIn = ({ request }: { request?: string }): AddressRequest | undefined =>
  request === undefined ? undefined : JSON.parse(request);

/** Returns when a request expires without a decision: RFC 3339, UTC, ms. */
export const endOfRequest = ({ requested_at }: AddressRequest): string => after(requested_at, requestMilliseconds);

/** Checks whether a request is still waiting for a decision. */
export const isWaiting = (request: AddressRequest | undefined, now: string): boolean =>
  request !== undefined && request.decision === undefined && now < endOfRequest(request);

/** Checks whether a request was confirmed recently enough for its move to be completed. */
export const isConfirmed = (request: AddressRequest | undefined, now: string): boolean =>
  request?.decision === "confirmed" && now < after(request.decided_at ?? "", requestMilliseconds);

/** Checks whether an admin has rejected this address. A rejection is forgotten when the count of attempts is reset. */
export const isRejected = (request: AddressRequest | undefined, ip: string, now: string): boolean =>
  request?.decision === "rejected" && request.ip === ip && now < endOfAttempts(request);

/** Returns a new request from an address, based on the previous request; `undefined` if there have been too many. */
export const nextRequest = (
  previous: AddressRequest | undefined,
  { ip, now }: { ip: string; now: string },
): AddressRequest | undefined => {
  const counted = previous && now < endOfAttempts(previous) ? previous : { first_at: now, attempts: 0 };
  if (counted.attempts >= maxAttempts) return undefined;
  const { first_at, attempts } = counted;
  return { ip, code: newCode(), requested_at: now, first_at, attempts: attempts + 1 };
};

/** Returns when the count of attempts is reset: RFC 3339, UTC, ms. */
export const endOfAttempts = ({ first_at }: AddressRequest): string => after(first_at, attemptsMilliseconds);

/** Generates six characters from a set of 21, such as `K7P-4XQ`. There are 86 million codes. */
const newCode = (): string => {
  const characters = Array.from({ length: 6 }, () => codeCharacters.charAt(randomInt(codeCharacters.length)));
  return `${characters.slice(0, 3).join("")}-${characters.slice(3).join("")}`;
};

const after = (start: string, milliseconds: number): string => toTime(Date.parse(start) + milliseconds);
