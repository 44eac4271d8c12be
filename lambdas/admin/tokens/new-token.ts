import { hashSecret } from "../../resources/tokens/token-secret.ts";
import type { TokenRecord, TokenStore } from "../../resources/tokens/token-store.ts";
import { formatTokenText, generateTokenText } from "../../resources/tokens/token-text.ts";

type Terms = Omit<TokenRecord, "token_id" | "secret_hash">;

/** Stores a new token on these terms. Its text is in the result and nowhere else. */
export const storeNewToken = async (
  tokens: Pick<TokenStore, "insert">,
  terms: Terms,
): Promise<{ record: TokenRecord; token: string }> => {
  const text = generateTokenText();
  const record = { ...terms, token_id: text.token_id, secret_hash: hashSecret(text.secret) };
  await tokens.insert(record);
  return { record, token: formatTokenText(text) };
};
