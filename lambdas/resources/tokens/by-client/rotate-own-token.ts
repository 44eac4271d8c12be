import { factsOf, type Holder } from "../authenticate.ts";
import { phaseOf } from "../life-cycle.ts";
import type { SuccessionStore } from "../succession.ts";
import type { TokenStore } from "../token-store.ts";
import { type Refused, refuse, type Succeeded, untilMade } from "./client-changes.ts";
import { issueSuccessor, repeatSuccessor } from "./client-succession.ts";

type RefusalCode = "token_expired" | "token_revoked" | "ip_not_allowed" | "token_already_rotated";

type Outcome = Succeeded | Refused<RefusalCode>;

/** Rotates the caller's token. Only its own address may do that. */
export const rotateOwnToken = (
  { token, ip, secret, author }: Holder,
  graceSeconds: number,
  tokens: SuccessionStore & Pick<TokenStore, "find">,
): Promise<Outcome> =>
  untilMade<Outcome>(token, async (record, now) => {
    const facts = factsOf(record, ip);
    const phase = phaseOf(record, now);
    if (phase === "revoked") return refuse("token_revoked", { facts });
    if (ip !== record.ip) {
      return phase === "expired" || phase === "replaced"
        ? refuse("token_expired", { facts })
        : refuse("ip_not_allowed", { values: { ip }, facts });
    }
    const request = { ip, secret, author, now, graceSeconds };
    if (record.successor_id !== undefined) return repeatSuccessor(tokens, record, request);
    if (phase === "expired") return refuse("token_expired", { facts });
    return issueSuccessor(tokens, record, request);
  });
