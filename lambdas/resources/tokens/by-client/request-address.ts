import { endOfAttempts, isRejected, isWaiting, nextRequest, requestIn } from "../address-request.ts";
import { factsOf, type Holder } from "../authenticate.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { refuse } from "./client-changes.ts";

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
