import { requestIn } from "../address-request.ts";
import { factsOf, type Holder } from "../authenticate.ts";
import { phaseOf } from "../life-cycle.ts";
import type { SuccessionStore } from "../succession.ts";
import { longestGraceSeconds } from "../token-limits.ts";
import type { TokenStore } from "../token-store.ts";
import { type Issued, type Refused, type Requested, refuse, untilMade } from "./client-changes.ts";
import { issueSuccessor, repeatSuccessor } from "./client-succession.ts";
import { requestAddress } from "./request-address.ts";

type RefusalCode =
  | "token_expired"
  | "token_revoked"
  | "ip_not_allowed"
  | "request_rejected"
  | "token_already_rotated"
  | "move_not_needed"
  | "too_many_requests";

type Outcome = Issued | Requested | Refused<RefusalCode>;

/**
 * Moves a token to the caller's address. Until an admin has confirmed that address, asks for a confirmation; then
 * issues a successor for the address and ends the token.
 */
export const moveToken = (
  { token, ip, secret, author }: Holder,
  tokens: SuccessionStore & Pick<TokenStore, "find" | "request">,
): Promise<Outcome> =>
  untilMade<Outcome>(token, async (record, now) => {
    const facts = factsOf(record, ip);
    const phase = phaseOf(record, now);
    if (phase === "revoked") return refuse("token_revoked", { facts });
    if (record.successor_id !== undefined) {
      // The successor may be that of a rotation, whose grace a move does not change.
      return repeatSuccessor(tokens, record, { ip, secret, author, now, graceSeconds: longestGraceSeconds });
    }
    if (phase === "expired") return refuse("token_expired", { facts });
    if (ip === record.ip) return refuse("move_not_needed", { values: { ip }, facts });

    if (phase !== "move_confirmed") return requestAddress(tokens, record, { ip, author, now });
    // Somebody else who has the secret must not be able to undo what an admin has confirmed.
    if (requestIn(record)?.ip !== ip) return refuse("ip_not_allowed", { values: { ip }, facts });
    return issueSuccessor(tokens, record, { ip, secret, author, now, graceSeconds: 0 });
  });
