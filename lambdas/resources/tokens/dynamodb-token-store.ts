import type { Values } from "../../dynamodb/records.ts";
import type { Table } from "../../dynamodb/table.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";

/** A request waits for this write at its end, so it must not take long. */
const recordUseMilliseconds = 1_000;

const keptAfterEndSeconds = 90 * 24 * 60 * 60;

const isActive =
  "attribute_exists(token_id) AND attribute_not_exists(revoked_at) AND (attribute_not_exists(expires_at) OR expires_at > :now)";

interface TokenChange {
  changes: Values;
  removed?: string[];
  now: string;
  condition: string;
}

/**
 * Tokens in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live: 90 days after a token
 * has ended.
 */
export const dynamodbTokenStore = (table: Table<TokenRecord>): TokenStore => {
  /** Sets and removes attributes of a token if `condition` holds at `now`; `undefined` if it does not. */
  const changeToken = async (
    token_id: string,
    { changes, removed = [], now, condition }: TokenChange,
  ): Promise<TokenRecord | undefined> => {
    const sets = Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => `${name} = :${name}`);
    const { attributes } = await table.update(
      { token_id },
      {
        condition,
        expression: `SET ${sets}${removed.length > 0 ? ` REMOVE ${removed}` : ""}`,
        values: { now, ...changes },
        returns: "ALL_NEW",
      },
    );
    return attributes && table.read(attributes, { token_id });
  };

  return {
    find: (token_id) => table.get({ token_id }),

    async list(request) {
      const { records, ...page } = await table.page(request);
      return { ...page, tokens: records };
    },

    insert: (record) =>
      table.put(record, record.expires_at === undefined ? {} : { delete_at: deleteAt(record.expires_at) }),

    update: (tokenId, { rate_limit, ...by }) =>
      changeToken(tokenId, {
        changes: { ...by, rate_limit: rate_limit ?? undefined },
        removed: rate_limit === null ? ["rate_limit"] : [],
        now: by.updated_at,
        condition: isActive,
      }),

    rotate: (tokenId, rotation) =>
      changeToken(tokenId, {
        changes: { ...rotation, delete_at: deleteAt(rotation.expires_at) },
        now: rotation.rotated_at,
        condition: `${isActive} AND attribute_not_exists(successor_id)`,
      }),

    revoke: (tokenId, by) =>
      changeToken(tokenId, {
        changes: { ...by, delete_at: deleteAt(by.revoked_at) },
        now: by.revoked_at,
        condition: isActive,
      }),

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

const deleteAt = (endsAt: string): number => Math.floor(Date.parse(endsAt) / 1000) + keptAfterEndSeconds;
