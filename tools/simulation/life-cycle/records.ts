import type { Item } from "cdk-local-runner/dynamodb-model";
import { type Address, isEnded, type Token, type Tokens } from "./life.ts";
import type { Reality } from "./replay.ts";

export const ipOf: Record<Address, string> = { one: "198.51.100.7", two: "203.0.113.9" };

/** The address in a record whose address is not known. */
const noIp = "::";

/** How the records differ from the model, regardless of the answers. */
export const recordProblem = ({ moment, ids }: Reality, tokens: Tokens): string | undefined => {
  const items = moment.database.itemsOf("tokens");
  const now = new Date(moment.now).toISOString();
  for (const [place, token] of tokens.entries()) {
    const expected = JSON.stringify(viewOf(token, ids[place + 1]));
    const item = items.get(ids[place] ?? "");
    const actual = JSON.stringify(item && viewIn(item, now));
    if (actual !== expected) return `the record of token ${place} is ${actual} instead of ${expected}`;
  }
  return undefined;
};

/** What is compared of a token. */
interface View {
  ip: string;
  end: "revoked" | "expired" | null;
  hasNonce: boolean;
  isInvitation: boolean;
  successor: string | null;
  request: { ip: string; decision: string | null } | null;
}

const viewOf = (token: Token, successor: string | undefined): View => {
  const { request, isRevoked, hasNonce, isInvitation } = token;
  const bound = token.ip ?? (request?.decision === "confirmed" ? request.ip : null);
  return {
    ip: bound === null ? noIp : ipOf[bound],
    end: isRevoked ? "revoked" : isEnded(token) ? "expired" : null,
    hasNonce,
    isInvitation,
    successor: successor ?? null,
    request: request && { ip: ipOf[request.ip], decision: request.decision },
  };
};

const viewIn = (item: Item, now: string): View => {
  const { ip, revoked_at, expires_at, repeat_nonce, invitation_hash, redeemed_at, successor_id, request } = item;
  const stored = request?.S === undefined ? undefined : JSON.parse(request.S);
  const hasExpired = expires_at?.S !== undefined && expires_at.S <= now;
  return {
    ip: ip?.S ?? "",
    end: revoked_at ? "revoked" : hasExpired ? "expired" : null,
    hasNonce: repeat_nonce !== undefined,
    isInvitation: invitation_hash !== undefined && redeemed_at === undefined,
    successor: successor_id?.S ?? null,
    request: stored ? { ip: stored.ip, decision: stored.decision ?? null } : null,
  };
};
