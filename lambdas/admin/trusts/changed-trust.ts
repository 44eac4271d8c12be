import type { ChangeNote } from "../../domain/history/change-entry.ts";
import type { TokenChangeKind } from "../../domain/history/change-kinds.ts";
import { untilMade } from "../../domain/tokens/by-client/client-changes.ts";
import type { TokenRecord, TokenStore } from "../../domain/tokens/token-store.ts";
import { asTrust, isTrusted, type Trust } from "../../domain/tokens/trust.ts";
import { otherError } from "../../shared/errors/api-error.ts";

interface TrustChange {
  trust_id: string;
  note: ChangeNote<TokenChangeKind>;
  /** Returns the terms to set at a given time. */
  terms: (now: string) => Parameters<TokenStore["changeTrust"]>[1];
}

/**
 * Changes a trust. Returns the trust, and whether the change was made; a trust that has ended is not changed. If another change is
 * made first, reads the trust again and retries.
 *
 * @throws {ApiError} `trust_not_found`, or `unavailable` if other changes keep being made first
 */
export const changeTrust = async (
  tokens: Pick<TokenStore, "find" | "changeTrust">,
  { trust_id, note, terms }: TrustChange,
): Promise<{ trust: Trust; made: boolean }> => {
  const found = requireTrust(await tokens.find(trust_id));
  return untilMade<{ trust: Trust; made: boolean }>(found, async (seen, now) => {
    if (!isTrusted(seen, now)) return { trust: requireTrust(seen), made: false };
    const by = { updated_at: now, updated_by: note.author.by };
    const { made, token } = await tokens.changeTrust(seen, { ...terms(now), ...by }, note);
    return made ? { trust: requireTrust(token), made } : { current: token };
  });
};

/** Returns the trust, even if it has ended. */
export const requireTrust = (record: TokenRecord | undefined): Trust => {
  const trust = asTrust(record);
  if (!trust) throw otherError("trust_not_found");
  return trust;
};
