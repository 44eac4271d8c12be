import { invalidResponse } from "../../dynamodb/records.ts";
import type { Change, Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { tokenState } from "./token-state.ts";
import type { TokenChange, TokenRecord, TokenStore } from "./token-store.ts";

/** A request waits for this write at its end, so it must not take long. */
const recordUseMilliseconds = 1_000;

const keptAfterEndSeconds = 90 * 24 * 60 * 60;

const exists = "attribute_exists(token_id)";
const isActive = `${exists} AND attribute_not_exists(revoked_at) AND (attribute_not_exists(expires_at) OR expires_at > :now)`;

/**
 * Tokens in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live: 90 days after a token
 * has ended.
 */
export const dynamodbTokenStore = (table: Table<TokenRecord>): TokenStore => {
  const change = async (token_id: string, change: Change<TokenRecord>): Promise<TokenChange> => {
    const { outcome, record } = await table.change({ token_id }, change);
    return { made: outcome !== "refused", token: record };
  };

  return {
    find: (token_id) => table.get({ token_id }),

    async list(request) {
      const { records, ...page } = await table.page(request);
      return { ...page, tokens: records };
    },

    async insert({ token_id, ...record }) {
      const { made } = await change(token_id, {
        condition: "attribute_not_exists(token_id)",
        appliesTo: (existing) => existing === undefined,
        set: () => ({
          ...record,
          ...(record.expires_at !== undefined && { delete_at: deletableAfter(record.expires_at, keptAfterEndSeconds) }),
        }),
      });
      if (!made) throw invalidResponse("There is a different token with the id of a new one.");
    },

    update: (tokenId, { rate_limit, ...by }) =>
      change(tokenId, {
        condition: isActive,
        appliesTo: isActiveToken,
        set: () => ({ ...by, rate_limit: rate_limit ?? undefined }),
        remove: rate_limit === null ? ["rate_limit"] : [],
      }),

    rotate: (tokenId, rotation) =>
      change(tokenId, {
        condition: `${isActive} AND attribute_not_exists(successor_id)`,
        appliesTo: (token, now) => isActiveToken(token, now) && token?.successor_id === undefined,
        set: () => ({ ...rotation, delete_at: deletableAfter(rotation.expires_at, keptAfterEndSeconds) }),
      }),

    revoke: (tokenId, by) =>
      change(tokenId, {
        condition: isActive,
        appliesTo: isActiveToken,
        set: () => ({ ...by, delete_at: deletableAfter(by.revoked_at, keptAfterEndSeconds) }),
      }),

    async settle(tokenId) {
      const { token } = await change(tokenId, {
        condition: exists,
        appliesTo: (token) => token !== undefined,
        set: () => ({}),
      });
      return token;
    },

    async recordUse(token_id, used_at) {
      await table.update(
        { token_id },
        {
          condition: "attribute_exists(token_id) AND (attribute_not_exists(last_used_at) OR last_used_at < :used_at)",
          expression: "SET last_used_at = :used_at",
          values: { used_at },
          giveUpAfterMilliseconds: recordUseMilliseconds,
        },
      );
    },
  };
};

const isActiveToken = (token: TokenRecord | undefined, now: string): boolean =>
  token !== undefined && tokenState(token, now) === "active";
