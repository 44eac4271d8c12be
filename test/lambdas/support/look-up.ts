import type { TokenRecord, TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";

/** A look-up of tokens in memory, which counts its calls. */
export const lookUpIn = (...records: TokenRecord[]) => {
  const asked: string[] = [];
  const find: TokenStore["find"] = async (tokenId) => {
    asked.push(tokenId);
    return records.find(({ token_id }) => token_id === tokenId);
  };
  return { find, asked };
};
