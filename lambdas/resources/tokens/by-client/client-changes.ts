import { ApiError, type ApiErrorOptions } from "../../../errors/api-error.ts";
import type { ErrorCode } from "../../../errors/catalogue.ts";
import type { AddressRequest } from "../address-request.ts";
import type { TokenRecord } from "../token-store.ts";

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
