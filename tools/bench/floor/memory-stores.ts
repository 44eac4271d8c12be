import type { KeyStore } from "../../../lambdas/resources/keys/key-store.ts";
import type { TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { storedKeys, storedToken } from "../requests.ts";

/** Stores for timing the chain alone: they respond at once, without DynamoDB and its client. */

const page = storedKeys.slice(0, 50);
const next = page.at(-1)?.key_id;

export const tokens: Pick<TokenStore, "find"> = {
  find: async () => storedToken,
};

export const keys: Pick<KeyStore, "list" | "create"> = {
  list: async ({ limit }) => ({ keys: page, examined: page.length, ...(limit !== undefined && { next }) }),
  create: async ({ key_id, v_code }) => {
    const now = new Date().toISOString();
    return { outcome: "created", key: { key_id, v_code, created_at: now, updated_at: now } };
  },
};

/** With the signature of the service's own function. */
export const createStores = () => ({ tokens, keys });
