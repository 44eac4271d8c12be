import type { Author } from "../history/change-entry.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";

interface Revocation {
  /** Who revokes it, as its record names them. */
  by: string;
  author: Author;
}

/**
 * Ends a token as somebody has `seen` it. A successor that it got since then was being made at that moment, by a rotation or a move
 * that nobody has been told about, so it ends as well, and so do its own successors. A successor that was seen stays.
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
