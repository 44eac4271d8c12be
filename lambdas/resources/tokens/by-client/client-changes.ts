import { toTime } from "../../../dynamodb/formats.ts";
import { ApiError, type ApiErrorOptions } from "../../../errors/api-error.ts";
import type { ErrorCode } from "../../../errors/catalogue.ts";
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
import { deriveSecret, formatTokenText, matchesHash } from "../token-text.ts";

/*
 * What clients change about their own tokens: `redeem`, `rotate` and `move`. Each looks at the record, decides, and makes one
 * conditional write to exactly that record. If another change came first, it looks again.
 */

/** The client gets its new token. */
export interface Issued {
  outcome: "issued";
  token: TokenRecord;
  text: string;
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

/** The client is refused. */
export interface Refused<Code extends ErrorCode> {
  outcome: "refused";
  code: Code;
  options: ApiErrorOptions;
}

/** The record was changed by somebody else before the change was made. */
interface Overtaken {
  current: TokenRecord | undefined;
}

/** A refusal; `facts` are for the log. */
export const refuse = <const Code extends ErrorCode>(code: Code, options: ApiErrorOptions): Refused<Code> => ({
  outcome: "refused",
  code,
  options,
});

/** The actor of a client's own change: the token whose secret was sent, and the address that it came from. */
export const clientActor = ({ token_id }: Pick<TokenRecord, "token_id">, ip: string): string =>
  `token:${token_id}:${ip}`;

const maxTries = 3;

/**
 * Takes a step. If another change came first, takes it again with the current record.
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

/** Asks an admin to let a token be used from the caller's address, unless that has been asked for already. */
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

/** How long the text of a new token can be requested again. */
const repeatableMilliseconds = 15 * 60 * 1000;

/**
 * The text of a token that was made with this credential and that the client may not have received: the same call from
 * its address returns it again until the token is first used, for at most 15 minutes. `undefined` in any other case.
 */
export const repeatedText = (
  record: TokenRecord | undefined,
  { secret, ip }: Pick<Holder, "secret" | "ip">,
  now: string,
): string | undefined => {
  if (!record || record.ip !== ip || !isIn(working, record, now)) return undefined;
  const { token_id, repeat_nonce: nonce, secret_hash } = record;
  if (nonce === undefined || now >= toTime(Date.parse(beganAt(record)) + repeatableMilliseconds)) return undefined;
  const text = deriveSecret(secret, { token_id, nonce });
  return matchesHash(text.secret, secret_hash) ? formatTokenText(text) : undefined;
};
