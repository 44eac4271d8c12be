import type { Author } from "../history/change-entry.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";

interface Revocation {
  /** Who revokes it, as its record names them. */
  by: string;
  author: Author;
}

/**
 * Ends a token that somebody has `seen`. A successor that it got since then comes from a rotation or move that was under way,
 * so that successor and its own successors end as well. A successor that was seen stays.
 *
 * @returns the token as it is now; `undefined` if it is gone
 */
export const revokeToken = async (
  tokens: Pick<TokenStore, "revoke">,
  { token_id, successor_id: known }: Pick<TokenRecord, "token_id" | "successor_id">,
  { by, author }: Revocation,
): Promise<TokenRecord | undefined> => {
  const { token } = await tokens.revoke(token_id, { revoked_at: new Date().toISOString(), revoked_by: by }, author);
  const successor_id = token?.successor_id;
  if (known === undefined && successor_id !== undefined)
    await revokeToken(tokens, { token_id: successor_id }, { by, author });
  return token;
};
