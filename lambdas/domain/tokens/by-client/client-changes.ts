import { toTime } from "../../../dynamodb/times.ts";
import { ApiError, type ApiErrorOptions } from "../../../shared/errors/api-error.ts";
import type { ErrorCode } from "../../../shared/errors/catalogue.ts";
import {
  type AddressRequest,
  endOfAttempts,
  isRejected,
  isWaiting,
  nextRequest,
  requestIn,
} from "../address-request.ts";
import { factsOf, type Holder } from "../authenticate.ts";
import { beganAt, isIn, working } from "../life-cycle.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { deriveSecret, formatTokenValue, matchesHash } from "../token-value.ts";

/*
 * The changes that clients make to their own tokens: `redeem`, `rotate` and `move`. Each operation checks the record, decides, and
 * makes one conditional write to exactly that record. If another change was made first, it checks the record again.
 */

/** The client gets its new token. */
export interface Issued {
  outcome: "issued";
  token: TokenRecord;
  value: string;
}

/** The client gets the successor of its token. */
export interface Succeeded extends Issued {
  /** When the old token ends. */
  oldEndsAt: string;
}

/** The client has to wait for an admin to confirm its address. */
export interface Requested {
  outcome: "requested";
  request: AddressRequest;
  isNew: boolean;
}

/** The request is rejected. */
export interface Refused<Code extends ErrorCode> {
  outcome: "refused";
  code: Code;
  options: ApiErrorOptions;
}

/** Another change was made to the record first. */
interface Overtaken {
  current: TokenRecord | undefined;
}

/** Returns a rejection; `facts` are for the log. */
export const refuse = <const Code extends ErrorCode>(code: Code, options: ApiErrorOptions): Refused<Code> => ({
  outcome: "refused",
  code,
  options,
});

/** Returns the actor of a client's own change: the token whose secret was sent, and the address that it was sent from. */
export const clientActor = ({ token_id }: Pick<TokenRecord, "token_id">, ip: string): string =>
  `token:${token_id}:${ip}`;

const maxTries = 3;

/**
 * Runs a step. If another change was made first, runs the step again with the current record.
 *
 * @param step returns the current record if the change could not be made
 * @throws {ApiError} `unavailable` after three tries, or if the record is gone
 */
export const untilMade = async <Outcome extends object>(
  record: TokenRecord,
  step: (record: TokenRecord, now: string) => Promise<Outcome | Overtaken>,
): Promise<Outcome> => {
  let current: TokenRecord | undefined = record;
  for (let tries = 0; tries < maxTries && current; tries += 1) {
    const result = await step(current, new Date().toISOString());
    if (!("current" in result)) return result;
    current = result.current;
  }
  throw new ApiError("unavailable", { cause: new Error("Other changes of the same token came first.") });
};

/** Requests an admin's confirmation to use a token from the caller's address, unless it has already been requested. */
export const requestAddress = async (
  tokens: Pick<TokenStore, "request">,
  record: TokenRecord,
  { ip, author, now }: Pick<Holder, "ip" | "author"> & { now: string },
) => {
  const previous = requestIn(record);
  const leak = { ...factsOf(record, ip), leak_signal: "right secret, rejected address" };
  if (isRejected(previous, ip, now)) return refuse("request_rejected", { values: { ip }, facts: leak });
  if (previous?.ip === ip && isWaiting(previous, now)) {
    return { outcome: "requested" as const, request: previous, isNew: false };
  }

  const request = nextRequest(previous, { ip, now });
  if (!request) {
    const seconds = previous ? secondsBetween(now, endOfAttempts(previous)) : 0;
    return refuse("too_many_requests", {
      headers: { "Retry-After": String(seconds) },
      facts: { ...leak, leak_signal: "right secret, too many requests for confirmation" },
    });
  }
  const note = { kind: "requested" as const, author, details: { ip, code: request.code } };
  const { made, token } = await tokens.request(record, { request: JSON.stringify(request) }, note);
  return made ? { outcome: "requested" as const, request, isNew: true } : { current: token };
};

const secondsBetween = (from: string, to: string): number =>
  Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / 1000));

/** How long the value of a new token can be requested again. */
const repeatableMilliseconds = 15 * 60 * 1000;

/**
 * Returns the value of a token that was created with this credential, if the client may not have received it. The same call from
 * the token's address returns the value again until the token is first used, for at most 15 minutes. Otherwise returns `undefined`.
 */
export const repeatedValue = (
  record: TokenRecord | undefined,
  { secret, ip }: Pick<Holder, "secret" | "ip">,
  now: string,
): string | undefined => {
  if (!record || record.ip !== ip || !isIn(working, record, now)) return undefined;
  const { token_id, repeat_nonce: nonce, secret_hash } = record;
  if (nonce === undefined || now >= toTime(Date.parse(beganAt(record)) + repeatableMilliseconds)) return undefined;
  const parts = deriveSecret(secret, { token_id, nonce });
  return matchesHash(parts.secret, secret_hash) ? formatTokenValue(parts) : undefined;
};
